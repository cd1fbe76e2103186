// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plane_reference.hpp"

#include <map>

namespace tessera::tests {

/// Golly's order of the cells in a MAP: rows from the top.
constexpr int around[9][2] = {{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {0, 0}, {1, 0}, {-1, -1}, {0, -1}, {1, -1}};

int neighbours_alive(PlaneReference::At const& at, char shape) {
  int n = 0;
  for (auto const& [i, j] : around)
    n += (i != 0 || j != 0) && (shape == 'M' || (shape == 'V' ? i == 0 || j == 0 : i != j)) && at(i, j) == 1;
  return n;
}
int decays(int centre, bool alive, int states) {
  if (centre > 1) return (centre + 1) % states;
  if (alive) return 1;
  return centre == 0 || states == 2 ? 0 : 2;
}

TEST(Generations, GiveTheCellsOfASerialReference) {
  std::mt19937 random(1);
  for (int n = 0; n < 60; ++n) {
    char const shape = "MVH"[n % 3];
    int const most = shape == 'M' ? 8 : shape == 'V' ? 4 : 6;
    int const states = n % 10 == 9 ? 256 : 2 + static_cast<int>(random() % 6);
    unsigned const born = random() & ~1u, survives = random();
    std::string b, s;
    for (int count = 0; count <= most; ++count) {
      if (born >> count & 1u) b += std::to_string(count);
      if (survives >> count & 1u) s += std::to_string(count);
    }
    std::string const suffix = shape == 'M' ? "" : std::string(1, shape);
    auto const rule = n % 2 == 0   ? fmt::format("{}/{}/{}{}", s, b, states, suffix)
                      : n % 4 == 1 ? fmt::format("B{}/S{}/C{}{}", b, s, states, suffix)
                                   : fmt::format("B{}S{}G{}{}", b, s, states, suffix);
    ASSERT_EQ(ca::known_rule(rule)->name, "generations") << rule;
    auto const next = [=](PlaneReference::At const& at) {
      int const centre = at(0, 0), count = neighbours_alive(at, shape);
      return decays(centre, ((centre == 1 ? survives : born) >> count & 1u) != 0, states);
    };
    expect_same_cells(rule, next, states, random);
  }
}

/// Hensel's arrangements of one to four neighbours, as Golly's help draws them, by letter; rows from the top.
std::map<char, std::string> const pictures[5] = {{},
                                                 {{'c', "#........"}, {'e', ".#......."}},
                                                 {{'c', "#.#......"},
                                                  {'e', ".#.#....."},
                                                  {'a', "##......."},
                                                  {'i', ".#.....#."},
                                                  {'k', ".#......#"},
                                                  {'n', "#.......#"}},
                                                 {{'c', "#.#...#.."},
                                                  {'e', ".#.#.#..."},
                                                  {'a', "##.#....."},
                                                  {'i', "###......"},
                                                  {'k', ".#.#....#"},
                                                  {'n', "##....#.."},
                                                  {'y', "#.#....#."},
                                                  {'q', "##......#"},
                                                  {'j', ".###....."},
                                                  {'r', "##.....#."}},
                                                 {{'c', "#.#...#.#"},
                                                  {'e', ".#.#.#.#."},
                                                  {'a', "##.#..#.."},
                                                  {'i', "#.##.#..."},
                                                  {'k', "##...##.."},
                                                  {'n', "###...#.."},
                                                  {'y', "#.#..##.."},
                                                  {'q', "##.#....#"},
                                                  {'j', ".#.#.##.."},
                                                  {'r', "##.#.#..."},
                                                  {'t', "###....#."},
                                                  {'w', "##...#..#"},
                                                  {'z', "##.....##"}}};

/// The least of the eight turned and mirrored pictures: the same for those of one arrangement.
std::string standing(std::string picture) {
  std::string least = picture;
  for (int turn = 0; turn < 8; ++turn) {
    std::string next(9, '.');
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) next[turn == 4 ? 3 * r + 2 - c : 3 * c + 2 - r] = picture[3 * r + c];
    picture = next;
    least = std::min(least, picture);
  }
  return least;
}
/// The letter of the neighbours that are alive, as '#' or, of more than four, of those that are not; 0 for none and all.
char letter_of(PlaneReference::At const& at, int count) {
  std::string picture;
  for (auto const& [i, j] : around) picture += i == 0 && j == 0 ? '.' : (at(i, j) == 1) == (count <= 4) ? '#' : '.';
  for (auto const& [letter, drawn] : pictures[std::min(count, 8 - count)])
    if (standing(drawn) == standing(picture)) return letter;
  return 0;
}

/// Counts with letters, as a rulestring and as the letters of each; '*' for all.
struct Half {
  std::string text, meant[9];
  explicit Half(std::mt19937& random) {
    for (std::size_t n = 1; n <= 8; ++n) {
      if (random() % 2 == 0) continue;
      text += std::to_string(n);
      auto const& all = pictures[std::min<std::size_t>(n, 8 - n)];
      std::string some, others;
      for (auto const& [letter, drawn] : all) (random() % 2 == 0 ? some : others) += letter;
      if (some.empty() || others.empty()) {
        meant[n] = "*";
      } else if (random() % 2 == 0) {
        text += meant[n] = some;
      } else {
        text += '-' + others;
        meant[n] = some;
      }
    }
  }
  bool has(int count, char letter) const {
    return meant[count] == "*" || (letter != 0 && meant[count].find(letter) != std::string::npos);
  }
};

TEST(Isotropic, GivesTheCellsOfASerialReferenceByHenselsLetters) {
  std::mt19937 random(2);
  for (int n = 0; n < 30; ++n) {
    Half const born(random), survives(random);
    int const states = n % 3 == 0 ? 4 : 2;
    auto const rule = states > 2 ? fmt::format("{}/{}/{}", survives.text, born.text, states)
                                 : fmt::format("B{}/S{}", born.text, survives.text);
    auto const next = [&](PlaneReference::At const& at) {
      int const centre = at(0, 0), count = neighbours_alive(at, 'M');
      return decays(centre, (centre == 1 ? survives : born).has(count, letter_of(at, count)), states);
    };
    expect_same_cells(rule, next, states, random);
  }
}

TEST(Isotropic, GivesTheCellsOfASerialReferenceByMap) {
  std::mt19937 random(3);
  std::string_view const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int n = 0; n < 30; ++n) {
    char const shape = "MVH"[n % 3];
    std::string map(shape == 'M' ? 86 : shape == 'V' ? 6 : 22, 'A');
    for (char& c : map) c = digits[random() % 64];
    auto const next = [&](PlaneReference::At const& at) {
      std::size_t bit = 0;
      for (auto const& [i, j] : around)
        if (shape == 'M' || (shape == 'V' ? i == 0 || j == 0 : i != j || i == 0)) bit = 2 * bit + (at(i, j) == 1);
      return decays(at(0, 0), (digits.find(map[bit / 6]) >> (5 - bit % 6) & 1u) != 0, n % 2 == 0 ? 2 : 5);
    };
    expect_same_cells("MAP" + map + (n % 4 == 0 ? "==" : "") + (n % 2 == 0 ? "" : "/5"), next, n % 2 == 0 ? 2 : 5,
                      random);
  }
}

