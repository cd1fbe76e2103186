// SPDX-License-Identifier: Apache-2.0
#include "io/snapshot.hpp"

#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "core/times.hpp"
#include "core/version.hpp"
#include "io/files/atomic.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file.hdf5.hpp"
#include "io/files/together.hpp"
#include "io/files/values.hpp"
#include "io/rows.hpp"
#include "io/writers/xdmf.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <tuple>

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
};

/// Stands in the file for a hash until the values are written.
std::string const no_hash(16, '0');

/// Bytes on their way to places of a file: what follows on what came before is put together, so that the file system sees
/// few and large writes. Independent of other ranks.
class Placed {
 public:
  explicit Placed(detail::Descriptor const& file) : file_(file) { buffer_.reserve(most); }
  void put(std::uint64_t at, std::span<std::byte const> bytes) {
    if (at != begin_ + buffer_.size() || buffer_.size() + bytes.size() > most) {
      flush();
      begin_ = at;
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    if (!file_.write(begin_, buffer_))
      throw core::RunError(std::string("tiles cannot be written: ") + std::strerror(errno));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t most = std::size_t{4} << 20;
  detail::Descriptor const& file_;
  std::uint64_t begin_ = 0;
  std::vector<std::byte> buffer_;
};

/// Writes this rank's tiles to the place of their dataset, neighbours along x together. Slots are in the order of tile
/// numbers, x fastest. Returns the sum of this rank's cells in the hash: a row is hashed on its way, while it is in cache.
std::uint64_t write_tiles(core::FieldBase const& field, Box const& region, std::uint64_t place,
                          detail::Descriptor const& file) {
  // values lie in the file as hdf5::file_type says
  static_assert(std::endian::native == std::endian::little);
  core::Layout const& layout = field.layout();
  auto const size = region.shape();
  detail::Checksum checksum;
  core::visit(field, [&]<class T>(core::Field<T> const& f) {
    core::RowReader rows_of(f);
    Placed out(file);
    auto const box = [&](int slot) { return layout.grid().tile_box(layout.info(slot).tile); };
    for (int first = 0, last; first < layout.tiles(); first = last) {
      Box const begin = box(first);
      for (last = first + 1; last < layout.tiles(); ++last)
        if (auto const next = box(last); next.lo.j != begin.lo.j || next.lo.k != begin.lo.k) break;
      Box const rows =
          core::intersect(begin, {{begin.lo.i, region.lo.j, region.lo.k}, {begin.hi.i, region.hi.j, region.hi.k}});
      for (core::Count k = rows.lo.k; k < rows.hi.k; ++k)
        for (core::Count j = rows.lo.j; j < rows.hi.j; ++j)
          for (int slot = first; slot < last; ++slot) {
            Box const tile = box(slot), piece = core::intersect(tile, region);
            if (piece.empty()) continue;
            T const* const row = rows_of.row(slot, static_cast<int>(k - tile.lo.k), static_cast<int>(j - tile.lo.j));
            core::Count const cell = ((k - region.lo.k) * size.j + j - region.lo.j) * size.i + piece.lo.i - region.lo.i;
            std::span const values(row + (piece.lo.i - tile.lo.i), static_cast<std::size_t>(piece.hi.i - piece.lo.i));
            checksum.add(cell, values);
            out.put(place + static_cast<std::uint64_t>(cell) * sizeof(T), std::as_bytes(values));
          }
    }
    out.flush();
  });
  return checksum.sum();
}

/// More bytes than the file will have.
std::uint64_t most_bytes(Content const& content) {
  std::uint64_t total = 1 << 16;
  for (auto const& axis : {0, 1, 2}) total += content.layout.grid().axis(axis).cells() * sizeof(double);
  for (auto const* texts : {&content.provenance, &content.state})
    for (auto const& [name, text] : *texts) total += name.size() + text.size() + 1024;
  for (auto const* field : content.fields)
    total += static_cast<std::uint64_t>(content.region.cells()) * size_of(field->element()) +
             field->info().description.size() + alignment + 4096;
  return total;
}

/// Everything but the values of the fields and their hashes. One rank: so no metadata is in flight when all ranks
/// write, and a file that fills the disk fails here and not in the middle of a parallel close, which HDF5 does not
/// survive.
/// Returns where the values of each field begin in the file.
std::vector<std::int64_t> make_file(std::string const& path, Content const& content) {
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
  std::vector<std::int64_t> places;
  for (std::size_t n = 0; n < content.fields.size(); ++n) {
    Handle const dataset = hdf5::make_field(fields, content.fields[n]->info(), content.fields[n]->element(),
                                            {shape.i, shape.j, shape.k}, no_hash);
    haddr_t const place = H5Dget_offset(dataset);
    hdf5::checked(place == HADDR_UNDEF ? -1 : 0, "a field has no place in the file");
    places.push_back(static_cast<std::int64_t>(place));
  }
  fields.close();
  provenance.close();
  hdf5::checked(file.close() ? 0 : -1, "the file cannot be closed");
  return places;
}

/// The values: all ranks open the file and write their tiles where the datasets lie, past HDF5, which would write each row
/// of each tile by a call of its own, and past MPI's files, which know no names of more than some 240 characters. At the end
/// each rank's part is on the disk. Returns the hash of each field.
std::vector<std::string> fill_file(std::string const& path, Content const& content, core::Bytes places) {
  core::Comm const& comm = content.layout.comm();
  comm.broadcast(places);
  std::vector<std::int64_t> sums(content.fields.size());
  on_all(comm, [&] {
    detail::Descriptor file(path, O_WRONLY | O_NOFOLLOW);
    if (!file.ok())
      throw core::RunError(std::string("the file cannot be opened by all ranks: ") + std::strerror(errno));
    core::ByteReader in(places);
    for (std::size_t n = 0; n < sums.size(); ++n)
      sums[n] = static_cast<std::int64_t>(
          write_tiles(*content.fields[n], content.region, static_cast<std::uint64_t>(in.take<std::int64_t>()), file));
    if (!file.sync() || !file.close())
      throw core::RunError(std::string("tiles cannot be written: ") + std::strerror(errno));
  });
  std::vector<std::string> hashes;
  for (auto const sum : sums) hashes.push_back(detail::Checksum::digits(static_cast<std::uint64_t>(comm.sum(sum))));
  return hashes;
}

/// The hashes to the places that make_file left for them. One rank.
void write_hashes(std::string const& path, Content const& content, std::vector<std::string> const& hashes) {
  hdf5::Quiet const quiet;
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  hdf5::checked(hid_t{file}, "the file cannot be opened again");
  for (std::size_t n = 0; n < hashes.size(); ++n) {
    Handle const dataset(H5Dopen2(file, ("/fields/" + content.fields[n]->name()).c_str(), H5P_DEFAULT), H5Dclose);
    hdf5::checked(hid_t{dataset}, "a field cannot be opened again");
    hdf5::rewrite_attribute(dataset, "hash", hashes[n]);
  }
  hdf5::checked(file.close() ? 0 : -1, "the file cannot be closed");
}

}  // namespace

std::map<std::int64_t, std::string> snapshots_in(std::string const& folder, std::string const& kind) {
  std::map<std::int64_t, std::string> result;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(folder, none)) {
    std::string const stem = entry.path().stem().string();
    bool const digits =
        stem.size() >= 6 && std::all_of(stem.begin(), stem.end(), [](unsigned char c) { return std::isdigit(c); });
    std::int64_t step = 0;
    bool const number = digits && std::from_chars(stem.data(), stem.data() + stem.size(), step).ec == std::errc();
    if (number && entry.path().extension() == kind) result[step] = entry.path().string();
  }
  return result;
}

