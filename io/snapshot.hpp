// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// Texts that say where results come from, by name: the dictionaries of the case ("system/controlDict"), its hash.
using Provenance = std::map<std::string, std::string>;

/// What a restart needs besides the fields, as short texts by name.
using State = std::map<std::string, std::string>;

/// The cell of the lower left corner of a plane's cells, as a snapshot's state has it in whole numbers: the places of a grid are doubles.
std::string corner_text(core::Index const& corner);
/// Nothing where the state has none. Throws core::Error naming the file for what is no corner.
std::optional<core::Index> corner_of(State const& state, std::string const& file);

/// What a snapshot file holds, without the values.
struct SnapshotInfo {
  struct Item {
    std::string name;
    core::Element element;
  };
  std::string file;
  std::int64_t step = 0;
  double time = 0;  ///< [s]
  core::Grid::Shape cells{};
  /// Along each axis the places of all faces, or of the first and the last where they are evenly spaced [m].
  std::array<std::vector<double>, 3> faces;
  std::vector<Item> fields;  ///< sorted by name
  State state;
  Provenance provenance;
};

/// Whether the snapshot's cells lie where those of the grid do, to 1e-9 of its extent. `what`: how they differ, for a
/// message.
bool same_places(SnapshotInfo const& info, core::Grid const& grid, std::string& what);

/// Reads what a snapshot holds. One rank. Throws core::Error naming the file. A file that this process did not write just
/// now (`own`) is read in a copy of the process first, since HDF5 itself does not survive all damaged files.
SnapshotInfo read_snapshot(std::string const& file, bool own = false);

/// The snapshot files FOLDER/NNNNNN.h5, or of another kind, by step, lowest first; empty where the folder does not exist. One rank.
std::map<std::int64_t, std::string> snapshots_in(std::string const& folder, std::string const& kind = ".h5");

/// That of the last step in PATH/results, or else in PATH itself, of cells or HashLife's tree (NNNNNN.mc), of one step the file
/// that was written last; "" where there is none. One rank.
std::string last_snapshot(std::string const& path);

/// Snapshots in FOLDER, of cells and of trees, of steps after `step` that a run of ours wrote and that are whole. One rank.
std::vector<std::string> snapshots_after(std::string const& folder, std::int64_t step);

/// Writes snapshots FOLDER/NNNNNN.h5 and the time series FOLDER/CASE.xdmf that ParaView opens.
///
/// A snapshot holds /fields/NAME of shape (nz, ny, nx), x fastest, y upwards, contiguous, with the attributes units,
/// dimensions, description and hash (core::hash of the values written); /grid, /state (step, time) and /provenance. Its
/// bytes do not depend on ranks, tiles or owners. It is written as NNNNNN.h5.part, checked and renamed when complete; so
/// is the series, after each snapshot: whatever lies in the folder is complete.
///
/// Cost: one pass over the field, hash included; the tiles go to the file by way of 4 MiB a rank, without a copy of the
/// field, tiles of one rank that are neighbours along x together.
class SnapshotSeries {
 public:
  /// Only the cells of `region` are written (its first cell becomes cell 0 0 0, the origin moves along); an empty region
  /// stands for the whole grid. With `resume` the series begins with the snapshots of earlier steps found in the folder,
  /// but for damaged ones.
  /// With `keep` > 0 the oldest snapshots of the series are deleted as soon as more than `keep` are complete.
  /// The folder is made by the first write.
  SnapshotSeries(std::string folder, std::string case_name, core::Box region = {}, bool resume = false, int keep = 0);

  /// Writes fields of one layout (which may change from step to step). Returns the path of the snapshot.
  /// `provenance` and `state` are taken from the root.
  /// Throws core::RunError with the reason on all ranks when it cannot; nothing of it then stays in the folder. Collective.
  std::string write(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                    Provenance const& provenance = {}, State const& state = {});

  /// Before the first step of a run that goes on from `step`: writes the series of the snapshots up to there where it is
  /// missing or is not that, and deletes those that are too many. Throws core::RunError. Collective.
  void go_on(core::Layout const& layout, std::int64_t step);

  std::string const& folder() const { return folder_; }

 private:
  void add_earlier(std::int64_t step);
  void write_series(core::Grid const& grid, core::Box const& region);

  std::string folder_, case_name_;
  core::Box region_;
  bool resume_;
  int keep_;
  std::map<std::int64_t, SnapshotInfo> written_;  // on the root
};

}  // namespace tessera::io
