// SPDX-License-Identifier: Apache-2.0
// Numbers that are computed on together give what each gives by itself.
#include "core/grid/wide.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tessera::core {
namespace {

template <class T, int n>
std::array<T, n> values_of(Wide<T, n> const& a) {
  std::array<T, n> values;
  a.store(values.data());
  for (int lane = 0; lane < n; ++lane) EXPECT_EQ(values[static_cast<std::size_t>(lane)], a[lane]);
  return values;
}

template <class W>
class WideNumbers : public testing::Test {};
using Kinds = testing::Types<Wide<double, 8>, Wide<double, 16>, Wide<float, 16>, Wide<std::uint64_t, 8>,
                             Wide<std::uint64_t, 4>, Wide<std::int64_t, 8>, Wide<double, 1>>;
TYPED_TEST_SUITE(WideNumbers, Kinds);

template <class W>
inline constexpr int count_of = W::width* W::parts;

/// n numbers from an address that is no multiple of a register's bytes.
template <class W>
struct Given {
  using T = typename W::Number;
  static constexpr int n = count_of<W>;
  std::array<T, 2 * n + 1> values;
  explicit Given(int first) {
    for (int k = 0; k <= 2 * n; ++k)
      values[static_cast<std::size_t>(k)] = static_cast<T>(T(first + k * k % 7 - 3) * T(k % 3 + 1) / T(2));
  }
  T operator[](int k) const { return values[static_cast<std::size_t>(k + 1)]; }
  W wide(int from = 0) const { return W::load(values.data() + 1 + from); }
};

TYPED_TEST(WideNumbers, AreWhatEachIsByItself) {
  using T = typename TypeParam::Number;
  Given<TypeParam> const a(1), b(5);
  auto const x = a.wide(), y = b.wide();
  auto sum = x;
  sum += y;
  for (int k = 0; k < a.n; ++k) {
    EXPECT_EQ((x + y)[k], a[k] + b[k]);
    EXPECT_EQ((x - y)[k], a[k] - b[k]);
    EXPECT_EQ((x * y)[k], a[k] * b[k]);
    EXPECT_EQ((x + T{3})[k], a[k] + T{3});
    EXPECT_EQ((T{3} - x)[k], T{3} - a[k]);
    EXPECT_EQ(sum[k], a[k] + b[k]);
    EXPECT_EQ(TypeParam::all(T{9})[k], T{9});
    EXPECT_EQ(select(x < T{2}, x, y)[k], a[k] < T{2} ? a[k] : b[k]);
    EXPECT_EQ(select(x >= T{2}, x, y)[k], a[k] >= T{2} ? a[k] : b[k]);
    EXPECT_EQ(select(x == a[0], x, y)[k], a[k] == a[0] ? a[k] : b[k]);
    EXPECT_EQ(select(x != a[0], x, y)[k], a[k] != a[0] ? a[k] : b[k]);
    EXPECT_EQ(select(x < y, x, y)[k], a[k] < b[k] ? a[k] : b[k]);
    EXPECT_EQ(select(x <= y, x, y)[k], a[k] <= b[k] ? a[k] : b[k]);
    EXPECT_EQ(select(x > y, x, y)[k], a[k] > b[k] ? a[k] : b[k]);
    EXPECT_EQ(select(x > y, x, y)[k], select(a[k] > b[k], a[k], b[k]));
  }
  EXPECT_EQ(values_of(x)[0], a[0]);
}

TYPED_TEST(WideNumbers, BeginAtAnyOfTwoInARow) {
  Given<TypeParam> const a(2);
  constexpr int n = count_of<TypeParam>;
  auto const low = a.wide(), high = a.wide(n);
  auto const check = [&]<int first>(std::integral_constant<int, first>) {
    auto const from = numbers_from<first>(low, high);
    for (int k = 0; k < n; ++k) EXPECT_EQ(from[k], a[first + k]) << first;
  };
  [&]<int... first>(std::integer_sequence<int, first...>) { (check(std::integral_constant<int, first>()), ...); }
  (std::make_integer_sequence<int, n + 1>());
}

TEST(WideNumbers, OfWordsHaveBits) {
  using W = Wide<std::uint64_t, 8>;
  W a = W::numbers() * 0x9e3779b97f4a7c15u;
  a.set(3, 77);
  for (int k = 0; k < 8; ++k) {
    std::uint64_t const x = k == 3 ? 77 : static_cast<unsigned>(k) * 0x9e3779b97f4a7c15u;
    EXPECT_EQ(a[k], x);
    EXPECT_EQ((a << 3)[k], x << 3);
    EXPECT_EQ((a >> 63)[k], x >> 63);
    EXPECT_EQ(((~a & (a ^ 5)) | a)[k], (~x & (x ^ 5)) | x);
  }
}

TEST(WideNumbers, KeepTheSignOfZeroAndHaveMagnitudes) {
  using W = Wide<double, 8>;
  EXPECT_TRUE(std::signbit(W::all(-0.0)[5]));
  EXPECT_EQ(magnitude(W::all(-2.5))[7], 2.5);
  EXPECT_EQ(magnitude(W::numbers() - 4.0)[1], 3.0);
  EXPECT_TRUE(std::isnan(magnitude(W::all(std::numeric_limits<double>::quiet_NaN()))[0]));
}

}  // namespace
}  // namespace tessera::core
