// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid.hpp"

#include "core/error.hpp"
#include "solvers/require.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tessera::solvers::preconditioners {
namespace {

using multigrid::CoarseMatrix;
using multigrid::ConstView;
using multigrid::Entries;
using multigrid::Level;
using multigrid::Transfer;
using multigrid::View;

constexpr core::Count gathered = 2048, direct = 100;  // cells

/// Calls f(slot, k, j, i, number of the cell in the grid) for the own cells.
template <class F>
void for_each_cell(core::Layout const& layout, F const& f) {
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i)
          f(slot, k, j, i, static_cast<std::size_t>(layout.grid().number(t.global(k, j, i))));
  }
}

/// All cells of `from` into the one tile of `to`, on every rank. Values travel as bits and are added to zeros, which is
/// exact.
void gather(core::Field<double> const& from, core::Field<double>& to) {
  auto const& layout = from.layout();
  std::vector<std::int64_t> bits(static_cast<std::size_t>(layout.grid().total()));
  ConstView const f = from.host();
  for_each_cell(layout, [&](int slot, int k, int j, int i, std::size_t n) {
    bits[n] = std::bit_cast<std::int64_t>(f(slot, k, j, i));
  });
  layout.comm().sum(bits);
  View const t = to.host();
  for_each_cell(to.layout(), [&](int slot, int k, int j, int i, std::size_t n) {
    t(slot, k, j, i) = std::bit_cast<double>(bits[n]);
  });
}

/// The cells of this rank, from the one tile of `from`.
void spread(core::Field<double> const& from, core::Field<double>& to) {
  std::vector<double> values(static_cast<std::size_t>(from.layout().grid().total()));
  ConstView const f = from.host();
  for_each_cell(from.layout(), [&](int slot, int k, int j, int i, std::size_t n) { values[n] = f(slot, k, j, i); });
  View const t = to.host();
  for_each_cell(to.layout(), [&](int slot, int k, int j, int i, std::size_t n) { t(slot, k, j, i) = values[n]; });
}

bool one_tile_alone(core::Layout const& layout) { return layout.grid().tiles() == 1 && layout.comm().size() == 1; }

/// The level's matrix in one tile, on every rank for itself.
std::unique_ptr<Level> gathered_level(Level const& level) {
  auto const& grid = level.grid();
  auto whole = std::make_shared<core::Grid const>(
      core::Grid::unit(grid.cells(), grid.cells(), {grid.periodic(0), grid.periodic(1), grid.periodic(2)}));
  auto layout = std::make_unique<core::Layout>(std::move(whole), std::vector<int>{0}, core::Comm(MPI_COMM_SELF));
  auto const& alone = *layout;
  CoarseMatrix matrix{level.positions(), std::move(layout), core::Field<double>("diagonal", alone, 1), {}};
  gather(level.diagonal(), matrix.diagonal);
  // the finest level has entries for the axes alone; the others are zero
  for (int n = 0; n < level.around().centre(); ++n) matrix.conductances.emplace_back("conductance", alone, 1);
  for (auto const& c : level.couplings())
    gather(*c.conductance, matrix.conductances[static_cast<std::size_t>(c.number)]);
  return std::make_unique<Level>(std::move(matrix));
}

}  // namespace

Multigrid::Multigrid(StencilMatrix const& matrix, core::Dictionary& settings)
    : sweeps_(settings.get_in<int>("sweeps", 1, 16, 1)) {
  require_positive(matrix.diagonal(), "the diagonal of multigrid's matrix", "");
  build(matrix);
  factor();
}

void Multigrid::add(std::unique_ptr<Level> level) {
  Stage stage;
  if (!stages_.empty()) {
    stage.b = std::make_unique<core::Field<double>>("b", level->layout(), 1);
    stage.x = std::make_unique<core::Field<double>>("x", level->layout(), 1);
  }
  stage.level = std::move(level);
  stages_.push_back(std::move(stage));
}

void Multigrid::build(StencilMatrix const& matrix) {
  add(std::make_unique<Level>(matrix));
  for (;;) {
    Level& level = *stages_.back().level;
    core::Count const cells = level.grid().total();
    bool const alone = one_tile_alone(level.layout());
    if (alone && cells <= direct) break;
    if (!alone && (cells <= gathered || !Transfer::can(level.grid()))) {
      add(gathered_level(level));
    } else {
      Entries const entries(level);
      stages_.back().transfer = std::make_unique<Transfer>(level, entries);
      add(std::make_unique<Level>(stages_.back().transfer->galerkin(entries)));
    }
  }
}

