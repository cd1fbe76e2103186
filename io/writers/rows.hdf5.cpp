// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/atomic.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file.hdf5.hpp"
#include "io/files/values.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace tessera::io::writers {
namespace {

using hdf5::Handle;
// values lie in the file as hdf5::file_type says
static_assert(std::endian::native == std::endian::little);

/// A file like a snapshot (`SnapshotSeries`) with one field at step 0, on a grid of unit cells where its format says nothing else, written
/// by one process.
/// Takes rows in either order. Nothing but the rows handed over is held.
///
/// HDF5 makes the file and, at the end, writes the hash to the place set aside for it; the rows go past it: a file in which
/// one of its writes has failed it can neither close nor, at the end of the program, forget.
class Rows final : public RowSink {
 public:
  Rows(std::string const& file, RowFormat const& format) : name_(file), part_(file + ".part"), format_(format) {
    detail::make_folder_of(file);
    auto const& n = format.cells;
    detail::reserve_anew(part_, static_cast<std::uint64_t>(n[0] * n[1] * n[2]) * size_of(format.element) + 16384);
    hdf5::Quiet const quiet;
    attempt([&] {
      Handle file(H5Fcreate(part_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
      hdf5::checked(hid_t{file}, "the file cannot be made");
      Handle fields = hdf5::make_group(file, "fields");
      Handle dataset =
          hdf5::make_field(fields, about(format), format.element, format.cells, detail::Checksum::digits(0));
      haddr_t const place = H5Dget_offset(dataset);
      hdf5::checked(place == HADDR_UNDEF ? -1 : 0, "the rows have no place in the file");
      place_ = place;
      core::Grid const grid({axis(format, 0), axis(format, 1), axis(format, 2)}, format.cells);
      hdf5::write_grid(file, grid, grid.box());
      hdf5::write_state(file, 0, 0.0, {});
      dataset.close();
      fields.close();
      hdf5::checked(file.close() ? 0 : -1, "the file cannot be closed");
    });
    detail::reserve(part_, std::filesystem::file_size(part_));
    out_.emplace(part_, O_WRONLY);
    if (!out_->ok()) fail();
  }
  ~Rows() override {
    if (!finished_) std::remove(part_.c_str());
  }

  bool top_down() const override { return format_.top_down; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const row = static_cast<std::size_t>(format_.cells[0]) * size_of(format_.element);
    for (core::Count r = 0; r < rows;) {
      core::Count const layer = next_ / format_.cells[1], in_layer = next_ % format_.cells[1];
      // downwards each row goes to its place from the top, upwards as many as the layer has room for
      core::Count const n = format_.top_down ? 1 : std::min(rows - r, format_.cells[1] - in_layer);
      core::Count const first = format_.top_down ? format_.cells[1] - 1 - in_layer : in_layer;
      auto const part = values.subspan(static_cast<std::size_t>(r) * row, static_cast<std::size_t>(n) * row);
      auto const row_number = static_cast<std::uint64_t>(layer * format_.cells[1] + first);
      if (!out_->write(place_ + row_number * row, part)) fail();
      detail::with_type(format_.element, [&]<class T>(std::type_identity<T>) {
        checksum_.add((layer * format_.cells[1] + first) * format_.cells[0],
                      std::span(reinterpret_cast<T const*>(part.data()), part.size() / sizeof(T)));
      });
      r += n;
      next_ += n;
    }
  }

  void finish() override {
    hdf5::Quiet const quiet;
    core::expect(next_ == format_.cells[1] * format_.cells[2], "all rows were handed over");
    if (!out_->close()) fail();
    attempt([&] {
      Handle file(H5Fopen(part_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      hdf5::checked(hid_t{file}, "the file cannot be opened again");
      Handle dataset(H5Dopen2(file, ("/fields/" + format_.name).c_str(), H5P_DEFAULT), H5Dclose);
      hdf5::checked(hid_t{dataset}, "the rows cannot be found again");
      hdf5::rewrite_attribute(dataset, "hash", checksum_.digits());
      dataset.close();
      hdf5::checked(file.close() ? 0 : -1, "the file cannot be closed");
    });
    detail::rename(part_, name_);
    finished_ = true;
  }

 private:
  static core::FieldInfo about(RowFormat const& format) {
    auto info = format.about;
    info.name = format.name;
    return info;
  }
  static core::Axis axis(RowFormat const& format, std::size_t a) {
    if (!format.faces[a].empty()) return core::Axis(format.faces[a]);
    Placement const place = format.placement.value_or(Placement{});
    auto const cells = format.cells[a];
    return core::Axis::make_uniform(cells, place.origin[a], place.spacing[a] * static_cast<double>(cells));
  }
  [[noreturn]] void fail() const {
    throw core::RunError(fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
  }
  template <class F>
  void attempt(F const& f) const {
    try {
      f();
    } catch (core::RunError const& error) {
      throw core::RunError(name_ + ": " + error.what());
    }
  }

  std::string name_, part_;
  RowFormat format_;
  std::uint64_t place_ = 0;  ///< of the first value
  std::optional<detail::Descriptor> out_;
  core::Count next_ = 0;
  bool finished_ = false;
  detail::Checksum checksum_;
};

class Hdf5Writer final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"h5"}; }
  bool has_place() const override { return true; }
  bool has_details() const override { return true; }
  bool has_name() const override { return true; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Rows>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<Hdf5Writer>("hdf5", "HDF5 file with /fields/NAME, as results are written");

}  // namespace
}  // namespace tessera::io::writers
