// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kirchhoff.hpp"
#include "tests/support/percolation_case.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>

using namespace tessera;
using tests::PercolationCase;

namespace {

/// A lattice by its definition: steps to half of the neighbours, and the cells that it leaves out; `listed` ones are by their
/// neighbours, of sites alone.
struct LatticeKind {
  std::string name;
  int connectivity;
  std::vector<core::Index> steps;
  core::Grid::Shape cells;
  std::string tile;
  bool apart;  ///< no triangles: paths over bonds are those over cells
  double site_threshold, bond_threshold;
  std::string entry() const {
    return name == "listed" ? tests::listed(steps) : fmt::format("lattice {}; connectivity {};", name, connectivity);
  }
  /// Sources: square site Jacobsen 2015, J. Phys. A 48:454003; kagome bond, honeycomb site Jacobsen 2014, J. Phys. A 47:135001;
  /// triangular, honeycomb bonds, kagome sites Sykes & Essam 1964, J. Math. Phys. 5:1117; cubic Wang et al. 2013, Phys. Rev. E
  /// 87:052107; bcc, fcc Lorenz & Ziff 1998, J. Phys. A 31:8147 (sites), Phys. Rev. E 57:230 (bonds); listed: square to the third
  /// nearest Malarz & Galam 2005, Phys. Rev. E 71:016125, cubic with first and fourth nearest
  /// Malarz 2015, Phys. Rev. E 91:043301.
};

std::vector<LatticeKind> const kinds{
    {"square", 4, {{1, 0, 0}, {0, 1, 0}}, {6, 7, 1}, "(4 5 1)", true, 0.592746, 0.5},
    {"triangular", 6, {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {6, 7, 1}, "(5 3 1)", false, 0.5, 0.347296},
    {"honeycomb", 3, {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {6, 9, 1}, "(4 4 1)", true, 0.697040, 0.652704},
    {"kagome", 4, {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {6, 7, 1}, "(5 4 1)", false, 0.652704, 0.524405},
    {"cubic", 6, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {4, 3, 4}, "(3 4 3)", true, 0.311608, 0.248812},
    {"bcc", 8, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {4, 3, 4}, "(3 2 4)", true, 0.245962, 0.180288},
    {"fcc",
     12,
     {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 0}, {0, 1, -1}, {1, 0, -1}},
     {4, 3, 4},
     "(2 3 3)",
     false,
     0.199237,
     0.120164},
    {"listed",
     12,
     {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {-1, 1, 0}, {2, 0, 0}, {0, 2, 0}},
     {6, 7, 1},
     "(4 3 1)",
     true,
     0.292,
     0},
    {"listed",
     12,
     {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}},
     {4, 3, 4},
     "(3 3 1)",
     true,
     0.1504,
     0},
};

/// What can be drawn on a lattice.
std::vector<bool> draws(LatticeKind const& kind) {
  return kind.name == "listed" ? std::vector<bool>{false} : std::vector<bool>{false, true};
}

bool exists(LatticeKind const& kind, core::Index const& x) {
  if (kind.name == "honeycomb") return (x.i + x.j) % 3 != 0;
  return kind.name != "kagome" || x.i % 2 == 0 || x.j % 2 == 0;
}

/// Sites and open bonds of one sample, drawn as the program documents.
struct Graph {
  tests::Medium sites;
  std::vector<std::pair<int, int>> bonds;
  std::int64_t drawn = 0, open = 0;  ///< of what is drawn: all there are, and those that are there

  Graph(LatticeKind const& kind, bool of_bonds, bool periodic, double p, std::uint64_t seed) : sites(kind.cells) {
    core::Random const random{seed, 0};
    auto const n = kind.cells;
    std::array<core::Count, 3> wide{};
    for (std::size_t a = 0; a < 3; ++a) wide[a] = n[a] == 1 ? 1 : periodic && a == 0 ? 2 * n[a] : 2 * n[a] - 1;
    auto const for_sites = [&](auto const& f) {
      for (core::Count k = 0; k < n[2]; ++k)
        for (core::Count j = 0; j < n[1]; ++j)
          for (core::Count i = 0; i < n[0]; ++i)
            if (exists(kind, {i, j, k})) f(core::Index{i, j, k}, static_cast<int>((k * n[1] + j) * n[0] + i));
    };
    for_sites([&](core::Index const&, int c) {
      sites.cells[static_cast<std::size_t>(c)] = of_bonds || random.uniform(static_cast<std::uint64_t>(c)) < p;
      drawn += !of_bonds;
      open += !of_bonds && sites.cells[static_cast<std::size_t>(c)] != 0;
    });
    for_sites([&](core::Index const& x, int c) {
      for (core::Index const& d : kind.steps) {
        core::Index y = x + d;
        if (periodic) y.i = (y.i + n[0]) % n[0];
        if (y.i < 0 || y.j < 0 || y.k < 0 || y.i >= n[0] || y.j >= n[1] || y.k >= n[2] || !exists(kind, y)) continue;
        if (of_bonds) {
          ++drawn;
          core::Index const cell{(2 * x.i + d.i + wide[0]) % wide[0], 2 * x.j + d.j, 2 * x.k + d.k};
          if (!(random.uniform(static_cast<std::uint64_t>((cell.k * wide[1] + cell.j) * wide[0] + cell.i)) < p))
            continue;
          ++open;
        }
        int const o = static_cast<int>((y.k * n[1] + y.j) * n[0] + y.i);
        if (sites.cells[static_cast<std::size_t>(c)] != 0 && sites.cells[static_cast<std::size_t>(o)] != 0)
          bonds.emplace_back(c, o);
      }
    });
  }

  std::size_t axis() const { return sites.n[2] > 1 ? 2 : 1; }
  tests::Medium low() const { return tests::side_of(sites, static_cast<core::Side>(2 * axis())); }
  tests::Medium high() const { return tests::side_of(sites, static_cast<core::Side>(2 * axis() + 1)); }

  /// Clusters, and those of them that span, without a site and a bond (-1: all are there).
  std::pair<std::int64_t, std::int64_t> clusters(int no_site = -1, int no_bond = -1) const {
    std::vector<int> parent(sites.cells.size());
    std::iota(parent.begin(), parent.end(), 0);
    auto const root = [&](int c) {
      while (parent[static_cast<std::size_t>(c)] != c) c = parent[static_cast<std::size_t>(c)];
      return c;
    };
    for (std::size_t b = 0; b < bonds.size(); ++b) {
      auto const [one, other] = bonds[b];
      if (static_cast<int>(b) != no_bond && one != no_site && other != no_site)
        parent[static_cast<std::size_t>(root(one))] = root(other);
    }
    auto const from = low(), to = high();
    std::vector<int> touches(sites.cells.size(), 0);
    std::int64_t all = 0, spanning = 0;
    for (int c = 0; c < sites.size(); ++c) {
      auto const at = static_cast<std::size_t>(c);
      if (sites.cells[at] == 0 || c == no_site) continue;
      touches[static_cast<std::size_t>(root(c))] |= (from.cells[at] != 0 ? 1 : 0) | (to.cells[at] != 0 ? 2 : 0);
      all += root(c) == c;
    }
    for (int const t : touches) spanning += t == 3;
    return {all, spanning};
  }
  std::int64_t red_sites() const {
    std::int64_t red = 0;
    if (clusters().second > 0)
      for (int c = 0; c < sites.size(); ++c)
        red += sites.cells[static_cast<std::size_t>(c)] != 0 && clusters(c).second == 0;
    return red;
  }
  std::int64_t red_bonds() const {
    std::int64_t red = 0;
    if (clusters().second > 0)
      for (std::size_t b = 0; b < bonds.size(); ++b) red += clusters(-1, static_cast<int>(b)).second == 0;
    return red;
  }
  std::vector<std::vector<int>> neighbours() const {
    std::vector<std::vector<int>> result(sites.cells.size());
    for (auto const& [one, other] : bonds) {
      result[static_cast<std::size_t>(one)].push_back(other);
      result[static_cast<std::size_t>(other)].push_back(one);
    }
    return result;
  }
  /// Sites on a shortest path, 0: there is none.
  std::int64_t shortest() const {
    auto const distance = tests::reference_distances(sites, low(), neighbours());
    auto const to = high();
    std::int64_t least = 0;
    for (std::size_t c = 0; c < distance.size(); ++c)
      if (to.cells[c] != 0 && distance[c] >= 0 && (least == 0 || distance[c] + 1 < least)) least = distance[c] + 1;
    return least;
  }
};

}  // namespace

// One rank has all seeds, more have each second one.
TEST(Lattices, HaveTheClustersRedSitesPathsAndCurrentsOfTheirGraphs) {
  for (auto const& kind : kinds)
    for (bool const of_bonds : draws(kind)) {
      int spanning = 0;
      auto const ranks = static_cast<std::uint64_t>(core::Comm().size());
      for (std::uint64_t seed = ranks == 3 ? 2 : 1; seed <= 8; seed += ranks == 1 ? 1 : 2) {
        bool const periodic = seed % 3 == 0, deep = !of_bonds || kind.apart;
        double const p = std::min(0.95, 1.2 * (of_bonds ? kind.bond_threshold : kind.site_threshold));
        Graph const graph(kind, of_bonds, periodic, p, seed);
        auto const where = fmt::format("{} {}, seed {}{}", of_bonds ? "bonds" : "sites", kind.name, seed,
                                       periodic ? ", periodic" : "");
        PercolationCase a_case(fmt::format("input {{ type {}; probability {}; seed {}; }} {} frame none; definition D2;"
                                           "electrodes sites; {}",
                                           of_bonds ? "bonds" : "random", p, seed, kind.entry(),
                                           deep ? "conductivity yes; verify yes;" : ""),
                               fmt::format("cells ({} {} {}); tile {}; periodic ({} no no);", kind.cells[0],
                                           kind.cells[1], kind.cells[2], kind.tile, periodic ? "yes" : "no"));
        if (!deep)
          a_case.write("constant/percolationProperties",
                       fmt::format("input {{ type bonds; probability {}; seed {}; }} lattice {};", p, seed, kind.name));
        auto const results = a_case.run()["results"];
        auto const [clusters, spans] = graph.clusters();
        spanning += spans > 0;
        EXPECT_NEAR(results["occupation"].get<double>(),
                    static_cast<double>(graph.open) / static_cast<double>(graph.drawn), 1e-12)
            << where;
        EXPECT_EQ(results["clusters"], clusters) << where;
        EXPECT_EQ(results["spanningClusters"], spans) << where;
        if (!deep) continue;
        EXPECT_EQ(results["redSites"], graph.red_sites()) << where;
        if (of_bonds) {
          EXPECT_EQ(results["redBonds"], graph.red_bonds()) << where;
        }
        auto const shortest = graph.shortest();
        EXPECT_EQ(results["shortestPath"].is_null() ? 0 : results["shortestPath"].get<std::int64_t>(), shortest)
            << where;
        if (shortest > 0) {  // a full medium has no sites where the lattice has none
          auto const straight = Graph(kind, of_bonds, periodic, 2, seed).shortest();
          EXPECT_DOUBLE_EQ(results["tortuosity"], static_cast<double>(shortest) / static_cast<double>(straight))
              << where;
        }
        auto const expected = tests::kirchhoff(
            graph.sites, graph.neighbours(), graph.low(), graph.high(), [](int, int) { return 1.0; },
            [](int) { return 1.0; });
        EXPECT_NEAR(results["conductance"].get<double>(), expected.conductance, 1e-9) << where;
        EXPECT_LE(results["currentOffBackbone"].get<double>(), 1e-9) << where;
      }
      EXPECT_GE(spanning, ranks == 1 ? 2 : 1) << kind.name << of_bonds;
    }
}

// Most media a sixth above the published threshold span, few of those a sixth below it. Sharper: bench/thresholds.py.
TEST(Lattices, BeginToSpanAtTheThresholdsThatArePublished) {
  for (auto const& kind : kinds)
    for (bool const of_bonds : draws(kind)) {
      bool const spatial = kind.cells[2] > 1;
      double const p = of_bonds ? kind.bond_threshold : kind.site_threshold;
      PercolationCase a_case(
          fmt::format("input {{ type {}; probability ({} {}); samples 30; seed 2; }} {} frame none; {}",
                      of_bonds ? "bonds" : "random", p / 1.17, p * 1.17, kind.entry(),
                      kind.name == "square" && !of_bonds ? "definition D2;" : "backbone no; shortestPath no;"),
          spatial ? "cells (20 20 20);" : "cells (60 60 1);");
      auto const table = a_case.run()["results"]["ensemble"];
      EXPECT_LT(table[0]["spans"]["mean"].get<double>(), 0.2) << kind.name << of_bonds;
      EXPECT_GT(table[1]["spans"]["mean"].get<double>(), 0.8) << kind.name << of_bonds;
    }
}

TEST(Lattices, RefuseInASentenceWhatTheyCannot) {
  PercolationCase a_case("input { type bonds; probability 0.5; }", "cells (10 12 1);");
  auto const expect = [&](std::vector<std::string> settings, std::string const& words) {
    for (auto& s : settings)
      if (s.find(':') == std::string::npos) s = "constant/percolationProperties:" + s;
    auto const complaint = a_case.complaint(settings);
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  EXPECT_EQ(a_case.complaint(), "");
  expect({"connectivity=8"}, "expected square 4, triangular, honeycomb, kagome, cubic 6, bcc or fcc");
  expect({"lattice=triangular", "backbone=yes"}, "of bonds of lattice triangular clusters alone are found");
  expect({"lattice=kagome", "conductivity=yes"}, "clusters alone are found");
  expect({"lattice=honeycomb", "system/gridDict:periodic=(yes no no)"}, "a multiple of 3 cells, but x has 10");
  expect({"thickness=yes"}, "not for bonds");
  expect({"frame=inside"}, "has a frame");
  expect({"lattice=honeycomb", "system/gridDict:cells=(9 9 4)"}, "a lattice of one layer");
  expect({"lattice={ neighbours ((1 0 0)(0 1 0)); }"}, "bonds between listed neighbours would cross");
}

TEST(Lattices, RefuseNeighboursThatCannotBe) {
  PercolationCase a_case("input { type random; probability 0.5; }\n\nlattice {\n  neighbours ((1 0 0)(0 1 0)); }",
                         "cells (10 12 1);");
  auto const expect = [&](std::vector<std::string> settings, std::string const& words) {
    for (auto& s : settings)
      if (s.find(':') == std::string::npos) s = "constant/percolationProperties:" + s;
    auto const complaint = a_case.complaint(settings);
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  auto const list = [&](std::string const& neighbours, std::string const& words) {
    expect({"lattice.neighbours=" + neighbours}, "'neighbours' " + words);
  };
  EXPECT_EQ(a_case.complaint(), "");
  list("((1 0 0)(0 0 0))", "cannot be taken: the neighbour (0 0 0) is the cell itself");
  list("((1 0 0)(1 0 0))", "cannot be taken: the neighbour (1 0 0) comes twice");
  list("((9 0 0))", "cannot be taken: the neighbour (9 0 0) is further away than 8 cells along x");
  list("()", "cannot be taken: no neighbours");
  list("((1 0 0)(0 1 1))", "holds (0 1 1), in another layer, but the medium has one layer");
  list("((1 0)(0 1))", "has 2 values, expected 3");
  list("((1 0 0)(0 0.5 0))", "is '((1 0 0) (0 0.5 0))', expected an integer");
  expect({"system/gridDict:cells=(9 9 4)"}, "'neighbours' joins no layers, but the medium has 4");
  expect({"connectivity=4"}, "'connectivity' stands beside listed neighbours");
  expect({"lattice.neighbour=((1 0 0))"}, "unknown entry 'neighbour'");
  expect({"method=plane"}, "plane is for the square lattice with 4 neighbours");
  expect({"method=paper"}, "paper is for the square lattice with 4 neighbours");
  expect({"propagation=synchronous"}, "the automaton is for the square lattice");
  expect({"thickness=yes"}, "not for listed neighbours");
  expect({"drainage=yes"}, "not for listed neighbours");
  expect({"frame=inside"}, "has a frame");
  expect({"definition=D1"}, "inlet and outlet are electrodes");
}