void Multigrid::factor() {
  Level& level = *stages_.back().level;
  auto const& grid = level.grid();
  auto const n = static_cast<std::size_t>(grid.total());
  factor_.assign(n * n, 0);
  Entries const entries(level);
  auto const cells = grid.cells();
  double trace = 0, total = 0;
  for_each_cell(level.layout(), [&](int slot, int k, int j, int i, std::size_t row) {
    for (int e = 0; e < level.around().count(); ++e) {
      double const a = entries(e, slot, {i, j, k});
      if (a == 0) continue;
      // entries to cells across a periodic side come back into the grid, and may meet others there
      auto const& o = level.around()[e];
      auto const wrap = [&](int x, std::size_t d) { return (x + o[d] + cells[d]) % cells[d]; };
      factor_[row * n + static_cast<std::size_t>(grid.number({wrap(i, 0), wrap(j, 1), wrap(k, 2)}))] += a;
      total += a;
      if (e == level.around().centre()) trace += a;
    }
  });
  // all row sums zero: the constant is the kernel; adding (trace / n^2) 1 1^T ties it and changes nothing else
  if (std::abs(total) < 1e-12 * trace)
    for (double& a : factor_) a += trace / static_cast<double>(n * n);
  // A = L L^T, in place
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = c; r < n; ++r) {
      double s = factor_[r * n + c];
      for (std::size_t q = 0; q < c; ++q) s -= factor_[r * n + q] * factor_[c * n + q];
      if (r == c && !(s > 0))
        throw core::Error(fmt::format("the coarsest matrix of multigrid has the pivot {}, expected a value > 0: "
                                      "the matrix must be positive definite",
                                      s));
      factor_[r * n + c] = r == c ? std::sqrt(s) : s / factor_[c * n + c];
    }
}

std::size_t Multigrid::bytes() const {
  std::size_t sum = factor_.size() * sizeof(double);
  for (auto const& s : stages_) {
    sum += s.level->bytes();
    if (s.transfer) sum += s.transfer->bytes();
    if (s.b) sum += s.b->bytes() + s.x->bytes();
  }
  return sum;
}

void Multigrid::apply(core::Field<double>& r, core::Field<double>& z) const {
  core::expect(&r != &z && z.halo() >= 1, "z of multigrid must be a field of its own with a halo");
  cycle(0, r, z);
}

void Multigrid::cycle(std::size_t at, core::Field<double> const& b, core::Field<double>& x) const {
  if (at + 1 == stages_.size()) return solve_directly(b, x);
  Stage const& stage = stages_[at];
  Stage const& next = stages_[at + 1];
  if (!stage.transfer) {
    gather(b, *next.b);
    cycle(at + 1, *next.b, *next.x);
    return spread(*next.x, x);
  }
  Level& level = *stage.level;
  level.smooth_from_zero(sweeps_, b, x);
  // e = coarse(P^T (b - A x)), x += P e
  stage.transfer->restrict_to(*next.b, level.residual(b, x));
  cycle(at + 1, *next.b, *next.x);
  level.smooth_after(sweeps_, b, x, [&](core::Field<double> const& from, core::Field<double>& to) {
    stage.transfer->interpolate(*next.x, from, to);
  });
}

void Multigrid::solve_directly(core::Field<double> const& b, core::Field<double>& x) const {
  auto const& layout = b.layout();
  auto const n = static_cast<std::size_t>(layout.grid().total());
  std::vector<double> y(n);
  ConstView const bv = b.host();
  for_each_cell(layout, [&](int slot, int k, int j, int i, std::size_t c) { y[c] = bv(slot, k, j, i); });
  // L y = b, L^T x = y
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < r; ++c) y[r] -= factor_[r * n + c] * y[c];
    y[r] /= factor_[r * n + r];
  }
  for (std::size_t r = n; r-- > 0;) {
    y[r] /= factor_[r * n + r];
    for (std::size_t c = 0; c < r; ++c) y[c] -= factor_[r * n + c] * y[r];
  }
  View const xv = x.host();
  for_each_cell(layout, [&](int slot, int k, int j, int i, std::size_t c) { xv(slot, k, j, i) = y[c]; });
}

[[maybe_unused]] static bool const added = Preconditioners::add<Multigrid>(
    "multigrid", "black-box multigrid: iterations hardly depend on mesh, ranks and jumps");

}  // namespace tessera::solvers::preconditioners
