// SPDX-License-Identifier: Apache-2.0
#include "io/foam/time_directory.hpp"

#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/part_file.hpp"
#include "io/files/together.hpp"
#include "io/foam/turned_block.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <span>

namespace tessera::io::foam {
namespace {

/// An element of so many numbers: `v` or `(x y z)`.
template <class Out>
void put_element(Out out, double const* numbers, std::size_t parts, int precision) {
  for (std::size_t p = 0; p < parts; ++p)
    fmt::format_to(out, "{}{:.{}g}", p > 0 ? " " : parts > 1 ? "(" : "", numbers[p], precision);
  if (parts > 1) fmt::format_to(out, ")");
}

char const* type_of(std::size_t parts) { return parts == 1 ? "scalar" : "vector"; }

/// `nonuniform List<scalar> N (...)` of values that are few, or `List<vector>`, whose parts follow each other.
std::string list_text(std::vector<double> const& values, FieldFormat const& format, std::size_t parts = 1) {
  std::string text = fmt::format("nonuniform List<{}> \n{}\n(", type_of(parts), values.size() / parts);
  if (format.binary) {
    text.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(double));
  } else {
    text += '\n';
    for (std::size_t n = 0; n < values.size(); n += parts) {
      put_element(std::back_inserter(text), values.data() + n, parts, format.precision);
      text += '\n';
    }
  }
  return text + ")";
}

std::string value_text(core::Dictionary const& entry, std::string const& key, FieldFormat const& format) {
  if (auto const* span = entry.list_span(key)) return " " + list_text(span->numbers(), format);
  std::string text;
  for (auto const& token : entry.tokens(key)) {
    if (token.dictionary)
      text += " { " + token.dictionary->text() + " }";
    else
      text += token.kind == core::Token::Kind::string ? " \"" + token.text + "\"" : " " + token.text;
  }
  return text;
}

/// Writes one field file as its rows arrive; removes it unless it is finished. Values have `parts` numbers.
class FieldSink final : public RowSink {
 public:
  FieldSink(std::string const& file, std::string const& head, std::string tail, FieldFormat format, std::size_t parts)
      : parts_(parts),
        out_(file + (format.packed ? ".gz" : ""), true),
        other_(file + (format.packed ? "" : ".gz")),
        tail_(std::move(tail)),
        format_(format) {
    if (format.packed) packer_ = Compressions::make("gzip")->packer();
    put(head);
  }

  void next(core::Count, std::span<std::byte const> values) override {
    if (format_.binary) return put({reinterpret_cast<char const*>(values.data()), values.size()});
    text_.clear();
    std::array<double, 3> numbers{};
    std::size_t const bytes = parts_ * sizeof(double);
    for (std::size_t at = 0; at < values.size(); at += bytes) {
      std::memcpy(numbers.data(), values.data() + at, bytes);
      put_element(std::back_inserter(text_), numbers.data(), parts_, format_.precision);
      text_.push_back('\n');
    }
    put({text_.data(), text_.size()});
  }

  void finish() override {
    put(tail_, true);
    out_.finish();
    std::error_code none;  // an older file of the other kind would go before this one, or be left behind
    std::filesystem::remove(other_, none);
  }

 private:
  void put(std::string_view text, bool last = false) { out_.write(packer_ ? packer_->pack(text, last) : text); }

  std::size_t parts_;
  detail::PartFile out_;
  std::string other_;
  std::unique_ptr<Compression::Packer> packer_;
  std::string tail_;
  FieldFormat format_;
  fmt::memory_buffer text_;
};

/// Begins a file for `cells` values, on the root.
std::unique_ptr<FieldSink> open_sink(std::string const& folder, std::string const& name, core::Count cells,
                                     Dimensions const& dimensions, std::string const& boundary,
                                     FieldFormat const& format, std::size_t parts) {
  std::string const arch = format.binary ? "    arch        \"LSB;label=32;scalar=64\";\n" : "";
  std::string const head = fmt::format(
      "FoamFile\n{{\n    version     2.0;\n    format      {};\n{}    class       vol{}Field;\n    location    "
      "\"{}\";\n"
      "    object      {};\n}}\n\ndimensions      {};\n\ninternalField   nonuniform List<{}> \n{}\n({}",
      format.binary ? "binary" : "ascii", arch, parts == 1 ? "Scalar" : "Vector",
      std::filesystem::path(folder).filename().string(), name, to_string(dimensions), type_of(parts), cells,
      format.binary ? "" : "\n");
  return std::make_unique<FieldSink>(folder + "/" + name, head, ")\n;\n\nboundaryField\n{\n" + boundary + "}\n", format,
                                     parts);
}

core::Count cells_of(std::vector<CellBlock> const& blocks) {
  core::Count cells = 0;
  for (auto const& block : blocks) cells += block.cells();
  return cells;
}

/// The parts of a block that follow each other and need not be held as a whole: some rows each; itself where it does not lie
/// straight.
std::vector<CellBlock> slices(CellBlock const& block) {
  if (!block.straight()) return {block};
  constexpr core::Count most = core::Count{1} << 16;
  core::Count const rows = std::max<core::Count>(1, most / block.shape().i);
  std::vector<CellBlock> parts;
  for (core::Count k = block.lo.k; k < block.hi.k; ++k)
    for (core::Count j = block.lo.j; j < block.hi.j; j += rows)
      parts.emplace_back(core::Box{{block.lo.i, j, k}, {block.hi.i, std::min(j + rows, block.hi.j), k + 1}});
  return parts;
}

/// What arrives, as numbers.
class HeldNumbers final : public RowSink {
 public:
  void next(core::Count, std::span<std::byte const> values) override {
    std::size_t const before = numbers.size();
    numbers.resize(before + values.size() / sizeof(double));
    std::memcpy(numbers.data() + before, values.data(), values.size());
  }
  void finish() override {}
  std::vector<double> numbers;
};

}  // namespace

