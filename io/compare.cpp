// SPDX-License-Identifier: Apache-2.0
#include "io/compare.hpp"

#include "core/error.hpp"
#include "io/detail/values.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
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

std::string result_file(std::string const& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_directory(path, none)) return path;
  for (auto const& folder : {fs::path(path) / "results", fs::path(path)}) {
    auto const snapshots = snapshots_in(folder.string());
    if (!snapshots.empty()) return snapshots.rbegin()->second;
  }
  throw core::Error(path, 0, "holds no snapshot NNNNNN.h5, neither itself nor in its folder results");
}

std::vector<Comparison> compare_results(std::string const& a, std::string const& b, std::string const& field,
                                        double tolerance) {
  std::string const file_a = result_file(a), file_b = result_file(b);
  auto const is_snapshot = [](std::string const& path) {
    return split_item(path).item.empty() && path.ends_with(".h5");
  };
  bool const snapshot_a = is_snapshot(file_a), snapshot_b = is_snapshot(file_b);
  auto const with_field = [](std::string const& file, bool snapshot, std::string const& name) {
    return snapshot && !name.empty() ? file + ":" + name : file;
  };
  auto const one = [&](std::string const& name) {
    Comparison result = compare(with_field(file_a, snapshot_a, name), with_field(file_b, snapshot_b, name), tolerance);
    result.field = name;
    return result;
  };
  if (!field.empty() || !snapshot_a || !snapshot_b) return {one(field)};
  auto const names = field_names(file_a), others = field_names(file_b);
  if (names != others)
    throw core::Error(file_b, 0,
                      fmt::format("has the fields ({}), expected ({}) as in {}", fmt::join(others, " "),
                                  fmt::join(names, " "), file_a));
  std::vector<Comparison> results;
  for (auto const& name : names) results.push_back(one(name));
  return results;
}

}  // namespace tessera::io
