// SPDX-License-Identifier: Apache-2.0
#include "io/snapshot.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "core/version.hpp"
#include "io/detail/atomic.hpp"
#include "io/detail/file.hdf5.hpp"
#include "io/rows.hpp"
#include "io/together.hpp"
#include "io/writers/xdmf.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <functional>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using core::Box;
using hdf5::Handle;

/// Large datasets begin where stripes of parallel file systems begin.
constexpr hsize_t alignment = 1 << 20;

/// What is to be written; provenance matters on the root alone.
struct Content {
  std::span<core::FieldBase const* const> fields;
  core::Layout const& layout;
  Box region;
  std::int64_t step;
  double time;
  Provenance const& provenance;
  State const& state;
  std::vector<std::string> hashes;
};

/// One part of writing, on all ranks; if it fails on some, all throw.
void together(core::Comm const& comm, std::function<void()> const& part) {
  Failure failure;
  try {
    part();
  } catch (...) {
    failure = Failure::caught();
  }
  agree(comm, failure);
}

/// Writes this rank's tiles, each straight from the field: a selection in memory leaves the halo out.
void write_tiles(core::FieldBase const& field, Box const& region, hid_t dataset) {
  Handle const in_file(H5Dget_space(dataset), H5Sclose);
  core::Layout const& layout = field.layout();
  core::visit(field, [&]<class T>(core::Field<T> const& f) {
    auto const view = f.host();
    for (int slot = 0; slot < layout.tiles(); ++slot) {
      Box const tile = layout.grid().tile_box(layout.info(slot).tile), piece = core::intersect(tile, region);
      if (piece.empty()) continue;
      auto const n = piece.shape(), at = piece.lo - region.lo, local = piece.lo - tile.lo;
      std::array<hsize_t, 3> const start{static_cast<hsize_t>(at.k), static_cast<hsize_t>(at.j),
                                         static_cast<hsize_t>(at.i)};
      std::array<hsize_t, 3> const count{static_cast<hsize_t>(n.k), static_cast<hsize_t>(n.j),
                                         static_cast<hsize_t>(n.i)};
      std::array<hsize_t, 3> const stored{count[0], static_cast<hsize_t>(view.layer_stride / view.row_stride),
                                          static_cast<hsize_t>(view.row_stride)};
      std::array<hsize_t, 3> const from{0, 0, 0};
      H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      Handle const in_memory(H5Screate_simple(3, stored.data(), nullptr), H5Sclose);
      H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr);
      T const* const first = view.row(slot, static_cast<int>(local.k), static_cast<int>(local.j)) + local.i;
      hdf5::checked(H5Dwrite(dataset, hdf5::memory_type(f.element()), in_memory, in_file, H5P_DEFAULT, first),
                    "a tile cannot be written");
    }
  });
}

/// More bytes than the file will have.
std::uint64_t most_bytes(Content const& content) {
  std::uint64_t total = 1 << 16;
  for (auto const& axis : {0, 1, 2}) total += content.layout.grid().axis(axis).faces.size() * sizeof(double);
  for (auto const* texts : {&content.provenance, &content.state})
    for (auto const& [name, text] : *texts) total += name.size() + text.size() + 1024;
  for (auto const* field : content.fields)
    total += static_cast<std::uint64_t>(content.region.cells()) * size_of(field->element()) +
             field->info().description.size() + alignment + 4096;
  return total;
}

/// Everything but the values of the fields. One rank: so no metadata is in flight when all ranks write, and a file that
/// fills the disk fails here and not in the middle of a parallel close, which HDF5 does not survive.
void make_file(std::string const& path, Content const& content) {
  hdf5::Quiet const quiet;
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_alignment(access, 1 << 16, alignment);
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  hdf5::checked(hid_t{file}, "the file cannot be made");
  hdf5::write_grid(file, content.layout.grid(), content.region);
  hdf5::write_state(file, content.step, content.time, content.state);
  Handle provenance = hdf5::make_group(file, "provenance");
  hdf5::write_attribute(provenance, "version", std::string(core::version));
  hdf5::write_attribute(provenance, "commit", std::string(core::commit));
  for (auto const& [name, text] : content.provenance) hdf5::write_text(provenance, name.c_str(), text);
  Handle fields = hdf5::make_group(file, "fields");
  auto const shape = content.region.shape();
  for (std::size_t n = 0; n < content.fields.size(); ++n)
    hdf5::make_field(fields, content.fields[n]->info(), content.fields[n]->element(), {shape.i, shape.j, shape.k},
                     content.hashes[n]);
  fields.close();
  provenance.close();
  hdf5::checked(file.close() ? 0 : -1, "the file cannot be closed");
}

