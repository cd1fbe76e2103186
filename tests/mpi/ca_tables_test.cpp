// SPDX-License-Identifier: Apache-2.0
#include "ca/table/rule_file.hpp"
#include "tests/support/plane_reference.hpp"

#include <bit>
#include <map>
#include <set>

namespace tessera::tests {

using At = PlaneReference::At;
using Place = std::array<int, 2>;

/// Neighbours in the order in which a table lists them, and where a symmetry moves them: the same as turns and mirror
/// images of the plane, or of the ring of neighbours where a symmetry has nothing to do with the plane.
struct Shape {
  std::string name;
  std::vector<Place> neighbours;
  std::map<std::string, std::vector<std::vector<std::size_t>>> symmetries = {};
};

/// All that come of the generators, applied again and again to the numbers 0 .. n - 1.
std::vector<std::vector<std::size_t>> generated(std::vector<std::vector<std::size_t>> const& generators,
                                                std::size_t n) {
  std::vector<std::size_t> same(n);
  for (std::size_t i = 0; i < n; ++i) same[i] = i;
  std::set<std::vector<std::size_t>> all{same};
  for (std::size_t before = 0; before != all.size();) {
    before = all.size();
    for (auto const& one : std::set(all))
      for (auto const& by : generators) {
        auto next = one;
        for (std::size_t i = 0; i < n; ++i) next[i] = one[by[i]];
        all.insert(next);
      }
  }
  return {all.begin(), all.end()};
}

std::vector<Shape> shapes() {
  std::vector<Shape> all{
      {"vonNeumann", {{0, 1}, {1, 0}, {0, -1}, {-1, 0}}},
      {"Moore", {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}},
      {"hexagonal", {{0, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, 0}, {-1, 1}}},
      {"oneDimensional", {{-1, 0}, {1, 0}}},
  };
  // by a map of the plane
  auto const moved = [](Shape const& shape, int xx, int xy, int yx, int yy) {
    std::vector<std::size_t> to;
    for (auto const& [x, y] : shape.neighbours) {
      Place const there{xx * x + xy * y, yx * x + yy * y};
      to.push_back(static_cast<std::size_t>(std::find(shape.neighbours.begin(), shape.neighbours.end(), there) -
                                            shape.neighbours.begin()));
    }
    return to;
  };
  for (auto& s : all) {
    auto const n = s.neighbours.size();
    std::vector<std::size_t> next(n);
    for (std::size_t i = 0; i < n; ++i) next[i] = (i + 1) % n;
    auto const mirror = s.name == "hexagonal" ? std::vector<std::size_t>{0, 5, 4, 3, 2, 1} : moved(s, -1, 0, 0, 1);
    auto const turn = moved(s, 0, 1, -1, 0);
    s.symmetries["none"] = generated({}, n);
    if (n == 2) s.symmetries["reflect"] = generated({mirror}, n);
    if (n == 4 || n == 8) {
      s.symmetries["rotate4"] = generated({turn}, n);
      s.symmetries["rotate4reflect"] = generated({turn, mirror}, n);
      s.symmetries["reflect_horizontal"] = generated({mirror}, n);
    }
    if (n == 8) {
      s.symmetries["rotate8"] = generated({next}, n);
      s.symmetries["rotate8reflect"] = generated({next, mirror}, n);
    }
    if (n == 6) {
      s.symmetries["rotate2"] = generated({moved(s, -1, 0, 0, -1)}, n);
      s.symmetries["rotate3"] = generated({{2, 3, 4, 5, 0, 1}}, n);
      s.symmetries["rotate6"] = generated({next}, n);
      s.symmetries["rotate6reflect"] = generated({next, mirror}, n);
    }
    s.symmetries["permute"] = {};
  }
  return all;
}

/// A table drawn at random: its text, and the next state by going through its lines.
struct DrawnTable {
  Shape const* shape;
  std::string symmetry;
  int states;
  std::map<std::string, std::vector<int>> variables;
  std::vector<std::vector<std::string>> lines;  // centre, neighbours, next state

