// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "core/registry.hpp"
#include "core/report.hpp"
#include "io/foam/control.hpp"
#include "run/balance/memory.hpp"
#include "run/case.hpp"
#include "run/control/clock.hpp"
#include "run/guard/case_code.hpp"
#include "run/log.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace tessera::run {

/// Takes fields, of which the cells of the box are wanted. Collective.
using TakeFields = std::function<void(std::vector<core::FieldBase const*> const&, core::Box const&)>;

/// What an application works with.
struct Session {
  core::Comm comm;
  Case& files;
  Log& log;
  bool checks = false;  ///< the case is looked at only: no field is laid out, nothing is written, nothing of it runs
  CaseCode code{};
  Clock const& clock = Clock::real();
  bool writes = true;  ///< no: the report is all that is wanted, pictures and tables may be left out
  /// Where a program wants the fields of the end itself: called with them; no snapshot is written, no hash made.
  TakeFields take{};
  /// Where it is there and says yes on any rank, what the run finds is not wanted any more: it may end after its next step.
  std::function<bool()> called_back{};
  bool moved_earlier = false;  ///< something to a folder `earlier` (earlier_folder); on the root
};

/// A kind of work that a case may ask for by `application NAME;` in system/controlDict.
class Model {
 public:
  static constexpr std::string_view kind = "application";
  virtual ~Model() = default;
  /// Reads and checks everything of the case, so that after it only the machine can fail. Where the session `checks`, fields
  /// lie on a layout without owners (see decompose), so that no grid is too large. Collective.
  virtual void prepare() = 0;
  /// Bytes that the run will need. To be asked after `prepare` of a session that `checks`.
  virtual Memory memory() const = 0;
  /// Whether a run looks at Session::called_back on its way. To be asked after `prepare`.
  virtual bool may_be_called_back() const { return false; }
  /// Runs the case, writes its results, fills the report. Collective. Returns the exit code (core::Exit).
  virtual int run(core::Report& report) = 0;
};

using Models = core::Registry<Model, Session&>;

}  // namespace tessera::run
