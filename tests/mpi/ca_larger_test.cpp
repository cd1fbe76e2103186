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

TEST(LargerThanLife, SeesItsMirrorImageThroughTheOtherSideOfANarrowGrid) {
  std::mt19937 random(5);
  constexpr int range = 4;
  auto const next = [](PlaneReference::At const& at) {
    int count = 0;
    for (int j = -range; j <= range; ++j)
      for (int i = -range; i <= range; ++i) count += (i != 0 || j != 0) && at(i, j) == 1;
    return at(0, 0) == 1 ? count >= 20 && count <= 45 : count >= 25 && count <= 40;
  };
  constexpr int any[] = {PlaneReference::reflecting, PlaneReference::reflecting, PlaneReference::open, 0, 1};
  for (int n = 0; n < 24; ++n) {
    PlaneReference start{static_cast<std::int64_t>(2 + random() % 2), static_cast<std::int64_t>(2 + random() % 12),
                         next};
    for (auto& cell : start.cells) cell = static_cast<std::uint8_t>(random() % 2);
    for (int& side : start.side) side = any[random() % std::size(any)];
    if (n % 2 == 1) std::swap(start.nx, start.ny);
    core::Grid::Shape const tiles[] = {{0, 0, 0}, {3, 5, 1}, {5, 2, 1}, {1, 1, 1}};
    expect_same_cells("R4,C0,M0,S20..45,B25..40,NM", start, tiles[random() % 4], 1, 4);
  }
}

namespace {

/// Weights of a neighbourhood, y upwards from its lowest row.
using Weights = std::vector<std::vector<int>>;

Weights weights_of_form(char form, int range, std::mt19937& random) {
  int const side = 2 * range + 1;
  Weights w(side, std::vector<int>(side));
  auto const cell = [&](int x, int y) -> int& { return w[y + range][x + range]; };
  auto const arm = [&](int dx, int dy) {
    for (int n = 0; n <= range; ++n) cell(n * dx, n * dy) = 1;
  };
  auto const line = [&](int dx, int dy) { arm(dx, dy), arm(-dx, -dy); };
  switch (form) {
  case '*':
    line(1, 1), line(1, -1);
    [[fallthrough]];
  case '+':
    line(1, 0), line(0, 1);
    break;
  case 'X':
    line(1, 1), line(1, -1);
    break;
  case 'A':
    line(1, 0), line(0, 1), line(-1, 1);
    break;
  case '3':
    arm(0, 1), arm(-1, 0), arm(1, -1);
    break;
  case 'H':  // rows of side + 0, -1, ... cells, pushed to the left above and to the right below
    for (int y = -range; y <= range; ++y)
      for (int n = 0; n < side - std::abs(y); ++n) cell(-range + n - std::min(y, 0), y) = 1;
    break;
  case '#':
    for (int n = -range; n <= range; ++n) cell(n, 1) = cell(n, -1) = cell(1, n) = cell(-1, n) = 1;
    break;
  case 'B':
  case 'D':
    for (int n = 0; n < side * side; ++n)
      if ((n % 2 == 0) == (form == 'D')) w[n / side][n % side] = 1;
    break;
  case 'G':  // a square of range + 1 cells, passed over another
    for (int a = 0; a <= range; ++a)
      for (int b = 0; b <= range; ++b)
        for (int n = 0; n <= range; ++n)
          for (int m = 0; m <= range; ++m) ++w[a + n][b + m];
    return w;
  case '2':
    for (int y = -range; y <= range; ++y)
      for (int x = -range; x <= range; ++x) cell(x, y) = std::hypot(x, y) < range + 1e-9;
    break;
  default:  // @ w W: bits, weights of one digit, of two
    int const most = form == '@' ? 1 : form == 'w' ? 7 : 127;
    for (auto& row : w)
      for (int& weight : row) {
        weight = static_cast<int>(random() % (most + 1));
        if (form != '@' && random() % 4 == 0) weight = -weight / 2;
      }
    if (form != '@') return w;
  }
  cell(0, 0) = 0;
  return w;
}

std::string digits_of(char form, Weights const& w) {
  std::string text;
  auto const side = w.size();
  if (form == '@') {
    int bits = 0, n = 0;
    for (std::size_t y = side; y-- > 0;)
      for (std::size_t x = 0; x < side; ++x) {
        if (y == side / 2 && x == side / 2) continue;
        bits = bits << 1 | w[y][x];
        if (++n % 4 == 0) text += fmt::format("{:x}", std::exchange(bits, 0));
      }
    return text;
  }
  int const sign = form == 'w' ? 8 : 128;
  for (std::size_t y = side; y-- > 0;)
    for (std::size_t x = 0; x < side; ++x) {
      int const v = w[y][x] < 0 ? sign - w[y][x] : w[y][x];
      text += form == 'w' ? fmt::format("{:X}", v) : fmt::format("{:02x}", v);
    }
  return text;
}

}  // namespace

