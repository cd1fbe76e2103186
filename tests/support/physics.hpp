// SPDX-License-Identifier: Apache-2.0
#pragma once
// Percolation physics on random media: thresholds of single samples, means with errors, fits. One rank; used by the
// convergence tests and by bench/physics.
//
// The threshold of a sample: each cell has one random number u and is occupied at density p where u < p. What a cluster
// search tells, "spans" or "wraps", can only turn from no to yes as p grows, so bisection finds the p where it does. The
// distribution of these thresholds over samples is the spanning probability R(p), at all p at once.
#include "ca/clusters.hpp"
#include "ca/distances.hpp"
#include "ca/percolation.hpp"
#include "core/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace tessera::tests::physics {

/// Literature: thresholds, and wrapping probabilities of the square torus at the threshold (Pinson 1994, Newman & Ziff
/// 2001): a given axis, either, both, one and not the other.
inline constexpr double pc_square = 0.59274605079210, pc_square_8 = 1 - pc_square, pc_triangular = 0.5,
                        pc_cubic = 0.31160768;
inline constexpr double wrap_axis = 0.521058290, wrap_either = 0.690473725, wrap_both = 0.351642855,
                        wrap_one = 0.169415435;

struct Estimate {
  double value = 0, error = 0;  ///< one standard error
};

inline double sum_of(std::vector<double> const& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

inline Estimate mean(std::vector<double> const& x) {
  double const n = static_cast<double>(x.size()), m = sum_of(x) / n;
  double squares = 0;
  for (double v : x) squares += (v - m) * (v - m);
  return {m, std::sqrt(squares / (n - 1) / n)};
}

inline double scatter(std::vector<double> const& x) { return mean(x).error * std::sqrt(static_cast<double>(x.size())); }

/// The q-quantile; its error from the order statistics one standard error of the rank away.
inline Estimate quantile(std::vector<double> x, double q) {
  std::sort(x.begin(), x.end());
  double const n = static_cast<double>(x.size()), spread = std::sqrt(n * q * (1 - q));
  auto const at = [&](double rank) {
    double const r = std::clamp(rank - 0.5, 0.0, n - 1.001);
    auto const k = static_cast<std::size_t>(r);
    return x[k] + (r - std::floor(r)) * (x[k + 1] - x[k]);
  };
  return {at(n * q), 0.5 * (at(n * q + spread) - at(n * q - spread))};
}

/// The part of the values that is not above p.
inline Estimate fraction(std::vector<double> const& x, double p) {
  double const n = static_cast<double>(x.size());
  double const f = static_cast<double>(std::count_if(x.begin(), x.end(), [p](double v) { return v <= p; })) / n;
  return {f, std::sqrt(f * (1 - f) / n)};
}

/// y = the sum of c_k basis_k by least squares, each y with its error: the c_k, and chi squared.
struct Fit {
  std::vector<Estimate> c;
  double chi_squared = 0;
};
inline Fit fit(std::vector<std::vector<double>> const& basis, std::vector<Estimate> const& y) {
  std::size_t const m = basis.size();
  std::vector<double> right(m, 0);
  std::vector<std::vector<double>> left(m, std::vector<double>(2 * m, 0));  // the normal matrix and the identity
  for (std::size_t a = 0; a < m; ++a) {
    left[a][m + a] = 1;
    for (std::size_t n = 0; n < y.size(); ++n) {
      double const w = basis[a][n] / (y[n].error * y[n].error);
      right[a] += w * y[n].value;
      for (std::size_t b = 0; b < m; ++b) left[a][b] += w * basis[b][n];
    }
  }
  // the matrix is positive definite: its pivots are on the diagonal
  for (std::size_t a = 0; a < m; ++a) {
    double const pivot = left[a][a];
    for (double& v : left[a]) v /= pivot;
    for (std::size_t b = 0; b < m; ++b) {
      if (b == a) continue;
      double const by = left[b][a];
      for (std::size_t q = 0; q < 2 * m; ++q) left[b][q] -= by * left[a][q];
    }
  }
  Fit result;
  for (std::size_t a = 0; a < m; ++a) {
    Estimate c{0, std::sqrt(left[a][m + a])};
    for (std::size_t b = 0; b < m; ++b) c.value += left[a][m + b] * right[b];
    result.c.push_back(c);
  }
  for (std::size_t n = 0; n < y.size(); ++n) {
    double r = y[n].value;
    for (std::size_t a = 0; a < m; ++a) r -= result.c[a].value * basis[a][n];
    result.chi_squared += r * r / (y[n].error * y[n].error);
  }
  return result;
}

/// y at x = 0 of a straight line.
inline Estimate intercept(std::vector<double> const& x, std::vector<Estimate> const& y) {
  return fit({std::vector<double>(x.size(), 1.0), x}, y).c[0];
}

/// The exponent D of means ~ L^D, or ~ L^D (1 + b / L) where `correction`: layers beside the bars and sides, in which
/// clusters have less room, make the grid smaller by a constant.
inline Estimate exponent(std::vector<int> const& sizes, std::vector<Estimate> const& means, bool correction = false) {
  std::vector<std::vector<double>> basis(correction ? 3 : 2);
  std::vector<Estimate> y;
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    basis[0].push_back(1);
    basis[1].push_back(std::log(sizes[n]));
    if (correction) basis[2].push_back(1.0 / sizes[n]);
    y.push_back({std::log(means[n].value), means[n].error / means[n].value});
  }
  return fit(basis, y).c[1];
}

