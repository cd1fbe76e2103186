// SPDX-License-Identifier: Apache-2.0
#include "ca/backbones.hpp"
#include "tests/support/serial_blocks.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace tessera::tests {
namespace {

/// Overlapping blocks of random sites, two and three cells wide, with some holes and bits: pores as smooth as those that
/// local rules are for.
Medium smooth_medium(core::Grid::Shape n, double p, std::uint64_t seed) {
  Medium m(n);
  core::Random const random{seed, 5};
  auto const coarse = [&](core::Count i, core::Count j, core::Count k, core::Count width) {
    return random.uniform(static_cast<std::uint64_t>((((k / width) * 64 + j / width) * 64 + i / width) * 4 + width)) <
           p;
  };
  for (core::Count k = 0; k < n[2]; ++k)
    for (core::Count j = 0; j < n[1]; ++j)
      for (core::Count i = 0; i < n[0]; ++i) {
        double const luck = random.uniform(static_cast<std::uint64_t>(((k * 128 + j) * 128 + i) * 4));
        bool const pore = coarse(i, j, k, 3) && coarse(i + 1, j + 1, k + 1, 2);
        m.at(i, j, k) = luck < 0.02 ? !pore : pore;
      }
  return m;
}

/// A random medium with random shape, tiles, owners, periodic axes, inlet and outlet.
class RandomCase {
 public:
  RandomCase(bool flat, double threshold, std::uint64_t seed) : random_{seed, 17}, medium({1, 1, 1}) {
    core::Grid::Shape n{1, 1, 1};
    bool const large = any(6) == 0;
    for (std::size_t a = 0; a < (flat ? 2u : 3u); ++a) n[a] = 1 + any(flat ? (large ? 90 : 16) : (large ? 20 : 7));
    if (any(5) == 0) n[any(2)] = 1;
    double const p = std::min(0.97, threshold * (0.8 + 0.01 * any(90)));
    medium = any(2) == 0 ? random_medium(n, p, seed) : smooth_medium(n, std::max(0.4, p), seed);
    for (std::size_t a = 0; a < 3; ++a) medium.periodic[a] = n[a] > 1 && any(3) == 0;
    for (std::size_t a = 0; a < 3; ++a) tile[a] = any(3) == 0 ? 0 : 1 + any(5);
    inlet = end(any(2) * 2, inlet_side);
    outlet = end(any(2) * 2 + 1, outlet_side);
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(n, tile, medium.periodic));
    core::Comm const world;
    layout = std::make_unique<core::Layout>(grid, owner_tables(*grid, world.size())[any(3)], world);
  }

 private:
  int any(int n) { return static_cast<int>(random_.uniform(count_++) * n); }
  Medium end(int number, std::optional<core::Side>& side) {
    if (any(2) == 0) {
      side = static_cast<core::Side>(number);
      return side_of(medium, *side);
    }
    return random_medium(medium.n, any(2) == 0 ? 0.02 : 0.3, 1000 + count_);
  }
  core::Random random_;
  std::uint64_t count_ = 0;

 public:
  Medium medium;
  Medium inlet{{1, 1, 1}}, outlet{{1, 1, 1}};
  std::optional<core::Side> inlet_side, outlet_side;
  core::Grid::Shape tile{};
  std::unique_ptr<core::Layout> layout;
};

std::string difference(Medium const& m, std::vector<std::uint8_t> const& found, Medium const& expected) {
  if (found == expected.cells) return "";
  Medium got(m.n);
  got.cells = found;
  return "found\n" + got.text() + "expected\n" + expected.text();
}

/// Random media on one lattice; `neighbours` of each.
template <class Neighbours>
void check_random_cases(ca::Lattice const& lattice, Neighbours const& neighbours, bool flat, double threshold,
                        std::uint64_t media, std::string const& what) {
  auto const seed = static_cast<std::uint64_t>(::testing::GTEST_FLAG(random_seed));
  int spanning = 0, parted = 0;
  for (std::uint64_t n = 0; n < media; ++n) {
    RandomCase const c(flat, threshold, media * seed + n);
    Medium const& m = c.medium;
    SerialBlocks const expected(m, c.inlet, c.outlet, neighbours(m));
    auto const inlet = field_of(c.inlet, *c.layout), outlet = field_of(c.outlet, *c.layout);
    auto const cells = [](auto const& side, auto const& mask) {
      return side ? ca::EndCells(*side) : ca::EndCells(*mask);
    };
    auto const found = ca::backbone_between(*field_of(m, *c.layout), cells(c.inlet_side, inlet),
                                            cells(c.outlet_side, outlet), lattice);
    std::string const backbone = difference(m, collect(*found.backbone), expected.backbone),
                      articulation = difference(m, collect(*found.articulation), expected.articulation),
                      red = difference(m, collect(*found.red), expected.red);
    ASSERT_TRUE(found.spans == expected.spans && backbone.empty() && articulation.empty() && red.empty())
        << what << " " << media * seed + n << " periodic " << m.periodic[0] << m.periodic[1] << m.periodic[2]
        << " tile " << c.tile[0] << " " << c.tile[1] << " " << c.tile[2] << "\n"
        << m.text() << "inlet\n"
        << c.inlet.text() << "outlet\n"
        << c.outlet.text() << "backbone " << backbone << "articulation " << articulation << "red " << red;
    auto const count = [](Medium const& mask) { return std::count(mask.cells.begin(), mask.cells.end(), 1); };
    EXPECT_EQ(found.backbone_sites, count(expected.backbone));
    EXPECT_EQ(found.articulation_sites, count(expected.articulation));
    EXPECT_EQ(found.red_sites, count(expected.red));
    spanning += expected.spans;
    parted += expected.spans && found.articulation_sites > 0 && found.red_sites > 0;
  }
  EXPECT_GT(spanning, static_cast<int>(media) / 8) << what;
  EXPECT_GT(parted, 0) << what;
}

}  // namespace

// Others: --gtest_random_seed=1 and so on.
TEST(Regions, FindWhatOneSearchFinds) {
  for (LatticeSample const& sample : lattice_samples())
    check_random_cases(
        ca::make_lattice(sample.name, sample.connectivity),
        [&](Medium const& m) { return neighbours_of(m, sample.name, sample.connectivity); }, sample.cells[2] == 1,
        sample.threshold, 80, sample.name + std::to_string(sample.connectivity));
}

TEST(Regions, FindWhatOneSearchFindsOverListedNeighbours) {
  for (ListedSample const& sample : listed_samples()) {
    auto const lattice = ca::make_lattice(sample.steps);
    check_random_cases(
        lattice, [&](Medium const& m) { return neighbours_of(m, lattice.offsets()); }, sample.cells[2] == 1,
        sample.threshold, 80, sample.name);
  }
}

}  // namespace tessera::tests
