// SPDX-License-Identifier: Apache-2.0
// Where the values of large fields lie.
#include "core/grid/field.hpp"
#include "core/grid/pages.hpp"
#include "tests/support/layouts.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>

namespace tessera::tests {

using core::Field;

template <class T>
std::uintptr_t first_cell(Field<T>& field) {
  return reinterpret_cast<std::uintptr_t>(field.host().first);
}

TEST(LargeFields, AreStaggeredByLinesOfTheCache) {
  std::set<std::size_t> staggers;
  for (int n = 0; n < 64; ++n) {
    auto const bytes = core::next_stagger();
    EXPECT_EQ(bytes % 64, 0u);
    EXPECT_LT(bytes, 4096u);
    staggers.insert(bytes);
  }
  EXPECT_EQ(staggers.size(), 64u);
  // and rows begin at a line, wherever the memory of a field does
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({70, 70, 70}, {70, 70, 70}));
  core::Layout const layout(grid, {0}, core::Comm());
  for (int n = 0; n < 3; ++n) {
    Field<double> field("f", layout, 1, n);
    EXPECT_EQ(first_cell(field) % 64, 0u);
    EXPECT_EQ(field.host()(0, 69, 69, 69), n);
  }
}

TEST(LargeFields, AreSwappedWithWhereTheyBegin) {
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({90, 61, 50}, {90, 61, 25}));
  core::Layout const layout(grid, std::vector<int>(2, 0), core::Comm());
  Field<double> a("a", layout, 2, 1), b("b", layout, 2, 2);
  auto const value = [](int slot, int k, int j, int i) { return slot + 10.0 * i + 1e3 * j + 1e6 * k; };
  auto const set = [&](Field<double>& field, double sign) {
    for (int slot = 0; slot < 2; ++slot)
      core::for_cells(layout.info(slot),
                      [&](int k, int j, int i) { field.host()(slot, k, j, i) = sign * value(slot, k, j, i); });
  };
  set(a, 1), set(b, -1);
  auto const first = first_cell(a), second = first_cell(b);
  a.swap_values(b);
  EXPECT_EQ(first_cell(a), second);
  EXPECT_EQ(first_cell(b), first);
  std::int64_t wrong = 0;
  for (int slot = 0; slot < 2; ++slot)
    core::for_cells(layout.info(slot), [&](int k, int j, int i) {
      wrong += a.host()(slot, k, j, i) != -value(slot, k, j, i) || b.host()(slot, k, j, i) != value(slot, k, j, i);
    });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(a.host()(0, -2, -2, -2), 2) << "halos, too";
  EXPECT_EQ(b.host()(1, 26, 62, 91), 1);
}

}  // namespace tessera::tests