/// The values: all ranks open the file and write their tiles.
void fill_file(std::string const& path, Content const& content) {
  hdf5::Quiet const quiet;
  core::Comm const& comm = content.layout.comm();
  Handle file;
  together(comm, [&] {
    Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_mpio(access, comm.handle(), MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(access, true);
    file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose);
    hdf5::checked(hid_t{file}, "the file cannot be opened by all ranks");
  });
  for (auto const* field : content.fields) {
    Handle dataset;
    together(comm, [&] {
      dataset = Handle(H5Dopen2(file, ("/fields/" + field->name()).c_str(), H5P_DEFAULT), H5Dclose);
      hdf5::checked(hid_t{dataset}, "a field cannot be opened");
    });
    together(comm, [&] { write_tiles(*field, content.region, dataset); });
  }
  together(comm, [&] { hdf5::checked(file.close() ? 0 : -1, "the file cannot be closed"); });
}

}  // namespace

std::map<std::int64_t, std::string> snapshots_in(std::string const& folder) {
  std::map<std::int64_t, std::string> result;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(folder, none)) {
    std::string const stem = entry.path().stem().string();
    bool const number = stem.size() >= 6 && stem.size() <= 18 &&
                        std::all_of(stem.begin(), stem.end(), [](unsigned char c) { return std::isdigit(c); });
    if (number && entry.path().extension() == ".h5") result[std::stoll(stem)] = entry.path().string();
  }
  return result;
}

SnapshotSeries::SnapshotSeries(std::string folder, std::string case_name, Box region, bool resume, int keep)
    : folder_(std::move(folder)),
      case_name_(std::move(case_name)),
      region_(region),
      resume_(resume),
      keep_(keep) {}

void SnapshotSeries::add_earlier(std::int64_t step) {
  for (auto const& [earlier, file] : snapshots_in(folder_))
    if (earlier < step) written_[earlier] = read_snapshot(file);
}

std::string SnapshotSeries::write(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                                  Provenance const& provenance, State const& state) {
  core::Timed const timed(core::Part::io);
  core::expect(!fields.empty(), "a snapshot has at least one field");
  core::Layout const& layout = fields[0]->layout();
  core::Comm const& comm = layout.comm();
  Content content{fields, layout, region_.empty() ? layout.grid().box() : region_, step, time, provenance, state, {}};
  core::expect(core::intersect(content.region, layout.grid().box()) == content.region,
               "the region to write lies in the grid");
  for (auto const* field : fields) {
    core::expect(&field->layout() == &layout, "the fields of a snapshot have one layout");
    content.hashes.push_back(core::hash(*field, content.region));
  }

  std::string const file = (fs::path(folder_) / fmt::format("{:06d}.h5", step)).string(), part = file + ".part";
  try {
    on_root(comm, [&] {
      detail::make_folder_of(file);
      detail::reserve(part, most_bytes(content));
      make_file(part, content);
      detail::reserve(part, fs::file_size(part));
    });
    fill_file(part, content);
    on_root(comm, [&] {
      SnapshotInfo info = read_snapshot(part, true);
      detail::rename(part, file);
      info.file = file;
      if (resume_ && written_.empty()) add_earlier(step);
      written_[step] = std::move(info);
      std::vector<std::string> superfluous;
      while (keep_ > 0 && written_.size() > static_cast<std::size_t>(keep_)) {
        superfluous.push_back(written_.begin()->second.file);
        written_.erase(written_.begin());
      }
      std::string const series = (fs::path(folder_) / (case_name_ + ".xdmf")).string();
      detail::write_atomically(series, writers::xdmf(case_name_, layout.grid(), content.region, written_));
      for (auto const& old : superfluous) fs::remove(old);
    });
  } catch (std::exception const& error) {
    if (comm.root()) std::remove(part.c_str());
    bool const named = std::string(error.what()).find(folder_) == 0;
    throw core::RunError(named ? error.what() : file + ": cannot be written: " + error.what());
  }
  return file;
}

}  // namespace tessera::io
