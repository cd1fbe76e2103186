// SPDX-License-Identifier: Apache-2.0
// Fields of OpenFOAM as a format that `tessera convert` reads and writes: rows of cells on one rank.
#include "io/foam/rows.hpp"

#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/part_file.hpp"
#include "io/files/values.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/poly_mesh_files.hpp"
#include "io/foam/poly_mesh_reader.hpp"
#include "io/foam/turned_block.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace tessera::io::foam {
namespace fs = std::filesystem;

namespace {

/// The time [s] that a directory's name says.
std::optional<double> time_of(std::string const& name) {
  double value = 0;
  auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  bool const number = error == std::errc{} && end == name.data() + name.size() && std::isfinite(value);
  return number ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Mesh> mesh_beside(std::string const& field) {
  fs::path const folder = fs::absolute(field).parent_path().parent_path();
  std::error_code none;
  std::string const poly_mesh = (folder / "constant/polyMesh").string();
  bool const there = poly_mesh_there(poly_mesh);
  for (char const* name : {"system/gridDict", "constant/polyMesh/blockMeshDict", "system/blockMeshDict"}) {
    fs::path const file = folder / name;
    if (!fs::is_regular_file(file, none)) continue;
    bool const of_grid = std::string_view(name) == "system/gridDict";
    if (std::string const control = (folder / "system/controlDict").string();
        there && !of_grid && fs::is_regular_file(control, none) && asks_for_poly_mesh(core::Dictionary::read(control)))
      break;
    auto dictionary = core::Dictionary::read(file.string());
    return of_grid ? read_grid_dict(dictionary) : read_block_mesh(dictionary);
  }
  return there ? std::optional(read_poly_mesh(poly_mesh, core::Comm(MPI_COMM_SELF))) : std::nullopt;
}

std::string field_in(std::string const& path) {
  std::string const file = find_file(path);
  if (file.empty()) return {};
  std::string beginning(4096, '\0');
  try {
    auto const in = open_file(file);
    in->read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(in->gcount());
  } catch (core::Error const&) {  // packed, but damaged or without zlib
    return {};
  }
  auto const begin = beginning.find("FoamFile"), end = beginning.find('}', begin);
  if (end == std::string::npos) return {};
  try {
    auto const dictionary = core::Dictionary::parse(beginning.substr(begin, end + 1 - begin), file);
    auto const& header = dictionary.sub("FoamFile");
    if (header.get_or<std::string>("class", "") != "volScalarField") return {};
    fs::path const own = file.ends_with(".gz") ? fs::path(file).stem() : fs::path(file).filename();
    return header.get_or<std::string>("object", own.string());
  } catch (core::Error const&) {
    return {};
  }
}

std::map<std::string, std::string> fields_in(std::string const& folder) {
  std::map<std::string, std::string> fields;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file(none))
      if (auto const name = field_in(entry.path().string()); !name.empty()) fields[name] = entry.path().string();
  return fields;
}

std::string latest_fields(std::string const& directory) {
  std::string latest;
  double last = -std::numeric_limits<double>::infinity();
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(directory, none)) {
    auto const time = time_of(entry.path().filename().string());
    if (!time || *time < last || !entry.is_directory(none) || fields_in(entry.path().string()).empty()) continue;
    last = *time;
    latest = entry.path().string();
  }
  return latest;
}

namespace {

/// `NXxNYxNZ` or `NXxNY`.
core::Grid::Shape parse_cells(std::string const& file, std::string const& item) {
  core::Grid::Shape cells{1, 1, 1};
  char const *at = item.data(), *const end = at + item.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const [rest, error] = std::from_chars(at, end, cells[axis]);
    if (error != std::errc{} || cells[axis] < 1 || cells[axis] > most_cells_along || (axis == 0 && rest == end)) break;
    if (rest == end) return cells;
    if (*rest != 'x') break;
    at = rest + 1;
  }
  throw core::Error(file, 0, fmt::format("found '{}', expected the numbers of cells as in {}:512x512x1", item, file));
}