  DrawnTable(Shape const& of, std::string const& by, std::mt19937& random) : shape(&of), symmetry(by) {
    auto const pick = [&](std::size_t n) { return static_cast<int>(random() % n); };
    states = 2 + pick(7);
    auto const state = [&] { return std::to_string(pick(static_cast<std::size_t>(states))); };
    for (char const* name : {"a", "b", "c", "d", "any"})
      for (int s = 0; s < states; ++s)
        if (name == std::string("any") || pick(2) == 0 || (s == states - 1 && variables[name].empty()))
          variables[name].push_back(s);
    for (int n = 0; n < 12; ++n) {
      std::vector<std::string> line;
      for (std::size_t cell = 0; cell <= of.neighbours.size(); ++cell) {
        int const kind = pick(8);
        line.push_back(kind < 2 ? state() : kind == 2 ? std::string(1, "abcd"[pick(4)]) : fmt::format("any{}", cell));
      }
      auto const copied = line[static_cast<std::size_t>(pick(line.size()))];
      line.push_back(pick(2) == 0 ? copied : state());
      lines.push_back(line);
    }
    expand();
  }
  std::vector<int> values(std::string const& word) const {
    if (word.starts_with("any")) return variables.at("any");
    auto const found = variables.find(word);
    return found == variables.end() ? std::vector{std::stoi(word)} : found->second;
  }
  std::string text() const {
    auto text = fmt::format("@RULE drawn\n@TABLE\n# drawn\nn_states:{}\nneighborhood:{}\nsymmetries:{}\n", states,
                            shape->name, symmetry);
    for (auto const& [name, all] : variables) text += fmt::format("var {}={{{}}}\n", name, fmt::join(all, ","));
    for (int n = 0; n < 9; ++n) text += fmt::format("var any{} = {{any}}\n", n);
    for (auto const& line : lines) text += fmt::format("{} # a comment\n", fmt::join(line, ","));
    return text;
  }

  /// Whether each neighbour's state is in one of the sets, each set taken once.
  static bool fits(std::vector<int> const& seen, std::vector<std::vector<int>> const& sets, unsigned taken = 0) {
    auto const from = static_cast<std::size_t>(std::popcount(taken));
    if (from == seen.size()) return true;
    for (std::size_t s = 0; s < sets.size(); ++s)
      if ((taken >> s & 1u) == 0 && std::find(sets[s].begin(), sets[s].end(), seen[from]) != sets[s].end() &&
          fits(seen, sets, taken | 1u << s))
        return true;
    return false;
  }
  bool matches(std::vector<int> const& seen, std::vector<std::vector<int>> const& sets) const {
    auto const in = [](int value, std::vector<int> const& set) {
      return std::find(set.begin(), set.end(), value) != set.end();
    };
    if (!in(seen[0], sets[0])) return false;
    if (symmetry == "permute") return fits({seen.begin() + 1, seen.end()}, {sets.begin() + 1, sets.end() - 1});
    for (auto const& image : shape->symmetries.at(symmetry)) {
      bool all = true;
      for (std::size_t n = 0; n < image.size(); ++n) all = all && in(seen[1 + n], sets[1 + image[n]]);
      if (all) return true;
    }
    return false;
  }
  /// Variables that stand twice in a line take their values one after the other, the first of them fastest.
  void expand() {
    for (auto const& line : lines) {
      std::map<std::string, std::size_t> bound;
      for (auto const& word : line)
        if (values(word).size() > 1 && std::count(line.begin(), line.end(), word) > 1) bound[word] = 0;
      for (;;) {
        std::vector<std::vector<int>> sets;
        for (auto const& word : line)
          sets.push_back(bound.contains(word) ? std::vector{values(word)[bound[word]]} : values(word));
        expanded.push_back(std::move(sets));
        auto b = bound.begin();
        for (; b != bound.end(); ++b) {
          if (++b->second < values(b->first).size()) break;
          b->second = 0;
        }
        if (b == bound.end()) break;
      }
    }
  }
  int next(At const& at) const {
    std::vector<int> seen{at(0, 0)};
    for (auto const& [x, y] : shape->neighbours) seen.push_back(at(x, y));
    for (auto const& sets : expanded)
      if (matches(seen, sets)) return sets.back().front();
    return seen[0];
  }
  std::vector<std::vector<std::vector<int>>> expanded;
};

// Each number of ranks has tables of its own; those that permute, which take the longest, few ranks alone.
TEST(Table, GivesTheCellsOfASerialReferenceForAnyNeighbourhoodAndSymmetry) {
  int const ranks = core::Comm().size(), tables = ranks == 1 ? 2 : 1;
  std::mt19937 random(static_cast<unsigned>(ranks));
  for (auto const& shape : shapes())
    for (auto const& [symmetry, images] : shape.symmetries)
      for (int n = 0; n < tables && (ranks <= 2 || symmetry != "permute"); ++n) {
        DrawnTable const table(shape, symmetry, random);
        ca::table::add_rule_file("drawn", table.text(), "drawn.rule");
        expect_same_cells(
            "drawn", [&](At const& at) { return table.next(at); }, table.states, random);
        if (::testing::Test::HasFatalFailure()) FAIL() << table.text();
      }
}

TEST(Table, GivesTheCellsOfASerialReferenceForTrees) {
  std::mt19937 random(2);
  Place const order[9] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}, {0, 1}, {-1, 0}, {1, 0}, {0, -1}, {0, 0}};
  for (int const neighbours : {4, 8})
    for (int const states : {2, 3, 8, 17, 39}) {
      // three nodes a level, by number; at the last level, states
      std::vector<std::vector<int>> nodes;
      std::string text = fmt::format("@TREE\nnum_states={}\nnum_neighbors={}\nnum_nodes={}\n", states, neighbours,
                                     3 * (neighbours + 1));
      for (int level = 1; level <= neighbours + 1; ++level)
        for (int n = 0; n < 3; ++n) {
          std::vector<int> branches;
          for (int s = 0; s < states; ++s)
            branches.push_back(static_cast<int>(random() % static_cast<unsigned>(level == 1 ? states : 3)) +
                               (level == 1 ? 0 : 3 * (level - 2)));
          text += fmt::format("{} {}\n", level, fmt::join(branches, " "));
          nodes.push_back(branches);
        }
      auto const next = [&](At const& at) {
        std::size_t node = nodes.size() - 1;
        for (int cell = 8 - neighbours; cell < 9; ++cell)
          node = static_cast<std::size_t>(nodes[node][static_cast<std::size_t>(at(order[cell][0], order[cell][1]))]);
        return static_cast<int>(node);
      };
      ca::table::add_rule_file("drawn", text, "drawn.rule");
      for (int n = 0; n < 3; ++n) expect_same_cells("drawn", next, states, random);
    }
}

