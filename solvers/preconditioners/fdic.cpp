// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/dic.hpp"

namespace tessera::solvers::preconditioners {

/// OpenFOAM's faster DIC, which stores the products of faces and reciprocal pivots: the same matrix M as DIC. Here DIC
/// keeps no such products and is fast already, so FDIC is DIC under this name.
class Fdic final : public Dic {
 public:
  using Dic::Dic;
  static constexpr char const* help = Dic::help;
};

[[maybe_unused]] static bool const added = Preconditioners::add<Fdic>("FDIC", "the same as DIC, for OpenFOAM's cases");

}  // namespace tessera::solvers::preconditioners
