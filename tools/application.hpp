// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/layout.hpp"
#include "core/registry.hpp"
#include "core/report.hpp"
#include "io/foam/control.hpp"
#include "tools/case.hpp"
#include "tools/case_code.hpp"
#include "tools/log.hpp"
#include "tools/memory.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tessera::tools {

/// What an application works with.
struct Session {
  core::Comm comm;
  Case& files;
  Log& log;
  bool checks = false;  ///< the case is looked at only: no field is laid out, nothing is written, nothing of it runs
  CaseCode code{};
};

/// A kind of work that a case may ask for by `application NAME;` in system/controlDict.
class Application {
 public:
  static constexpr char const* kind = "application";
  virtual ~Application() = default;
  /// Reads and checks everything of the case, so that after it only the machine can fail. Where the session `checks`, fields
  /// lie on a layout without owners (see decompose), so that no grid is too large. Collective.
  virtual void prepare() = 0;
  /// Bytes that the run will need. To be asked after `prepare` of a session that `checks`.
  virtual Memory memory() const = 0;
  /// Runs the case, writes its results, fills the report. Collective. Returns the exit code (core::Exit).
  virtual int run(core::Report& report) = 0;
};

using Applications = core::Registry<Application, Session&>;

/// A layout of tiles over the ranks as system/decomposeParDict asks (default: scotch; ranks as fast as the last run of
/// the case found them on the same hosts, or equal), and whether they may move (system/balanceDict, see LoadBalance).
struct Decomposition {
  std::unique_ptr<core::Layout> layout;
  std::string method;
  std::vector<double> weights;      ///< of the ranks
  bool by_hand = false;             ///< the case names weights or owners
  bool rebalance = false;           ///< tiles may move while the run goes on, where the application can
  double threshold = 0.05;          ///< imbalance that is left alone then
  std::optional<double> move_cost;  ///< [s] what moving takes, until it is measured
  double largest_share = 1;         ///< of the cells, on one rank
};
/// Ranks beyond the number of tiles have none, which the log says. Throws core::Error if the dictionary does not fit. A
/// session that `checks` gets a layout without owners. Collective.
Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid);

}  // namespace tessera::tools