/// A random medium of one tile whose density can be turned up and down.
class Medium {
 public:
  Medium(ca::Lattice lattice, core::Grid::Shape n, std::array<bool, 3> periodic, std::uint64_t seed)
      : lattice_(std::move(lattice)),
        layout_(std::make_shared<core::Grid const>(core::Grid::unit(n, n, periodic)), {0}, core::Comm(MPI_COMM_SELF)),
        cells_("occupied", layout_, 0),
        finder_(layout_),
        seed_(seed),
        draws_(static_cast<std::size_t>(layout_.cells()) + 3) {}

  /// New random numbers, 32 bits a cell.
  void draw(std::uint32_t sample) {
    auto const key0 = static_cast<std::uint32_t>(seed_), key1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (std::size_t n = 0; n + 3 < draws_.size(); n += 4) {
      auto const block = core::Random::philox({{static_cast<std::uint32_t>(n / 4), 0, 0, sample}}, key0, key1);
      std::copy_n(block.x, 4, draws_.begin() + static_cast<std::ptrdiff_t>(n));
    }
  }

  /// Clusters at density p.
  ca::ClusterResult const& at(double p) {
    auto const below = static_cast<std::uint32_t>(std::min(std::ldexp(p, 32), 4294967295.0));
    core::TileInfo const& info = layout_.info(0);
    auto const cells = cells_.host();
    std::uint32_t const* u = draws_.data();
    for (int k = 0; k < info.nk; ++k)
      for (int j = 0; j < info.nj; ++j, u += info.ni) {
        std::uint8_t* const row = cells.row(0, k, j);
        for (int i = 0; i < info.ni; ++i) row[i] = u[i] < below;
      }
    finder_.run(cells_, {.lattice = lattice_}, result_);
    return result_;
  }

  /// The densities from which on each of the events holds, to 1.5e-5. `events` gives them of a search, all of them
  /// monotonic in p.
  template <std::size_t N, class F>
  std::array<double, N> thresholds(F const& events) {
    std::array<double, N> low{}, high;
    high.fill(1);
    for (;;) {
      std::size_t widest = 0;
      for (std::size_t e = 1; e < N; ++e)
        if (high[e] - low[e] > high[widest] - low[widest]) widest = e;
      double const p = 0.5 * (low[widest] + high[widest]);
      if (high[widest] - low[widest] < 3e-5) break;
      std::array<bool, N> const now = events(at(p));
      for (std::size_t e = 0; e < N; ++e) {
        if (now[e] && p < high[e]) high[e] = p;
        if (!now[e] && p > low[e]) low[e] = p;
      }
    }
    std::array<double, N> middle;
    for (std::size_t e = 0; e < N; ++e) middle[e] = 0.5 * (low[e] + high[e]);
    return middle;
  }

  std::int64_t cells() const { return layout_.cells(); }

 private:
  ca::Lattice lattice_;
  core::Layout layout_;
  core::Field<std::uint8_t> cells_;
  ca::ClusterFinder finder_;
  ca::ClusterResult result_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> draws_;
};

/// Thresholds of `samples` open squares (rhombs of the triangular lattice), spanned along y.
inline std::vector<double> spanning_thresholds(ca::Lattice const& lattice, int side, int samples, std::uint64_t seed) {
  Medium medium(lattice, {side, side, 1}, {}, seed);
  std::vector<double> result;
  for (int n = 0; n < samples; ++n) {
    medium.draw(static_cast<std::uint32_t>(n));
    result.push_back(medium.thresholds<1>(
        [](ca::ClusterResult const& clusters) { return std::array{static_cast<bool>(clusters.spanning[1])}; })[0]);
  }
  return result;
}

