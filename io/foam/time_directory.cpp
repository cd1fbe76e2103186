// SPDX-License-Identifier: Apache-2.0
#include "io/foam/time_directory.hpp"

#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/part_file.hpp"
#include "io/files/together.hpp"
#include "io/foam/turned_block.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace tessera::io::foam {
namespace {

/// `nonuniform List<scalar> N (...)` of values that are few.
std::string list_text(std::vector<double> const& values, FieldFormat const& format) {
  std::string text = fmt::format("nonuniform List<scalar> \n{}\n(", values.size());
  if (format.binary) {
    text.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(double));
  } else {
    text += '\n';
    for (double const value : values) fmt::format_to(std::back_inserter(text), "{:.{}g}\n", value, format.precision);
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

/// Writes one field file as its rows arrive; removes it unless it is finished.
class FieldSink final : public RowSink {
 public:
  FieldSink(std::string const& file, std::string const& head, std::string tail, FieldFormat format)
      : out_(file + (format.packed ? ".gz" : ""), true),
        other_(file + (format.packed ? "" : ".gz")),
        tail_(std::move(tail)),
        format_(format) {
    if (format.packed) packer_ = Compressions::make("gzip")->packer();
    put(head);
  }

  void next(core::Count, std::span<std::byte const> values) override {
    if (format_.binary) return put({reinterpret_cast<char const*>(values.data()), values.size()});
    text_.clear();
    for (std::size_t at = 0; at < values.size(); at += sizeof(double)) {
      double value;
      std::memcpy(&value, values.data() + at, sizeof value);
      fmt::format_to(std::back_inserter(text_), "{:.{}g}\n", value, format_.precision);
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

  detail::PartFile out_;
  std::string other_;
  std::unique_ptr<Compression::Packer> packer_;
  std::string tail_;
  FieldFormat format_;
  fmt::memory_buffer text_;
};

}  // namespace

std::string values_text(std::vector<double> const& values, FieldFormat const& format) {
  bool const uniform =
      !values.empty() && std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
  return uniform ? fmt::format("uniform {:.{}g}", values[0], format.precision) : list_text(values, format);
}

std::string boundary_text(FieldFile& file, Mesh const& mesh, FieldFormat const& format) {
  std::string text;
  for (auto const& patch : mesh.patches) {
    text += "    " + patch.name + "\n    {\n";
    if (core::Dictionary const* const entry = patch_entry(file, patch)) {
      bool const follows = entry->get_or<std::string>("type", "") == "zeroGradient";
      for (auto const& key : entry->keys())
        if (follows && key == "value")
          continue;  // that of the cells, whatever it was
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
  core::Count cells = 0;
  for (auto const& block : blocks) cells += block.cells();
  on_root(field.layout().comm(), [&] {
    std::string const arch = format.binary ? "    arch        \"LSB;label=32;scalar=64\";\n" : "";
    std::string const head = fmt::format(
        "FoamFile\n{{\n    version     2.0;\n    format      {};\n{}    class       volScalarField;\n    location    "
        "\"{}\";\n"
        "    object      {};\n}}\n\ndimensions      {};\n\ninternalField   nonuniform List<scalar> \n{}\n({}",
        format.binary ? "binary" : "ascii", arch, std::filesystem::path(folder).filename().string(), name,
        to_string(dimensions), cells, format.binary ? "" : "\n");
    sink =
        std::make_unique<FieldSink>(folder + "/" + name, head, ")\n;\n\nboundaryField\n{\n" + boundary + "}\n", format);
  });
  for (auto const& block : blocks) gather_block(field, block, sink.get());
  finish(field.layout().comm(), sink.get());
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
  fs::remove(fs::path(folder) / "uniform" / "time", none);
  fs::remove(fs::path(folder) / functions_properties, none);
  // these fail, as they should, where something else is in them
  fs::remove((fs::path(folder) / functions_properties).parent_path(), none);
  fs::remove(fs::path(folder) / "uniform", none);
  fs::remove(folder, none);
}

}  // namespace tessera::io::foam