std::string corner_text(core::Index const& corner) { return fmt::format("{} {}", corner.i, corner.j); }
std::optional<core::Index> corner_of(State const& state, std::string const& file) {
  auto const found = state.find("corner");
  if (found == state.end() || found->second.empty()) return std::nullopt;
  core::Index corner;
  std::istringstream words(found->second);
  if (!(words >> corner.i >> corner.j))
    throw core::Error(file, 0, fmt::format("has the corner '{}', expected two whole numbers", found->second));
  return corner;
}

std::string last_snapshot(std::string const& path) {
  std::tuple<std::int64_t, fs::file_time_type, std::string> last{-1, {}, ""};
  for (auto const& folder : {fs::path(path) / "results", fs::path(path)}) {
    for (char const* kind : {".h5", ".mc"})
      for (auto const& [step, file] : snapshots_in(folder.string(), kind))
        last = std::max(last, {step, fs::last_write_time(file), file});
    if (!std::get<2>(last).empty()) break;
  }
  return std::get<2>(last);
}

namespace {

bool is_ours(std::string const& file, std::int64_t step) try {
  auto const info = read_snapshot(file);
  return info.step == step && info.provenance.contains("system/controlDict");
} catch (core::Error const&) {  // damaged, or no snapshot at all
  return false;
}

/// By the lines in front of the squares: those of a snapshot name the hash of its cells.
bool is_our_tree(std::string const& file, std::int64_t step) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("[M2] (tessera ")) return false;
  bool of_step = false, hashed = false;
  while (std::getline(in, line) && line.starts_with('#')) {
    of_step = of_step || line == fmt::format("#G {}", step);
    hashed = hashed || line.starts_with("#C hash ");
  }
  return of_step && hashed;
}

}  // namespace