/// Thresholds of periodic squares or cubes, by axis.
struct Wrapping {
  std::vector<double> axis[3];
  std::vector<double> of(double const& (*choose)(double const&, double const&)) const {
    std::vector<double> result;
    for (std::size_t n = 0; n < axis[0].size(); ++n) result.push_back(choose(axis[0][n], axis[1][n]));
    return result;
  }
  std::vector<double> either() const { return of(std::min<double>); }  ///< x or y
  std::vector<double> both() const { return of(std::max<double>); }    ///< x and y
  std::vector<double> mean_of_axes() const {
    std::vector<double> result;
    for (std::size_t n = 0; n < axis[0].size(); ++n) {
      double sum = 0, axes = 0;
      for (auto const& a : axis)
        if (!a.empty()) {
          sum += a[n];
          ++axes;
        }
      result.push_back(sum / axes);
    }
    return result;
  }
};
inline Wrapping wrapping_thresholds(ca::Lattice const& lattice, int side, int samples, std::uint64_t seed) {
  bool const cube = lattice.spatial();
  Medium medium(lattice, {side, side, cube ? side : 1}, {true, true, cube}, seed);
  Wrapping result;
  auto const keep = [&](auto const& found) {
    for (std::size_t a = 0; a < found.size(); ++a) result.axis[a].push_back(found[a]);
  };
  for (int n = 0; n < samples; ++n) {
    medium.draw(static_cast<std::uint32_t>(n));
    if (cube)
      keep(medium.thresholds<3>([](ca::ClusterResult const& c) {
        return std::array{static_cast<bool>(c.wrapping[0]), static_cast<bool>(c.wrapping[1]),
                          static_cast<bool>(c.wrapping[2])};
      }));
    else
      keep(medium.thresholds<2>([](ca::ClusterResult const& c) {
        return std::array{static_cast<bool>(c.wrapping[0]), static_cast<bool>(c.wrapping[1])};
      }));
  }
  return result;
}

/// Extrapolation of a threshold to endless grids: the sizes' mean thresholds against their scatter, both of which go to
/// their limits as L^(-1/nu), so that nu need not be known (Stauffer & Aharony, Introduction to Percolation Theory,
/// section 4.1).
inline Estimate threshold_at_no_scatter(std::vector<Estimate> const& means, std::vector<double> const& scatters) {
  return intercept(scatters, means);
}

/// What spans between bars at the threshold, sample by sample, where it does. `path` counts the steps of a shortest path
/// from bar to bar, n + 1 of them where it is straight.
struct Spanning {
  int samples = 0;
  std::vector<double> mass, backbone_electrodes, backbone_bars, red, path;
};

/// Cells of a framed medium of n x n random cells, at density p.
inline void draw_framed(core::Field<std::uint8_t>& occupied, double p, std::uint64_t seed, std::uint32_t sample) {
  auto const below = static_cast<std::uint32_t>(std::ldexp(p, 32));
  auto const key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  auto const cells = occupied.host();
  int const n = occupied.layout().info(0).ni - 2;
  for (int j = 1; j <= n; ++j) {
    std::uint8_t* const row = cells.row(0, 0, j) + 1;
    for (int i = 0; i < n; i += 4) {
      auto const block = core::Random::philox(
          {{static_cast<std::uint32_t>(i / 4), static_cast<std::uint32_t>(j), 1, sample}}, key0, key1);
      for (int q = 0; q < std::min(4, n - i); ++q) row[i + q] = block.x[q] < below;
    }
  }
  ca::frame(occupied, ca::Direction::y);
}

/// Samples until `spanning` of them span; the path is sought in the first `paths` of these.
inline Spanning spanning_clusters(int n, int spanning, int paths, double p, std::uint64_t seed) {
  core::Count const side = n + 2;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({side, side, 1}, {side, side, 1}));
  core::Layout const layout(grid, {0}, core::Comm(MPI_COMM_SELF));
  core::Field<std::uint8_t> occupied("occupied", layout, 1);
  auto const bottom = ca::side_mask(layout, core::Side::bottom), top = ca::side_mask(layout, core::Side::top);
  auto const square = ca::make_lattice("square", 4);
  ca::PercolationOptions options{
      .label = false, .spanning = false, .backbone = false, .articulation = false, .red = false};
  ca::Percolator percolator(layout);
  Spanning result;
  for (std::uint32_t sample = 0; static_cast<int>(result.mass.size()) < spanning; ++sample) {
    draw_framed(occupied, p, seed, sample);
    ++result.samples;
    options.definition = ca::Definition::D2;
    options.clusters = true;
    auto const& found = percolator.run(occupied, options);
    if (!found.spans) continue;
    result.mass.push_back(static_cast<double>(found.spanning_sites));
    result.backbone_electrodes.push_back(static_cast<double>(found.backbone_sites));
    result.red.push_back(static_cast<double>(found.red_sites));
    options.definition = ca::Definition::D1;
    options.clusters = false;
    result.backbone_bars.push_back(static_cast<double>(percolator.run(occupied, options).backbone_sites));
    if (static_cast<int>(result.path.size()) < paths)
      result.path.push_back(static_cast<double>(ca::shortest_path(occupied, *bottom, *top, square).sites - 1));
  }
  return result;
}

/// Clusters a site and cells of the largest cluster of periodic squares at density p.
struct Census {
  std::vector<double> clusters_per_site, largest;
};
inline Census census(ca::Lattice const& lattice, int side, int samples, double p, std::uint64_t seed) {
  Medium medium(lattice, {side, side, 1}, {true, true, false}, seed);
  Census result;
  for (int n = 0; n < samples; ++n) {
    medium.draw(static_cast<std::uint32_t>(n));
    auto const& clusters = medium.at(p);
    result.clusters_per_site.push_back(static_cast<double>(clusters.clusters) / static_cast<double>(medium.cells()));
    result.largest.push_back(static_cast<double>(clusters.largest));
  }
  return result;
}

}  // namespace tessera::tests::physics
