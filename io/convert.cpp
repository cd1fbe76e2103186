// SPDX-License-Identifier: Apache-2.0
#include "io/convert.hpp"

#include "core/error.hpp"
#include "io/files/values.hpp"
#include "io/foam/rows.hpp"
#include "io/reader.hpp"
#include "io/readers/live_cells.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
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

/// The field's name in an item `/fields/T`, also `/fields/T[0:1]`, or in the header of a field of OpenFOAM; otherwise
/// "value".
std::string name_in(std::string const& path) {
  auto const [file, item] = split_item(path);
  if (auto const field = foam::field_in(file); !field.empty()) return field;
  std::string name = item.substr(0, item.find('['));
  name.erase(0, name.rfind('/') + 1);
  return name.empty() || name.find(':') != std::string::npos ? "value" : name;
}

/// A time directory of OpenFOAM, or a case, for its latest one, stands for its field where it has one alone.
std::string field_file(std::string const& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return path;
  auto fields = foam::fields_in(path);
  std::string const latest = fields.empty() ? foam::latest_fields(path) : path;
  if (fields.empty() && !latest.empty()) fields = foam::fields_in(latest);
  if (fields.size() == 1) return fields.begin()->second;
  if (fields.empty()) throw core::Error(path, 0, "is a folder without fields of OpenFOAM, expected a file");
  std::string names;
  for (auto const& [name, file] : fields) names += " " + name;
  throw core::Error(path, 0,
                    fmt::format("holds several fields, expected one of them: {}/NAME, NAME of{}", latest, names));
}

std::array<double, 2> automatic_range(std::string const& in) {
  auto const source = open_rows(in);
  auto const range = extremes(*source);
  if (source->element() != core::Element::uint8) return range;
  return range[1] > 1 ? std::array{0.0, 255.0} : std::array{0.0, 1.0};
}

}  // namespace

std::string convert(std::string const& given, std::string const& to, Conversion const& how) {
  std::string const in = field_file(given);
  auto source = open_rows(in);
  RowFormat format;
  format.cells = source->cells();
  format.element = source->element();
  format.name = !how.name.empty() ? how.name : name_in(in);
  // into a time directory the field goes by its name
  std::error_code none;
  std::string const out = std::filesystem::is_directory(to, none) ? to + "/" + format.name : to;
  format.placement = source->placement();
  if (auto const* const cells = dynamic_cast<LiveCells const*>(source.get())) {
    auto const [i, j] = cells->corner();
    format.placement = Placement{.origin = {static_cast<double>(i), static_cast<double>(j), 0}};
  }
  format.rule = source->rule();
  format.generation = source->generation();
  if (how.states_of && !format.rule.empty()) format.states = how.states_of(format.rule);
  format.top_down = source->top_down();
  format.palette = how.palette;
  format.type = how.type;
  format.binary = how.binary;
  auto const writer = writer_for(out);
  if (auto const types = writer->types();
      !how.type.empty() && std::find(types.begin(), types.end(), how.type) == types.end())
    throw core::Error(out, 0,
                      types.empty() ? fmt::format("the format has no choice of types, found '{}'", how.type)
                                    : core::unknown_name("type", how.type, types));
  if (writer->is_picture()) {
    auto const range = how.range ? *how.range : automatic_range(in);
    format.lo = range[0];
    format.hi = range[1];
  }
  auto const sink = writer->create(out, format);
  if (sink->top_down() != source->top_down()) source = turned(std::move(source));
  auto row = row_of(*source);
  for (core::Count r = 0; r < format.cells[1] * format.cells[2]; ++r) {
    source->next(1, row);
    sink->next(1, row);
  }
  sink->finish();
  return source->note();
}

}  // namespace tessera::io