TEST(Rulestrings, HaveOneSpellingForAllThatMeanTheSame) {
  for (auto const& [word, name, text] :
       {std::tuple{"B2nic/S", "isotropic", "B2cin/S"},
        {"B2ceikn_S12", "isotropic", "B2-a/S12"},
        {"B4-qjrtwz/S", "isotropic", "B4aceikny/S"},
        {"B2aceikn3/S23", "life", "B23/S23"},
        {"B2-3/S23", "life", "B23/S23"},
        {"B2-aceikn3/S23", "life", "B3/S23"},
        {"B234", "life", "B234/S"},
        {"B36_S23", "life", "B36/S23"},
        {"B2/S345/C4", "generations", "345/2/4"},
        {"B2/S/G3", "generations", "/2/3"},
        {"B2/C3", "generations", "/2/3"},
        {"23-a/3/4", "isotropic", "23-a/3/4"},
        {"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA", "life", "B3/S23"},
        {"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA/2", "generations",
         "23/3/2"},
        {"MAP/wAAAA", "isotropic", "MAP/wAAAA"}}) {
    auto const known = ca::known_rule(word);
    ASSERT_TRUE(known) << word;
    EXPECT_EQ(known->name, name) << word;
    EXPECT_EQ(known->canonical, text) << word;
  }
  for (char const* word : {"/1a/8", "/5z/8", "B1a/S", "23/3/1", "23/3/257", "23/3/", "B2e/S3V", "MAPAAAAA", "B3/S23/C",
                           "B3/S23/4x", "MAP", "23/3/4/5"})
    EXPECT_FALSE(ca::known_rule(word)) << word;
}

TEST(Rulestrings, KeepFixedSidesAndStatesWithinTheirRule) {
  auto const layout = make_layout({8, 8, 1}, {0, 0, 0});
  auto const complaint = [&](std::string const& word, std::string const& text) -> std::string {
    auto properties = core::Dictionary::parse("rule \"" + word + "\"; " + text, "properties");
    try {
      auto const automaton = ca::make_automaton(word, properties, *layout);
      return std::to_string(automaton->states());
    } catch (core::Error const& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint("345/2/4", "boundary { left fixed 3; }"), "4");
  EXPECT_EQ(complaint("B2-a/S12", ""), "2");
  EXPECT_NE(complaint("345/2/4", "boundary { left fixed 4; }").find("expected a state 0 .. 3"), std::string::npos);
  EXPECT_NE(complaint("generations", "").find("expected a rulestring"), std::string::npos);
  EXPECT_NE(complaint("isotropic", "").find("expected a rulestring"), std::string::npos);
}

}  // namespace tessera::tests
