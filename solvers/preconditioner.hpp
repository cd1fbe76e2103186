// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/registry.hpp"
#include "solvers/stencil_matrix.hpp"

#include <memory>
#include <string>

namespace tessera::solvers {

class FusedPcg;

/// z = M^-1 r with M close to A: linear, symmetric and positive definite, so that conjugate gradients may use it.
/// `apply` may use z's halo as working space.
class Preconditioner : public Operator {
 public:
  static constexpr std::string_view kind = "preconditioner";
  /// Makes what `apply` needs beyond what the fused form needs; to be called once, before the first `apply`. Collective.
  virtual void set_up() {}
  /// Conjugate gradients in which this preconditioner takes part in their passes; nullptr: it has no such form.
  virtual std::unique_ptr<FusedPcg> fused() const;
};

/// Preconditioners by name. The matrix must outlive the preconditioner.
using Preconditioners = core::Registry<Preconditioner, StencilMatrix const&, core::Dictionary&>;

/// A preconditioner and the name it was asked for by.
struct NamedPreconditioner {
  std::string name;
  std::unique_ptr<Preconditioner> operation;
};

/// What the solver's entry asks for: `preconditioner DIC;`, or with settings as in OpenFOAM
/// `preconditioner { preconditioner DIC; scope tile; }`. Throws core::Error for an unknown name, with its place.
NamedPreconditioner make_preconditioner(StencilMatrix const& matrix, core::Dictionary& solver);

}  // namespace tessera::solvers
