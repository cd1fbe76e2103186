// SPDX-License-Identifier: Apache-2.0
#include "io/convert.hpp"

#include "core/error.hpp"
#include "io/files/types.hpp"
#include "io/files/values.hpp"
#include "io/foam/rows.hpp"
#include "io/reader.hpp"
#include "io/readers/described.hpp"
#include "io/readers/live_cells.hpp"
#include "io/snapshot.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <vector>

namespace tessera::io {
namespace {

std::vector<std::byte> row_of(RowSource const& source) {
  return std::vector<std::byte>(static_cast<std::size_t>(source.cells()[0]) * size_of(source.element()));
}

/// Smallest and largest finite value; {0, 0} where there is none.
std::array<double, 2> extremes(RowSource& source) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  auto row = row_of(source);
  for (core::Count r = 0; r < source.cells()[1] * source.cells()[2]; ++r) {
    source.next(1, row);
    detail::with_type(source.element(), [&]<class T>(std::type_identity<T>) {
      for (T const value : std::span(reinterpret_cast<T const*>(row.data()), row.size() / sizeof(T))) {
        if (!std::isfinite(static_cast<double>(value))) continue;
        lo = std::min(lo, static_cast<double>(value));
        hi = std::max(hi, static_cast<double>(value));
      }
    });
  }
  return lo <= hi ? std::array{lo, hi} : std::array{0.0, 0.0};
}

/// The field's name in an item `/fields/T`, also `/fields/T[0:1]`, of the path or of what the source calls itself where it found the only
/// field by itself, or in the header of a field of OpenFOAM; otherwise "value".
std::string name_in(std::string const& path, RowSource const& source) {
  if (auto const field = foam::field_in(split_item(path).file); !field.empty()) return field;
  for (auto const& said : {path, source.name()}) {
    auto const item = split_item(said).item;
    std::string name = item.substr(0, item.find("["));  // of '[' GCC 12 warns: it would look through all memory
    name.erase(0, name.rfind('/') + 1);
    if (!name.empty() && name.find(':') == std::string::npos) return name;
  }
  return "value";
}

/// A case stands for its last snapshot, or where it has none for its latest time directory of OpenFOAM; this, or a snapshot, for
/// its field where it has one alone.
std::string field_file(std::string const& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return path;
  if (auto const snapshot = last_snapshot(path); !snapshot.empty()) return snapshot;
  auto fields = foam::fields_in(path);
  std::string const latest = fields.empty() ? foam::latest_fields(path) : path;
  if (fields.empty() && !latest.empty()) fields = foam::fields_in(latest);
  if (fields.size() == 1) return fields.begin()->second;
  if (fields.empty())
    throw core::Error(path, 0, "is a folder without snapshots and fields of OpenFOAM, expected a file");
  std::string names;
  for (auto const& [name, file] : fields) names += " " + name;
  throw core::Error(path, 0,
                    fmt::format("holds several fields, expected one of them: {}/NAME, NAME of{}", latest, names));
}

/// Throws core::Error where `out` is the file that is read: by a link, too, or the values or the header of a raw volume.
void check_apart(std::string const& in, std::string const& out, RowSource const& source) {
  auto const fresh = [&](std::string const& from, std::string const& to) {
    std::error_code none;
    if (!from.empty() && std::filesystem::equivalent(from, to, none))
      throw core::Error(out, 0, fmt::format("would be written over {}, which is read, expected another name", from));
  };
  for (auto const& from : {split_item(in).file, split_item(source.name()).file}) {
    fresh(from, out);
    if (out.ends_with(".raw")) fresh(from, detail::header_of(out));
  }
}

/// Tells a copy what the file says of its cells and values. Returns what the format that is written has no room for.
std::string describe(RowSource const& source, Writer const& writer, RowFormat& format) {
  if (auto const* const known = dynamic_cast<Described const*>(&source)) {
    auto const faces = known->faces();
    Placement place = format.placement.value_or(Placement{});
    for (std::size_t a = 0; a < 3 && !format.placement; ++a) {
      if (faces[a].size() < 2) continue;
      place.origin[a] = faces[a].front();
      place.spacing[a] = (faces[a].back() - faces[a].front()) / static_cast<double>(format.cells[a]);
      if (faces[a].size() > 2) format.faces[a] = faces[a];
    }
    bool const unit = place.origin == Placement{}.origin && place.spacing == Placement{}.spacing;
    if (!unit) format.placement = place;
    auto about = known->about();
    if (!about.units.empty()) format.about = std::move(about);
  }
  std::vector<std::string> lost;
  auto const& units = format.about.units;
  bool const graded = std::ranges::any_of(format.faces, [](auto const& faces) { return !faces.empty(); });
  // as far from 0 as that a double does not know one cell from the next
  bool const far = format.placement && std::ranges::any_of(std::array{0, 1, 2}, [&](int a) {
                     double const last = std::abs(format.placement->origin[a]);
                     return last + format.placement->spacing[a] / 2 == last;
                   });
  if (format.placement && (!writer.has_place() || (far && writer.has_details())))
    lost.emplace_back("lengths and places of cells");
  else if (graded && !writer.has_details())
    lost.emplace_back("that lengths of cells differ");
  if (far && writer.has_details()) format.placement.reset();
  if (units != "1" && !writer.has_details()) lost.push_back(fmt::format("units [{}] and description", units));
  return lost.empty() || writer.is_picture()
             ? ""
             : fmt::format("left out, as the format has no place for it: {}", fmt::join(lost, ", "));
}

/// Throws core::Error for what the format of `out` has no use for. `by_name`: the field's name is that of the file.
void check_use(std::string const& out, Writer const& writer, Conversion const& how, bool by_name) {
  auto const refuse = [&](bool used, std::string const& what, std::string const& found) {
    if (!used) throw core::Error(out, 0, fmt::format("the format has no {}, found '{}'", what, found));
  };
  auto const types = writer.types();
  if (!how.type.empty()) {
    refuse(!types.empty(), "choice of types", how.type);
    if (std::ranges::find(types, how.type) == types.end())
      throw core::Error(out, 0, core::unknown_name("type", how.type, types));
  }
  if (how.palette) refuse(writer.is_picture(), "colours", *how.palette);
  if (how.range) {
    auto const [lo, hi] = *how.range;
    refuse(writer.is_picture(), "colours for a range", fmt::format("{} {}", lo, hi));
    if (!(std::isfinite(lo) && std::isfinite(hi) && lo < hi))
      throw core::Error(
          out, 0,
          fmt::format("the range of the colours is {} {}, expected two numbers, the smaller one first", lo, hi));
  }
  if (how.name) refuse(by_name || writer.has_name(), "name for the field", *how.name);
  if (how.binary) refuse(writer.has_binary(), "choice of text or binary", "binary");
}

/// `note`: how values become colours that the file does not tell.
std::array<double, 2> automatic_range(std::string const& in, Writer const& writer, std::string& note) {
  auto const source = open_rows(in);
  auto const range = extremes(*source);
  if (source->element() == core::Element::uint8)
    return range[1] > 1 ? source->stored().range.value_or(std::array{0.0, 255.0}) : std::array{0.0, 1.0};
  auto const type = source->element();
  double const kept = writer.largest_kept();
  if (kept > 0 && (type == core::Element::int32 || type == core::Element::int64)) {
    if (range[0] < 0 || range[1] > kept)
      throw core::Error(in, 0,
                        fmt::format("holds whole numbers from {} to {}, of which {} keeps 0 .. {}; expected others, or "
                                    "--range LO HI, which draws them from black to white",
                                    range[0], range[1], writer.extensions().front(), kept));
    return {0, range[1]};
  }
  note = fmt::format("colours from {:.6g} to {:.6g}", range[0], range[1]);
  return range;
}

}  // namespace