TEST(Table, IsReadWithAllThatAFileOfGollysMayHave) {
  auto const rule = ca::table::read_rule_file("@RULE Foo\n0 @TABLE of nothing\r\n@NAMES\n@TABLE\r\nn_states:3\r\n"
                                              "neighborhood:vonNeumann\nsymmetries:none\n000012 # one line\n"
                                              "@TREE\nof nothing\n@COLORS\n255 0 0 0 0 255\n1 1 2 3 no more\n",
                                              "Foo.rule");
  EXPECT_EQ(rule.around, ca::table::Around::four);
  EXPECT_EQ(rule.tree.states(), 3);
  EXPECT_EQ(rule.colours.at(1), (std::array<std::uint8_t, 3>{1, 2, 3}));
  EXPECT_EQ(rule.colours.at(2), (std::array<std::uint8_t, 3>{0, 0, 255}));
  EXPECT_FALSE(rule.colours.contains(0));
}

/// What a stranger's file may hold: millions of lines in four, and variables that double with each line.
TEST(Table, IsNoLargerThanItsLinesSay) {
  std::string text = "@TABLE\nn_states:256\nneighborhood:Moore\nsymmetries:none\nvar a={0";
  for (int n = 1; n < 256; ++n) text += fmt::format(",{}", n);
  text += "}\nvar b={a}\nvar c={a}\nvar d={a}\n";
  try {
    ca::table::read_rule_file(text + "a,a,b,b,c,c,d,d,0,1\n", "Foo.rule");
    ADD_FAILURE();
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("Foo.rule:9: with the choices"), std::string::npos) << error.what();
  }
  text = "@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:none\nvar v0={0,1}\n";
  for (int n = 1; n < 80; ++n) text += fmt::format("var v{}={{v{},v{}}}\n", n, n - 1, n - 1);
  auto const rule = ca::table::read_rule_file(text + "v79,v78,v77,v76,v75,1\n", "Foo.rule");
  EXPECT_EQ(rule.tree.states(), 2);
}

TEST(Table, TellsFileAndLineOfWhatIsWrong) {
  std::string const head = "@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:none\n";
  for (auto const& [text, says] : {std::pair{head + "0,0,0,0,1,3", "Foo.rule:5: found the state 3, expected 0 .. 2"},
                                   {head + "0,0,0,0,1", "found 5 states, expected 6"},
                                   {head + "0,0,0,0,1,x", "found 'x', expected a whole number"},
                                   {head + "var a={0,1}\n0,0,0,0,1,a", "the next state is 'a'"},
                                   {head + "var a={}", "with one state at least"},
                                   {"@TABLE\nn_states:300", "n_states is 300"},
                                   {"@TABLE\nneighborhood:cubic", "unknown neighborhood 'cubic'"},
                                   {"@TABLE\nneighborhood:Moore\nsymmetries:rotate6", "unknown symmetries 'rotate6'"},
                                   {"@TABLE\n0,0", "expected n_states, neighborhood and symmetries"},
                                   {"@TREE\nnum_states=2\nnum_neighbors=4\n1 0 1\n3 0 0", "expected a node of level 2"},
                                   {"@TREE\nnum_states=2\nnum_neighbors=4\n1 0 2", "expected a state 0 .. 1"},
                                   {"@TREE\nnum_states=2\nnum_neighbors=4\n1 0 1", "of the level of the first cell"},
                                   {"@TREE\n1 0 1", "num_states=2 .. 256"},
                                   {"@COLORS\n", "expected a section @TABLE or @TREE"}}) {
    try {
      ca::table::read_rule_file(text, "Foo.rule");
      ADD_FAILURE() << text;
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
}

}  // namespace tessera::tests
