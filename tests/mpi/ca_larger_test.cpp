// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plane_reference.hpp"

namespace tessera::tests {

TEST(LargerThanLife, GivesTheCellsOfASerialReference) {
  std::mt19937 random(3);
  for (int n = 0; n < 30; ++n) {
    int const range = n % 10 == 9 ? 11 : 1 + static_cast<int>(random() % 5),
              states = 2 + static_cast<int>(random() % 3) * (n % 2);
    char const shape = "MNC"[n % 3];
    bool const middle = random() % 2 == 0;
    auto const inside = [=](int i, int j) {
      if (!middle && i == 0 && j == 0) return false;
      if (shape == 'N') return std::abs(i) + std::abs(j) <= range;
      return shape == 'M' || 4 * (i * i + j * j) < (2 * range + 1) * (2 * range + 1);
    };
    int all = 0;
    for (int j = -range; j <= range; ++j)
      for (int i = -range; i <= range; ++i) all += inside(i, j);
    // about a third of the cells is alive
    auto const limits = [&](int middle_of) {
      int const low = std::max(1, middle_of - static_cast<int>(random() % 4) - all / 8),
                high = std::min(all, low + static_cast<int>(random() % 6) + all / 6);
      return std::pair(low, std::max(low, high));
    };
    auto const survives = limits(all / 3), born = limits(all / 3);
    auto const rule =
        n == 12 ? fmt::format("{},{},{},{},{}", range, born.first, born.second, survives.first, survives.second)
                : fmt::format("R{},C{},M{},S{}..{},B{}..{},N{}", range, states == 2 ? 0 : states, middle ? 1 : 0,
                              survives.first, survives.second, born.first, born.second, shape);
    if (n == 12 && !middle) continue;
    ASSERT_EQ(ca::known_rule(rule)->name, "largerThanLife") << rule;
    auto const next = [=](PlaneReference::At const& at) {
      int count = 0;
      for (int j = -range; j <= range; ++j)
        for (int i = -range; i <= range; ++i) count += inside(i, j) && at(i, j) == 1;
      int const centre = at(0, 0);
      auto const& [low, high] = centre == 1 ? survives : born;
      if (centre > 1) return (centre + 1) % states;
      if (count >= low && count <= high) return 1;
      return centre == 0 || states == 2 ? 0 : 2;
    };
    PlaneReference start{static_cast<std::int64_t>(12 + random() % 60), static_cast<std::int64_t>(12 + random() % 30),
                         next};
    start.draw(random, states, 0.5, false);
    core::Grid::Shape const tiles[] = {{0, 0, 0}, {7, 5, 1}, {16, 64, 1}, {64, 3, 1}};
    expect_same_cells(rule, start, tiles[random() % 4], 1, 4);
  }
}

TEST(LargerThanLife, HasOneSpellingForARule) {
  EXPECT_EQ(ca::known_rule("5,34,45,34,58")->canonical, "R5,C0,M1,S34..58,B34..45,NM");
  EXPECT_EQ(ca::known_rule("R5,C2,M1,S34..58,B34..45,NM")->canonical, "R5,C0,M1,S34..58,B34..45,NM");
  for (char const* word : {"R0,C0,M1,S1..2,B1..1,NM", "R501,C0,M1,S1..2,B1..1,NM", "R1,C0,M1,S1..10,B1..1,NM",
                           "R1,C0,M1,S1..6,B1..1,NN", "R1,C257,M1,S1..2,B1..1,NM", "R1,C0,M2,S1..2,B1..1,NM",
                           "R1,C0,M1,S1..2,B1..1,NX", "R1,C0,M1,S1,B1..1,NM", "5,34,45,34"})
    EXPECT_FALSE(ca::known_rule(word)) << word;
  EXPECT_TRUE(ca::known_rule("R1,C0,M1,S1..5,B1..1,NN"));
  EXPECT_EQ(ca::known_rule("R7,C0,M1,S1..5,B1..1,NN")->range, 7);
  EXPECT_EQ(ca::known_rule("B3/S23")->range, 1);
}

}  // namespace tessera::tests
