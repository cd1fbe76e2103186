// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioner.hpp"

#include "solvers/algebra/fused_pcg.hpp"

namespace tessera::solvers {

std::unique_ptr<FusedPcg> Preconditioner::fused() const { return nullptr; }

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