/// The internal field of a volScalarField as rows of double, from the bottom. The numbers of cells come from the mesh of
/// the case that the file lies in, or stand behind the file's name: 0/T:512x512x1. Memory: a row, but the whole field
/// where the mesh has several blocks, whose cells follow each other block by block.
class Rows final : public RowSource {
 public:
  Rows(std::string const& file, std::string const& item) : file_(read_field(file, core::Comm(MPI_COMM_SELF))) {
    std::vector<CellBlock> blocks;
    if (!item.empty()) {
      cells_ = parse_cells(file, item);
    } else if (auto const mesh = mesh_beside(file)) {
      cells_ = mesh->grid.cells();
      blocks = mesh->blocks;
    } else {
      throw core::Error(file, 0,
                        "lies beside no system/gridDict, blockMeshDict or constant/polyMesh, expected the cells as in "
                        "FILE:512x512x1");
    }
    auto const count = file_.announced();
    // as numbers of double: the product of three sides may pass 2^63
    double wanted = static_cast<double>(cells_[0]) * static_cast<double>(cells_[1]) * static_cast<double>(cells_[2]);
    if (!blocks.empty()) wanted = 0;
    for (auto const& block : blocks) wanted += static_cast<double>(block.cells());
    if (count && static_cast<double>(*count) != wanted)
      throw core::Error(fmt::format("{}: internalField has {} values, expected {} for {} x {} x {} cells",
                                    file_.location("internalField"), *count, wanted, cells_[0], cells_[1], cells_[2]));
    if (!file_.uniform) open(*count, blocks);
  }

  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::float64; }
  std::string name() const override { return file_.path; }

  void next(core::Count rows, std::span<std::byte> values) override {
    std::size_t const count = static_cast<std::size_t>(rows * cells_[0]);
    std::span<double> const numbers(reinterpret_cast<double*>(values.data()), count);
    if (file_.uniform) {
      std::fill(numbers.begin(), numbers.end(), *file_.uniform);
    } else if (!whole_.empty()) {
      std::copy_n(whole_.begin() + static_cast<std::ptrdiff_t>(at_), count, numbers.begin());
      at_ += count;
    } else {
      list_->next(rows, values);
    }
  }

 private:
  void open(std::int64_t count, std::vector<CellBlock> const& blocks) {
    auto const* const span = file_.list ? nullptr : file_.dictionary.list_span("internalField");
    // a value takes two characters or eight bytes
    std::error_code unknown;
    auto const size = static_cast<double>(fs::file_size(file_.path, unknown));
    bool const packed = file_.list && file_.list->path.ends_with(".gz");
    if (!unknown && !packed &&
        static_cast<double>(count) * (file_.list && file_.list->binary ? file_.list->bytes : 1) > size)
      throw core::Error(
          file_.path, 0,
          fmt::format("{} bytes cannot hold the {} values of internalField; the file is truncated", size, count));
    if (span != nullptr)
      list_ = std::make_unique<ListRows>(std::make_unique<std::istringstream>(std::string(span->data()) + ")"),
                                         ListPlace{span->file, span->line, 0, count, span->binary, span->scalar_bytes});
    else
      list_ = open_list(*file_.list);
    core::Box const all{{0, 0, 0}, {cells_[0], cells_[1], cells_[2]}};
    if (blocks.empty() || (blocks.size() == 1 && blocks[0].straight())) return list_->begin(all);
    whole_.resize(static_cast<std::size_t>(all.cells()));  // 0 in cells that do not exist
    for (auto const& block : blocks) {
      std::vector<double> const rows = block.straight() ? std::vector<double>() : read_turned(*list_, block);
      std::size_t from = 0;
      if (rows.empty()) list_->begin(block);
      for (core::Count k = block.lo.k; k < block.hi.k; ++k)
        for (core::Count j = block.lo.j; j < block.hi.j; ++j) {
          auto const first = static_cast<std::size_t>((k * cells_[1] + j) * cells_[0] + block.lo.i);
          auto const length = static_cast<std::size_t>(block.hi.i - block.lo.i);
          if (rows.empty()) {
            list_->next(1, std::as_writable_bytes(std::span(whole_).subspan(first, length)));
          } else {
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from), length,
                        whole_.begin() + static_cast<std::ptrdiff_t>(first));
            from += length;
          }
        }
    }
  }

  FieldFile file_;
  core::Grid::Shape cells_{};
  std::unique_ptr<ListRows> list_;
  std::vector<double> whole_;
  std::size_t at_ = 0;
};

class FoamReader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {"volscalarfield"}; }
  bool knows(std::span<std::byte const> beginning) const override {
    std::string_view const text(reinterpret_cast<char const*>(beginning.data()), beginning.size());
    // the banner is longer than what is shown of the file
    return text.starts_with("FoamFile") ||
           (text.starts_with("/*") && (text.find("FoamFile") != text.npos || text.find("C++") != text.npos));
  }
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    return std::make_unique<Rows>(file, item);
  }
};

