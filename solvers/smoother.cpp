// SPDX-License-Identifier: Apache-2.0
#include "solvers/smoother.hpp"

namespace tessera::solvers {

std::unique_ptr<Smoother> make_smoother(StencilMatrix const& matrix, core::Dictionary& solver) {
  constexpr char const* key = "smoother";
  core::Dictionary no_settings;
  core::Dictionary& from = solver.is_dictionary(key) ? solver.sub(key) : solver;
  core::Dictionary& settings = solver.is_dictionary(key) ? from : no_settings;
  auto const name = from.get<std::string>(key);
  if (!Smoothers::contains(name)) from.fail(key, core::unknown_name(key, name, Smoothers::names()));
  return Smoothers::make(name, matrix, settings);
}

}  // namespace tessera::solvers
