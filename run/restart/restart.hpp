// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/control.hpp"
#include "io/snapshot.hpp"
#include "run/model.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::run {

/// Where a run goes on.
struct Restart {
  std::int64_t step = 0;
  double time = 0;
  io::State state;
  std::vector<std::string> found;  ///< names of the `wanted` fields that the snapshot has
  std::string source;              ///< the snapshot's file, or "the checkpoint in memory of step N"
  bool from_file = false;          ///< not from memory
  io::Provenance dictionaries;     ///< those it was made with; on the root
};

class Checkpoints;

/// Fills `fields` (by their names, on any layout of the same grid) from the case's results, as startFrom asks:
///   latestTime              the last snapshot that is whole, or the checkpoint in memory that `checkpoints` has found,
///                           where that is later; nothing where there is neither
///   startTime T, T > 0      the snapshot of step or time T, `by_step` telling which of the two T is
///   firstTime, startTime 0  nothing: the run begins with the initial state
/// Fields that are only `wanted` are filled where they were saved. A damaged snapshot (checksums are verified), or a
/// checkpoint of another grid, is passed over with a line in the log when there is an earlier one.
/// Throws core::Error naming the file for one of a grid with other cells or in another place, or that lacks a field, or if
/// startTime has none. Collective.
std::optional<Restart> restart(Session& session, io::foam::Control const& control, bool by_step,
                               Checkpoints& checkpoints, std::span<core::FieldBase* const> fields,
                               std::span<core::FieldBase* const> wanted = {});

/// Throws core::Error where startTime asks for a snapshot that is not there, as restart() does. Collective.
void check_start(Session& session, io::foam::Control const& control, bool by_step);

/// One line in the log where the case is not any more what `from` was made with, which is allowed: `others` are further
/// differences. Collective.
void tell_changes(Session& session, Restart const& from, std::vector<std::string> const& others = {});

/// Moves snapshots in results/ of steps after `step`, where this run began, to results/earlier/, but for `written`, which this run has just
/// written: they are of an earlier run and would stand for the case. What no run of ours wrote stays, and what is damaged. So go
/// time series (.xdmf) of other cases that had the same folder for their results. A line in the log. Collective.
void set_aside_later_snapshots(Session& session, std::int64_t step, std::string const& written);

/// Deletes what a killed run was writing: results/NNNNNN.h5.part, NNNNNN.mc.part, *.xdmf.part, *.png.part; postProcessing/*.json.part,
/// *.csv.part, *.png.part; FIELD.part and FIELD.gz.part of `fields`, and uniform/time.part, in time directories.
/// Collective.
void remove_leftovers(Session& session, std::vector<std::string> const& fields = {});

}  // namespace tessera::run
