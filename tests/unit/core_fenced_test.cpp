// SPDX-License-Identifier: Apache-2.0
// In a fenced build neither kernels nor the rest of the program touch the other's memory; there and on devices copies are counted.
#include "core/grid/sweep.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

struct AddOne {
  FieldView<double> x;
  KOKKOS_FUNCTION void operator()(int t, int k, int j, int i) const { x(t, k, j, i) += 1; }
};

struct Value {
  FieldView<double const> x;
  KOKKOS_FUNCTION double operator()(int t, int k, int j, int i) const { return x(t, k, j, i); }
};

/// Whether fields are copied between kernels and the rest: in a fenced build and on devices.
constexpr bool apart = !on_host;

struct Fenced : testing::Test {
  std::unique_ptr<Layout> layout = tests::shuffled_layout({8, 8, 1}, {4, 4, 1});
  Field<double> x{"fenced field", *layout};
  std::int64_t copied(std::int64_t Copies::*way) {
    auto const found = copies().find(x.name());
    return found == copies().end() ? 0 : found->second.*way;
  }
};

TEST_F(Fenced, FieldGoesToTheOtherSideWhereThatWasWrittenLast) {
  for_each("add", layout->all(), AddOne{x.view()});
  tests::for_each_cell(x, [](Index, double& v) { v *= 2; });
  for_each("add", layout->all(), AddOne{x.view()});
  EXPECT_EQ(x.host()(0, 0, 0, 0), 3);
  EXPECT_EQ(sum("all", *layout, Value{std::as_const(x).view()}), 192);
  auto const bytes = static_cast<std::int64_t>(x.bytes());
  EXPECT_EQ(copied(&Copies::to_device), apart ? 2 * bytes : 0);
  EXPECT_EQ(copied(&Copies::to_host), apart ? 2 * bytes : 0);
}

TEST_F(Fenced, ReadingAloneCopiesOnce) {
  std::int64_t const before = copied(&Copies::to_host);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(std::as_const(x).host()(0, 0, 0, 0), 0);
  EXPECT_EQ(copied(&Copies::to_host) - before, apart ? static_cast<std::int64_t>(x.bytes()) : 0);
}

TEST_F(Fenced, TouchingTheOtherSideEndsTheProgramWithALine) {
  if (!fenced) GTEST_SKIP() << "not a fenced build";
  auto const device = x.view();
  EXPECT_DEATH(device(0, 0, 0, 0) = 1, "memory of the device was touched outside of kernels");
  auto const host = x.host();
  EXPECT_DEATH(for_each("host's", layout->all(), AddOne{host}), "memory of the host was touched by a kernel");
}

}  // namespace tessera::core