TEST(LargerThanLife, CountsNeighboursOfAnyFormAndWeight) {
  std::mt19937 random(11);
  std::string const forms = "2+X*#BDHA3G@wW";
  for (int n = 0; n < 28; ++n) {
    char const form = forms[static_cast<std::size_t>(n) % forms.size()];
    int const range = 1 + static_cast<int>(random() % 4), states = n % 3 == 0 ? 4 : 2;
    auto const w = weights_of_form(form, range, random);
    int all = 0;
    for (auto const& row : w)
      for (int const weight : row) all += std::max(weight, 0);
    // numbers and ranges, from above 0
    auto const limits = [&](std::string& text) {
      std::vector<bool> within(static_cast<std::size_t>(all) + 1);
      for (int at = 1 + static_cast<int>(random() % (1 + all / 4)); at <= all && text.size() < 40;) {
        int const last = std::min<int>(all, at + static_cast<int>(random() % (1 + all / 4)));
        text += fmt::format("{}{}", text.empty() ? "" : ",", at);
        if (last > at) text += fmt::format("-{}", last);
        for (; at <= last; ++at) within[static_cast<std::size_t>(at)] = true;
        at += 1 + static_cast<int>(random() % (1 + all / 4));
      }
      return within;
    };
    std::string survives_text, born_text;
    auto const survives = limits(survives_text), born = limits(born_text);
    auto const rule =
        fmt::format("R{},C{},S{},B{},N{}{}", range, states, survives_text, born_text, form == 'w' ? 'W' : form,
                    std::string("@wW").find(form) < 3 ? digits_of(form, w) : "");
    ASSERT_TRUE(ca::known_rule(rule)) << rule;
    ASSERT_EQ(ca::known_rule(rule)->name, "largerThanLife") << rule;
    EXPECT_EQ(ca::known_rule(ca::known_rule(rule)->canonical)->canonical, ca::known_rule(rule)->canonical) << rule;
    auto const next = [=](PlaneReference::At const& at) {
      int count = 0;
      for (int y = -range; y <= range; ++y)
        for (int x = -range; x <= range; ++x) count += at(x, y) == 1 ? w[y + range][x + range] : 0;
      int const centre = at(0, 0);
      if (centre > 1) return (centre + 1) % states;
      bool const lives = count >= 0 && (centre == 1 ? survives : born)[static_cast<std::size_t>(count)];
      return lives ? 1 : centre == 0 || states == 2 ? 0 : 2;
    };
    PlaneReference start{static_cast<std::int64_t>(12 + random() % 40), static_cast<std::int64_t>(12 + random() % 20),
                         next};
    start.draw(random, states, 0.5, false);
    core::Grid::Shape const tiles[] = {{0, 0, 0}, {7, 5, 1}, {16, 64, 1}};
    expect_same_cells(rule, start, tiles[random() % 3], 1, 3);
  }
}

TEST(LargerThanLife, HasOneSpellingForARule) {
  EXPECT_EQ(ca::known_rule("5,34,45,34,58")->canonical, "R5,C0,M1,S34..58,B34..45,NM");
  EXPECT_EQ(ca::known_rule("R5,C2,M1,S34..58,B34..45,NM")->canonical, "R5,C0,M1,S34..58,B34..45,NM");
  for (char const* word :
       {"R0,C0,M1,S1..2,B1..1,NM", "R501,C0,M1,S1..2,B1..1,NM", "R1,C0,M1,S1..10,B1..1,NM", "R1,C0,M1,S1..6,B1..1,NN",
        "R1,C257,M1,S1..2,B1..1,NM", "R1,C0,M2,S1..2,B1..1,NM", "R1,C0,M1,S1..2,B1..1,NQ", "R1,C0,M1,S1,,B1..1,NM",
        "5,34,45,34", "R1,C0,S1-2,B3,N@f", "R1,C0,S1-2,B3,N@fg", "R1,C0,S1-2,B3,NW12345678", "R1,C0,S1-2,B3,N",
        "R1,C0,S1-2B3", "R1,C0,S1-,B3", "R215,C0,S1,B3,NG"})
    EXPECT_FALSE(ca::known_rule(word)) << word;
  EXPECT_EQ(ca::known_rule("R2,C2,S3-4,2,9,B5,6-8,NM")->canonical, "R2,C0,M0,S2-4,9,B5-8,NM");
  EXPECT_EQ(ca::known_rule("R1,C2,S2-3,B3")->canonical, ca::known_rule("R1,C0,M0,S2..3,B3..3,NM")->canonical);
  EXPECT_EQ(ca::known_rule("R1,C4,S,B2,N@C3")->canonical, "R1,C4,M0,S,B2,N@c3");
  EXPECT_TRUE(ca::known_rule("R1,C0,M1,S1..5,B1..1,NN"));
  EXPECT_EQ(ca::known_rule("R7,C0,M1,S1..5,B1..1,NN")->range, 7);
  EXPECT_EQ(ca::known_rule("B3/S23")->range, 1);
}

}  // namespace tessera::tests
