// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

NamedPreconditioner make_preconditioner(StencilMatrix const& matrix, core::Dictionary& solver) {
  constexpr char const* key = "preconditioner";
  core::Dictionary no_settings;
  core::Dictionary& from = solver.is_dictionary(key) ? solver.sub(key) : solver;
  core::Dictionary& settings = solver.is_dictionary(key) ? from : no_settings;
  auto const name = from.get<std::string>(key);
  if (!Preconditioners::contains(name)) from.fail(key, core::unknown_name(key, name, Preconditioners::names()));
  return {name, Preconditioners::make(name, matrix, settings)};
}

}  // namespace tessera::solvers
