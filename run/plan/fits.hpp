// SPDX-License-Identifier: Apache-2.0
// Numbers of the model (run/plan/model.hpp) from samples: pure arithmetic.
#pragma once
#include <utility>
#include <vector>

namespace tessera::run {

/// Seconds of a run.
struct Times {
  double round = 0;
  double compute = 0;  ///< of a round, mean over ranks
  double other = 0;    ///< work outside of rounds, all steps together
  double boot = 0;     ///< mean over ranks
};
/// Whether a run has been repeated often enough: `least` times, and then until the two fastest rounds agree within 3 %, four times
/// as often at most. Where one run is enough, one is.
bool enough_runs(std::vector<Times> const& runs, int least);
/// The shortest time of each kind: what others do on the machine slows a run, and nothing hastens it. There is a run.
Times fastest_of(std::vector<Times> const& runs);

/// n = c x^e through measured points, by least squares of the logarithms; an exponent below 0.1 is taken for none (the
/// mean), as there is none with multigrid. `error`: the largest relative error at a point when it is left out; NaN for less than
/// three.
struct PowerLaw {
  double factor = 1, exponent = 0, error = 0;
  double operator()(double x) const;
};
PowerLaw fit_power(std::vector<std::pair<double, double>> const& points);

/// What a rank sends in a round, with `cut` cells at its border and `cells` in all.
struct Exchange {
  double cut, cells, bytes;
};
/// bytes = a_cut * cut + a_cell * cells.
struct ExchangeLaw {
  double a_cut = 0, a_cell = 0;
  double operator()(double cut, double cells) const { return a_cut * cut + a_cell * cells; }
};
/// Through two exchanges; a factor that would be negative is none, and the other one is that of the larger exchange.
ExchangeLaw fit_exchange(Exchange const& small, Exchange const& large);

/// seconds = share * computing + constant, both of a round.
struct WaitLaw {
  double share = 0, constant = 0;
};
/// Through the last two of (computing, seconds); a factor that would be negative is none.
WaitLaw fit_wait(std::vector<std::pair<double, double>> const& points);

/// y = at_none + slope * x, x >= 0: through two points, by rising x. A slope that would be negative is none.
struct Line {
  double at_none = 0, slope = 0;
  double operator()(double x) const { return at_none + slope * x; }
};
Line fit_line(std::pair<double, double> const& small, std::pair<double, double> const& large);

}  // namespace tessera::run
