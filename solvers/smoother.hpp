// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/registry.hpp"
#include "solvers/stencil_matrix.hpp"

#include <memory>

namespace tessera::solvers {

/// A stationary iteration that takes out the rough part of the error of A x = b fast.
class Smoother {
 public:
  static constexpr std::string_view kind = "smoother";
  virtual ~Smoother() = default;

  /// `sweeps` of it. x is another field than b, with a halo of at least 1, whose content does not matter. Collective.
  virtual void smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) = 0;
};

/// Smoothers by name. The matrix must outlive the smoother.
using Smoothers = core::Registry<Smoother, StencilMatrix const&, core::Dictionary&>;

/// What the solver's entry asks for: `smoother GaussSeidel;`, or with settings `smoother { smoother DIC; scope tile; }`.
/// Throws core::Error for an unknown name, with its place.
std::unique_ptr<Smoother> make_smoother(StencilMatrix const& matrix, core::Dictionary& solver);

}  // namespace tessera::solvers