/// A volScalarField without dimensions, zeroGradient on all patches, in the order of the cells of one block, or of the
/// blocks of the case's mesh (then the field is held). Every type goes that double holds; nan and inf do not.
class Sink final : public RowSink {
 public:
  Sink(std::string const& file, RowFormat const& format)
      : name_(file),
        format_(format),
        row_(cells_in_row()),
        out_(file) {
    auto const& n = format.cells;
    if (auto const mesh = mesh_beside(file)) {
      if (mesh->grid.cells() != n)
        throw core::Error(file, 0,
                          fmt::format("is to hold {} x {} x {} cells, but the mesh of its case has {} x {} x {}", n[0],
                                      n[1], n[2], mesh->grid.cells()[0], mesh->grid.cells()[1], mesh->grid.cells()[2]));
      if (mesh->blocks.size() > 1 || !mesh->blocks[0].straight()) blocks_ = mesh->blocks;
    }
    core::Count count = blocks_.empty() ? n[0] * n[1] * n[2] : 0;
    for (auto const& block : blocks_) count += block.cells();
    std::string const object = fs::path(file).stem().string();
    out_.write(fmt::format(
        "FoamFile\n{{\n    version     2.0;\n    format      {};\n{}    class       volScalarField;\n    location    "
        "\"{}\";\n    object      {};\n}}\n\ndimensions      [0 0 0 0 0 0 0];\n\ninternalField   nonuniform "
        "List<scalar> \n{}\n({}",
        format.binary ? "binary" : "ascii", format.binary ? "    arch        \"LSB;label=32;scalar=64\";\n" : "",
        fs::absolute(file).parent_path().filename().string(), object, count, format.binary ? "" : "\n"));
  }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = row_.size() * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r) {
      detail::exactly<double>(format_.element, values.subspan(static_cast<std::size_t>(r) * bytes, bytes), row_, name_);
      for (double const value : row_)
        if (!std::isfinite(value))
          throw core::Error(name_, 0, fmt::format("cannot hold the value {}, expected finite numbers", value));
      if (blocks_.empty())
        put(row_);
      else
        whole_.insert(whole_.end(), row_.begin(), row_.end());
    }
  }

  void finish() override {
    for (auto const& block : blocks_) {
      std::vector<double> rows;
      for (core::Count k = block.lo.k; k < block.hi.k; ++k)
        for (core::Count j = block.lo.j; j < block.hi.j; ++j) {
          auto const first = whole_.begin() + (k * format_.cells[1] + j) * format_.cells[0] + block.lo.i;
          rows.insert(rows.end(), first, first + (block.hi.i - block.lo.i));
        }
      auto const own = in_own_order(std::as_bytes(std::span<double const>(rows)), block, sizeof(double));
      std::memcpy(rows.data(), own.data(), own.size());
      put(std::span(rows).first(static_cast<std::size_t>(block.cells())));
    }
    out_.write(")\n;\n\nboundaryField\n{\n    \".*\"\n    {\n        type            zeroGradient;\n    }\n}\n");
    out_.finish();
  }

 private:
  std::size_t cells_in_row() const { return static_cast<std::size_t>(format_.cells[0]); }
  void put(std::span<double const> numbers) {
    if (format_.binary) return out_.write({reinterpret_cast<char const*>(numbers.data()), numbers.size_bytes()});
    text_.clear();
    for (double const value : numbers) fmt::format_to(std::back_inserter(text_), "{:.17g}\n", value);
    out_.write({text_.data(), text_.size()});
  }

  std::string name_;
  RowFormat format_;
  std::vector<double> row_, whole_;
  std::vector<CellBlock> blocks_;
  fmt::memory_buffer text_;
  detail::PartFile out_;
};

class FoamWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"volscalarfield"}; }
  bool has_binary() const override { return true; }
  /// CASE/TIME/NAME
  bool takes(std::string const& path) const override {
    return time_of(fs::absolute(path).parent_path().filename().string()) && !fs::path(path).has_extension();
  }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Sink>(file, format);
  }
};

[[maybe_unused]] bool const reader =
    Readers::add<FoamReader>("openfoam", "volScalarField of OpenFOAM, CASE/0/T or FILE:512x512x1, ascii or binary");
[[maybe_unused]] bool const writer =
    Writers::add<FoamWriter>("openfoam", "volScalarField of OpenFOAM, CASE/0/NAME, ascii or binary");

}  // namespace
}  // namespace tessera::io::foam