std::string convert(std::string const& given, std::string const& to, Conversion const& how) {
  if (how.name &&
      (how.name->empty() || *how.name == "." || *how.name == ".." || how.name->find('/') != std::string::npos))
    throw core::Error(to, 0,
                      fmt::format("the name of the field is '{}', expected that of a file, without '/'", *how.name));
  std::string const in = field_file(given);
  auto source = open_rows(in);
  RowFormat format;
  format.cells = source->cells();
  format.element = source->element();
  format.name = how.name ? *how.name : name_in(in, *source);
  // into a time directory the field goes by its name
  std::error_code none;
  bool const by_name = std::filesystem::is_directory(to, none);
  std::string const out = by_name ? to + "/" + format.name : to;
  format.placement = source->placement();
  if (auto const* const cells = dynamic_cast<LiveCells const*>(source.get())) {
    auto const [i, j] = cells->corner();
    format.placement = Placement{.origin = {static_cast<double>(i), static_cast<double>(j), 0}};
  }
  format.rule = source->rule();
  format.generation = source->generation();
  if (how.states_of && !format.rule.empty()) format.states = how.states_of(format.rule);
  format.top_down = source->top_down();
  if (how.palette) format.palette = *how.palette;
  format.type = how.type;
  format.binary = how.binary;
  auto const writer = writer_for(out);
  check_apart(in, out, *source);
  check_use(out, *writer, how, by_name);
  std::string drawn;
  if (writer->is_picture()) {
    auto const range = how.range ? *how.range : automatic_range(in, *writer, drawn);
    format.lo = range[0];
    format.hi = range[1];
  }
  std::string const lost = describe(*source, *writer, format);
  auto const sink = writer->create(out, format);
  if (sink->top_down() != source->top_down()) source = turned(std::move(source));
  auto row = row_of(*source);
  for (core::Count r = 0; r < format.cells[1] * format.cells[2]; ++r) {
    source->next(1, row);
    sink->next(1, row);
  }
  sink->finish();
  std::string notes = source->note();
  for (auto const& more : {drawn, lost})
    if (!more.empty()) notes += (notes.empty() ? "" : "; ") + more;
  return notes;
}

}  // namespace tessera::io
