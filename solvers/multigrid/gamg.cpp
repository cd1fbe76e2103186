// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/gamg.hpp"

#include "solvers/preconditioners/multigrid.hpp"
#include "solvers/smoother.hpp"

#include <algorithm>

namespace tessera::solvers {

GamgControls::GamgControls(core::Dictionary& dictionary) {
  constexpr int most = 100;
  auto const count = [&](char const* key, int fallback) { return dictionary.get_in<int>(key, {0, most}, fallback); };
  int const before = std::min(count("nPreSweeps", 0), count("maxPreSweeps", 4));
  int const after = std::min(count("nPostSweeps", 2), count("maxPostSweeps", 4));
  sweeps = std::clamp(std::max(before + after, count("nFinestSweeps", 2)), 1, 3);

  // what is here in one form only
  if (dictionary.contains("smoother")) dictionary.get_choice("smoother", Smoothers::names());
  dictionary.get_choice("agglomerator", {"faceAreaPair", "algebraicPair"}, "faceAreaPair");
  dictionary.get_in<int>("mergeLevels", {1, most}, 1);
  dictionary.get_in<int>("nCellsInCoarsestLevel", {1, 1000000000}, 10);
  for (char const* key : {"cacheAgglomeration", "directSolveCoarsest", "interpolateCorrection"})
    dictionary.get_or<bool>(key, true);
}

std::unique_ptr<Preconditioner> GamgControls::make_cycle(StencilMatrix const& matrix) const {
  return std::make_unique<preconditioners::Multigrid>(matrix, preconditioners::Multigrid::Settings{.sweeps = sweeps});
}

}  // namespace tessera::solvers