std::vector<std::string> snapshots_after(std::string const& folder, std::int64_t step) {
  std::vector<std::string> files;
  auto const add = [&](char const* kind, auto const& ours) {
    for (auto const& [later, file] : snapshots_in(folder, kind))
      if (later > step && fs::is_regular_file(fs::symlink_status(file)) && ours(file, later)) files.push_back(file);
  };
  add(".h5", is_ours);
  add(".mc", is_our_tree);
  return files;
}

SnapshotSeries::SnapshotSeries(std::string folder, std::string case_name, Box region, bool resume, int keep)
    : folder_(std::move(folder)),
      case_name_(std::move(case_name)),
      region_(region),
      resume_(resume),
      keep_(keep) {}

void SnapshotSeries::add_earlier(std::int64_t step) {
  for (auto const& [earlier, file] : snapshots_in(folder_)) try {
      if (earlier < step) written_[earlier] = read_snapshot(file);
    } catch (core::Error const&) {  // what is damaged is no part of the series
    }
}

/// Root. The series first, so that it names no file that is gone.
void SnapshotSeries::write_series(core::Grid const& grid, Box const& region) {
  std::vector<std::string> superfluous;
  while (keep_ > 0 && written_.size() > static_cast<std::size_t>(keep_)) {
    superfluous.push_back(written_.begin()->second.file);
    written_.erase(written_.begin());
  }
  std::string const series = (fs::path(folder_) / (case_name_ + ".xdmf")).string();
  std::string const text = writers::xdmf(case_name_, grid, region, written_);
  std::ifstream in(series, std::ios::binary);
  if (!in || std::string(std::istreambuf_iterator<char>(in), {}) != text) detail::write_atomically(series, text);
  for (auto const& old : superfluous) fs::remove(old);
}

void SnapshotSeries::go_on(core::Layout const& layout, std::int64_t step) {
  core::Timed const timed(core::Part::io);
  on_root(layout.comm(), [&] {
    add_earlier(step + 1);
    if (!written_.empty()) write_series(layout.grid(), region_.empty() ? layout.grid().box() : region_);
  });
}

std::string SnapshotSeries::write(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                                  Provenance const& provenance, State const& state) {
  core::Timed const timed(core::Part::io);
  core::expect(!fields.empty(), "a snapshot has at least one field");
  core::Layout const& layout = fields[0]->layout();
  core::Comm const& comm = layout.comm();
  Content content{fields, layout, region_.empty() ? layout.grid().box() : region_, step, time, provenance, state};
  core::expect(core::intersect(content.region, layout.grid().box()) == content.region,
               "the region to write lies in the grid");
  for (auto const* field : fields)
    core::expect(&field->layout() == &layout, "the fields of a snapshot have one layout");

  std::string const file = (fs::path(folder_) / fmt::format("{:06d}.h5", step)).string(), part = file + ".part";
  try {
    core::Bytes places;
    on_root(comm, [&] {
      detail::make_folder_of(file);
      detail::reserve_anew(part, most_bytes(content));
      auto const made = make_file(part, content);
      core::append(places, std::span<std::int64_t const>(made));
      detail::reserve(part, fs::file_size(part));
    });
    auto const hashes = fill_file(part, content, std::move(places));
    on_root(comm, [&] {
      write_hashes(part, content, hashes);
      SnapshotInfo info = read_snapshot(part, true);
      core::rename_synced(part, file);  // before older ones go
      info.file = file;
      if (resume_ && written_.empty()) add_earlier(step);
      written_[step] = std::move(info);
      write_series(layout.grid(), content.region);
    });
  } catch (std::exception const& error) {
    if (comm.root()) std::remove(part.c_str());
    bool const named = std::string(error.what()).find(folder_) == 0;
    throw core::RunError(named ? error.what() : file + ": cannot be written: " + error.what());
  }
  return file;
}

}  // namespace tessera::io
