// SPDX-License-Identifier: Apache-2.0
#include "io/compare.hpp"

#include "core/error.hpp"
#include "io/files/values.hpp"
#include "io/foam/rows.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

namespace tessera::io {
namespace {

/// long double holds all values of int64 and double alike (its 64-bit mantissa).
template <class A, class B>
void compare_row(std::span<A const> a, std::span<B const> b, core::Index at, double tolerance, Comparison& result) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    long double const x = a[i], y = b[i];
    if (x == y || (x != x && y != y)) continue;
    long double const difference = std::abs(x - y), scale = std::max(std::abs(x), std::abs(y));
    bool const comparable = difference == difference;
    double const absolute = comparable ? static_cast<double>(difference) : HUGE_VAL;
    double const relative = comparable && scale < HUGE_VAL ? static_cast<double>(difference / scale) : HUGE_VAL;
    if (!(absolute <= tolerance)) ++result.different;
    if (absolute > result.max_absolute) {
      result.max_absolute = absolute;
      result.worst = {static_cast<core::Count>(i), at.j, at.k};
    }
    result.max_relative = std::max(result.max_relative, relative);
  }
}

Comparison compare_sources(RowSource& a, RowSource& b, double tolerance) {
  auto const n = a.cells();
  Comparison result;
  result.cells = n[0] * n[1] * n[2];
  for (RowSource const* source : {&a, &b})
    if (auto const note = source->note(); !note.empty()) result.notes.push_back(source->name() + ": " + note);
  auto const width = static_cast<std::size_t>(n[0]);
  detail::with_type(a.element(), [&]<class A>(std::type_identity<A>) {
    detail::with_type(b.element(), [&]<class B>(std::type_identity<B>) {
      std::vector<A> row_a(width);
      std::vector<B> row_b(width);
      for (core::Count k = 0; k < n[2]; ++k)
        for (core::Count r = 0; r < n[1]; ++r) {
          a.next(1, std::as_writable_bytes(std::span(row_a)));
          b.next(1, std::as_writable_bytes(std::span(row_b)));
          core::Count const j = a.top_down() ? n[1] - 1 - r : r;
          compare_row<A, B>(row_a, row_b, {0, j, k}, tolerance, result);
        }
    });
  });
  return result;
}

std::vector<std::string> field_names(std::string const& file) {
  std::vector<std::string> names;
  for (auto const& field : read_snapshot(file).fields) names.push_back(field.name);
  return names;
}

}  // namespace

Comparison compare(std::string const& a, std::string const& b, double tolerance) {
  auto source_a = open_rows(a), source_b = open_rows(b);
  auto const n = source_a->cells(), m = source_b->cells();
  if (n != m)
    throw core::Error(
        b, 0,
        fmt::format("has {} x {} x {} cells, expected {} x {} x {} as in {}", m[0], m[1], m[2], n[0], n[1], n[2], a));
  if (source_a->top_down() != source_b->top_down()) {
    if (source_a->turn()) return compare_sources(*source_a, *source_b, tolerance);
    source_b = turned(std::move(source_b));
  }
  return compare_sources(*source_a, *source_b, tolerance);
}

namespace {

/// What one side of a comparison holds: files or parts of them by the names of fields. The name of a picture is "".
struct Held {
  std::string place;
  std::map<std::string, std::string> fields;
  bool snapshot = false;
};

Held held_by_snapshot(std::string const& file) {
  Held held{file, {}, true};
  for (auto const& name : field_names(file)) held.fields[name] = file + ":" + name;
  return held;
}

Held held_in(std::string const& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_directory(path, none)) {
    if (split_item(path).item.empty() && path.ends_with(".h5")) return held_by_snapshot(path);
    return {path, {{foam::field_in(split_item(path).file), path}}};
  }
  if (auto const last = last_snapshot(path); !last.empty())
    return last.ends_with(".mc") ? Held{last, {{"", last}}} : held_by_snapshot(last);
  if (auto fields = foam::fields_in(path); !fields.empty()) return {path, std::move(fields)};
  if (auto const latest = foam::latest_fields(path); !latest.empty()) return {latest, foam::fields_in(latest)};
  throw core::Error(path, 0,
                    "holds neither a snapshot NNNNNN.h5, itself or in its folder results, nor volScalarFields of "
                    "OpenFOAM, itself or in time directories");
}

std::vector<std::string> names_of(Held const& held) {
  std::vector<std::string> names;
  for (auto const& [name, file] : held.fields) names.push_back(name);
  return names;
}

/// The file of the field `name`; a picture and the like stand for any field.
std::string const& file_of(Held const& held, std::string const& name) {
  if (auto const single = held.fields.find(""); single != held.fields.end()) return single->second;
  if (auto const place = held.fields.find(name); place != held.fields.end()) return place->second;
  throw core::Error(held.place, 0, core::unknown_name("field", name, names_of(held)));
}

}  // namespace

std::vector<Comparison> compare_results(std::string const& a, std::string const& b, std::string const& field,
                                        double tolerance, std::function<void(std::string const&)> const& note) {
  Held const left = held_in(a), right = held_in(b);
  if (note && (left.place != a || right.place != b)) note(fmt::format("{} and {}", left.place, right.place));
  std::vector<std::string> names = names_of(left), others = names_of(right);
  if (!field.empty()) {
    names = {field};
  } else if (left.fields.contains("") || right.fields.contains("")) {
    // one thing without a name: the other side must be one, too
    for (Held const* held : {&left, &right})
      if (held->fields.size() > 1)
        throw core::Error(held->place, 0,
                          fmt::format("has the fields ({}), expected one of them by --field or FILE:FIELD",
                                      fmt::join(names_of(*held), " ")));
    names = {left.fields.contains("") ? others.front() : names.front()};
  } else if (left.snapshot && right.snapshot) {
    if (names != others)
      throw core::Error(right.place, 0,
                        fmt::format("has the fields ({}), expected ({}) as in {}", fmt::join(others, " "),
                                    fmt::join(names, " "), left.place));
  } else {  // what another program writes beside it is no difference
    std::vector<std::string> both, alone;
    std::ranges::set_intersection(names, others, std::back_inserter(both));
    std::ranges::set_symmetric_difference(names, others, std::back_inserter(alone));
    if (both.empty())
      throw core::Error(right.place, 0,
                        fmt::format("has the fields ({}), expected one of ({}) as in {}", fmt::join(others, " "),
                                    fmt::join(names, " "), left.place));
    if (note && !alone.empty()) note(fmt::format("not compared, in one of them only: {}", fmt::join(alone, " ")));
    names = both;
  }
  std::vector<Comparison> results;
  for (auto const& name : names) {
    results.push_back(compare(file_of(left, name), file_of(right, name), tolerance));
    results.back().field = name;
  }
  return results;
}

}  // namespace tessera::io
