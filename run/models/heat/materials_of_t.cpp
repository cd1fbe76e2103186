// SPDX-License-Identifier: Apache-2.0
// Conductivities that depend on the temperature.
#include "core/error.hpp"
#include "core/grid/loops.hpp"
#include "core/grid/sweep.hpp"
#include "io/files/together.hpp"
#include "run/models/heat/materials.hpp"
#include "solvers/algebra/require.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tessera::run::heat {

namespace foam = io::foam;

/// Calls f(function, k, j, first, n) for the cells of a tile whose conductivity depends on T: n from i = first on, by one function.
template <class F>
void Materials::for_each_run(int slot, F const& f) const {
  auto const of = std::as_const(*function_of_).host();
  int const n = layout_->info(slot).ni;
  core::for_rows(layout_->info(slot), [&](int k, int j) {
    auto const* const function = of.row(slot, k, j);
    for (int first = 0, last = 0; first < n; first = last) {
      while (last < n && function[last] == function[first]) ++last;
      if (function[first] != 0) f(functions_[function[first] - 1], k, j, first, static_cast<std::size_t>(last - first));
    }
  });
}

void Materials::fit(core::Field<double> const& t) {
  auto const lambda = conductivity_.host();
  auto const in = t.host();
  std::vector<io::Failure> failures(layout_->tiles());
  std::vector<std::uint8_t> positive(layout_->tiles(), 1);
  core::for_each_tile_on_host("lambda of T", *layout_, [&](int slot) {
    try {
      for_each_run(slot, [&](foam::Function1 const& function, int k, int j, int first, std::size_t n) {
        double* const values = lambda.row(slot, k, j) + first;
        function.evaluate({in.row(slot, k, j) + first, n}, {values, n});
        bool all = true;
        for (std::size_t i = 0; i < n; ++i) all &= values[i] > 0;
        positive[slot] &= all;
      });
    } catch (core::Error const&) {
      failures[slot] = io::Failure::caught();
    }
  });
  auto const failed = std::find_if(failures.begin(), failures.end(), [](auto const& f) { return bool(f); });
  io::agree(session_.comm, failed == failures.end() ? io::Failure{} : *failed);
  if (session_.comm.any(std::find(positive.begin(), positive.end(), 0) != positive.end()))
    solvers::require_positive(conductivity_, with_place(names_.conductivity), "");
  halo_->exchange(conductivity_);
}

double Materials::apart(core::Field<double> const& t) const {
  auto const lambda = conductivity_.host();
  auto const in = t.host();
  std::vector<double> most(layout_->tiles(), 0.0);
  core::for_each_tile_on_host("change of lambda", *layout_, [&](int slot) {
    std::vector<double> values(static_cast<std::size_t>(layout_->info(slot).ni));
    try {
      for_each_run(slot, [&](foam::Function1 const& function, int k, int j, int first, std::size_t n) {
        double const* const now = lambda.row(slot, k, j) + first;
        function.evaluate({in.row(slot, k, j) + first, n}, std::span(values).first(n));
        double largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(values[i] - now[i]) / now[i]);
        most[slot] = std::max(most[slot], largest);
      });
    } catch (core::Error const&) {
      most[slot] = std::numeric_limits<double>::infinity();
    }
  });
  return session_.comm.max(most.empty() ? 0.0 : *std::max_element(most.begin(), most.end()));
}

}  // namespace tessera::run::heat
