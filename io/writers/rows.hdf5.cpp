// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/detail/atomic.hpp"
#include "io/detail/file.hdf5.hpp"
#include "io/detail/values.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

using hdf5::Handle;

/// A file like a snapshot (`SnapshotSeries`) with one field on a grid of unit cells at step 0, written by one process.
/// Takes rows in either order. Nothing but the rows handed over is held.
class Rows final : public RowSink {
 public:
  Rows(std::string const& file, RowFormat const& format) : name_(file), part_(file + ".part"), format_(format) {
    detail::make_folder_of(file);
    auto const& n = format.cells;
    detail::reserve(part_, static_cast<std::uint64_t>(n[0] * n[1] * n[2]) * size_of(format.element) + 16384);
    hdf5::Quiet const quiet;
    file_ = Handle(H5Fcreate(part_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    attempt([&] {
      hdf5::checked(hid_t{file_}, "the file cannot be made");
      Handle const fields = hdf5::make_group(file_, "fields");
      dataset_ = hdf5::make_field(fields, {format.name, "converted", "1"}, format.element, format.cells, "");
      space_ = Handle(H5Dget_space(dataset_), H5Sclose);
      auto const grid = core::Grid::unit(format.cells, format.cells);
      hdf5::write_grid(file_, grid, grid.box());
      hdf5::write_state(file_, 0, 0.0, {});
    });
  }
  ~Rows() override {
    if (!finished_) std::remove(part_.c_str());
  }

  bool top_down() const override { return format_.top_down; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    hdf5::Quiet const quiet;
    std::size_t const row = static_cast<std::size_t>(format_.cells[0]) * size_of(format_.element);
    for (core::Count r = 0; r < rows;) {
      core::Count const layer = next_ / format_.cells[1], in_layer = next_ % format_.cells[1];
      // downwards each row goes to its place from the top, upwards as many as the layer has room for
      core::Count const n = format_.top_down ? 1 : std::min(rows - r, format_.cells[1] - in_layer);
      core::Count const first = format_.top_down ? format_.cells[1] - 1 - in_layer : in_layer;
      auto const part = values.subspan(static_cast<std::size_t>(r) * row, static_cast<std::size_t>(n) * row);
      attempt([&] { write(layer, first, n, part); });
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
    attempt([&] {
      hdf5::write_attribute(dataset_, "hash", checksum_.digits());
      dataset_.close();
      hdf5::checked(file_.close() ? 0 : -1, "the file cannot be closed");
    });
    detail::rename(part_, name_);
    finished_ = true;
  }

 private:
  void write(core::Count layer, core::Count first, core::Count rows, std::span<std::byte const> values) {
    std::array<hsize_t, 3> const start{static_cast<hsize_t>(layer), static_cast<hsize_t>(first), 0};
    std::array<hsize_t, 3> const count{1, static_cast<hsize_t>(rows), static_cast<hsize_t>(format_.cells[0])};
    H5Sselect_hyperslab(space_, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    Handle const memory(H5Screate_simple(3, count.data(), nullptr), H5Sclose);
    hdf5::checked(H5Dwrite(dataset_, hdf5::memory_type(format_.element), memory, space_, H5P_DEFAULT, values.data()),
                  "rows cannot be written");
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
  Handle file_, dataset_, space_;
  core::Count next_ = 0;
  bool finished_ = false;
  detail::Checksum checksum_;
};

class Hdf5Writer final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"h5"}; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Rows>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<Hdf5Writer>("hdf5", "HDF5 file with /fields/NAME, as results are written");

}  // namespace
}  // namespace tessera::io::writers