std::string values_text(std::vector<double> const& values, FieldFormat const& format, std::size_t parts) {
  bool uniform = !values.empty();
  for (std::size_t n = 0; n < values.size() && uniform; ++n) uniform = values[n] == values[n % parts];
  if (!uniform) return list_text(values, format, parts);
  std::string text = "uniform ";
  put_element(std::back_inserter(text), values.data(), parts, format.precision);
  return text;
}

std::string boundary_text(FieldFile& file, Mesh const& mesh, FieldFormat const& format,
                          std::function<bool(Patch const&)> const& without_value) {
  std::string text;
  for (auto const& patch : mesh.patches) {
    text += "    " + patch.name + "\n    {\n";
    if (core::Dictionary const* const entry = patch_entry(file, patch)) {
      auto const type = entry->get_or<std::string>("type", "");
      bool const follows = type == "zeroGradient" || (without_value && without_value(patch));
      for (auto const& key : entry->keys())
        if (follows && key == "value")
          continue;  // that of the cells, or of the time, whatever it was
        else if (entry->is_dictionary(key))
          text += "        " + key + "\n        {\n" + entry->sub(key).text() + "        }\n";
        else
          text += fmt::format("        {:<15}{};\n", key, value_text(*entry, key, format));
    } else {
      text += "        type            empty;\n";
    }
    text += "    }\n";
  }
  return text;
}

std::string plain_boundary(Mesh const& mesh, std::string const& type) {
  std::string text;
  for (auto const& patch : mesh.patches) {
    bool const free = patch.type == "patch" || patch.type == "wall";
    text += fmt::format("    {}\n    {{\n        type            {};\n{}    }}\n", patch.name, free ? type : patch.type,
                        free && type == "calculated" ? "        value           uniform 0;\n" : "");
  }
  return text;
}

void write_time(std::string const& folder, double time, std::string const& name, long step, double delta_t,
                double delta_t0) {
  core::write_file(
      folder + "/uniform/time",
      fmt::format(
          "FoamFile\n{{\n    version     2.0;\n    format      ascii;\n    class       dictionary;\n    location    "
          "\"{}/uniform\";\n    object      time;\n}}\n\nvalue           {:.17g};\n\nname            \"{}\";\n\nindex  "
          "         {};\n\ndeltaT          {:.17g};\n\ndeltaT0         {:.17g};\n",
          name, time, name, step, delta_t, delta_t0),
      true);
}

void write_field(std::string const& folder, core::Field<double> const& field, Dimensions const& dimensions,
                 std::string const& boundary, FieldFormat const& format, std::vector<CellBlock> blocks,
                 std::string name) {
  if (name.empty()) name = field.name();
  std::unique_ptr<FieldSink> sink;
  if (blocks.empty()) blocks = {field.layout().grid().box()};
  on_root(field.layout().comm(),
          [&] { sink = open_sink(folder, name, cells_of(blocks), dimensions, boundary, format, 1); });
  for (auto const& block : blocks) gather_block(field, block, sink.get());
  finish(field.layout().comm(), sink.get());
}

void write_vector_field(std::string const& folder, std::array<core::Field<double> const*, 3> const& field,
                        Dimensions const& dimensions, std::string const& boundary, FieldFormat const& format,
                        std::vector<CellBlock> const& blocks, std::string const& name) {
  core::Comm const& comm = field[0]->layout().comm();
  std::unique_ptr<FieldSink> sink;
  on_root(comm, [&] { sink = open_sink(folder, name, cells_of(blocks), dimensions, boundary, format, 3); });
  for (auto const& block : blocks)
    for (auto const& slice : slices(block)) {
      std::array<HeldNumbers, 3> parts;
      for (std::size_t p = 0; p < 3; ++p) gather_block(*field[p], slice, comm.root() ? &parts[p] : nullptr);
      on_root(comm, [&] {
        std::vector<double> all;
        for (std::size_t n = 0; n < parts[0].numbers.size(); ++n)
          for (auto const& part : parts) all.push_back(part.numbers[n]);
        sink->next(1, std::as_bytes(std::span<double const>(all)));
      });
    }
  finish(comm, sink.get());
}

std::vector<std::pair<double, std::string>> time_directories(std::string const& folder, std::string const& field) {
  std::vector<std::pair<double, std::string>> found;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(folder, none)) {
    std::string const name = entry.path().filename().string();
    double time = 0;
    auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), time);
    bool const number = error == std::errc{} && end == name.data() + name.size() && std::isfinite(time);
    if (number && !find_file((entry.path() / field).string()).empty()) found.emplace_back(time, name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void remove_fields(std::string const& folder, std::vector<std::string> const& fields) {
  namespace fs = std::filesystem;
  std::error_code none;
  for (auto const& field : fields)
    for (auto const& file : {field, field + ".gz"}) fs::remove(fs::path(folder) / file, none);
  for (auto const& field : fields)  // of a region
    if (auto const own = fs::path(field).parent_path(); !own.empty()) fs::remove(fs::path(folder) / own, none);
  fs::remove(fs::path(folder) / "uniform" / "time", none);
  fs::remove(fs::path(folder) / functions_properties, none);
  // these fail, as they should, where something else is in them
  fs::remove((fs::path(folder) / functions_properties).parent_path(), none);
  fs::remove(fs::path(folder) / "uniform", none);
  fs::remove(folder, none);
}

}  // namespace tessera::io::foam
