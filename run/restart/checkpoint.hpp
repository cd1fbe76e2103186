// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/checkpoint/node.hpp"
#include "io/foam/control.hpp"
#include "run/control/run_control.hpp"
#include "run/model.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tessera::run {

/// What `checkpoint { ... }` in system/controlDict says.
struct CheckpointSettings {
  core::Dictionary const* entry = nullptr;
  std::int64_t every = 0;  ///< steps
  double seconds = 0;      ///< by the clock
  io::NodeCheckpoint::Settings store;
};
/// Reads `every`, `seconds`, `data`, `parity` and `folder`; nothing where there is no such entry. Throws core::Error with
/// file and line, also for other keys.
std::optional<CheckpointSettings> read_checkpoint(core::Dictionary const& control);

/// Checkpoints in the memory of the nodes during a run; without settings, none. They belong to the case's directory, and
/// are gone after a run that came to its end.
class Checkpoints {
 public:
  /// With `startFrom latestTime` looks for what an earlier run has left, and says what of it cannot be used. Throws
  /// core::Error with file and line for too few ranks, a folder that is not there, and in a build without ISA-L.
  /// Collective.
  Checkpoints(Session& session, io::foam::Control const& control, std::optional<CheckpointSettings> const& settings);

  /// Step and time of the newest one that can be restored.
  struct Moment {
    std::int64_t step = 0;
    double time = 0;
  };
  std::optional<Moment> const& found() const { return found_; }
  struct Restored {
    io::NodeCheckpoint::Saved saved;
    io::Provenance dictionaries;  ///< those of the case that saved it; on the root
  };
  /// See io::NodeCheckpoint::restore.
  Restored restore(std::span<core::FieldBase* const> fields, std::size_t needed);

  /// When a run begins: removes what is neither restored nor of use. `control`: is to say when checkpoints are due by the
  /// clock. Collective.
  void begin(RunControl& control);
  /// Whether a checkpoint is to be saved now. Where results are written it is not.
  bool due(std::int64_t step, RunControl::Decision const& decision) const;
  void save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields, io::State const& state);
  /// After a run that came to its end: removes all, and reports. Collective.
  void finish(core::Report& report);

 private:
  Case const& files_;
  std::unique_ptr<io::NodeCheckpoint> store_;
  std::int64_t every_ = 0;
  double seconds_ = 0, took_ = 0;
  std::int64_t saved_ = 0;
  bool restored_ = false;
  std::optional<Moment> found_;
  io::State dictionaries_;  ///< of the case, on the root, under the names that they are saved by
};

}  // namespace tessera::run
