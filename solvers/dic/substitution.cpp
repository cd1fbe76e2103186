// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/substitution.hpp"

namespace tessera::solvers {

Substitution::Substitution(StencilMatrix const& matrix, Direction direction, bool global)
    : matrix_(matrix),
      up_(direction == Direction::up) {
  if (global) order_ = std::make_unique<Wavefront>(matrix.layout(), direction, 1);
  if constexpr (!core::on_host)
    edges_ = std::make_unique<WaveEdges>(
        matrix.layout(), std::array<bool, 3>{matrix.has(0), matrix.has(1), matrix.has(2)}, order_.get());
}

}  // namespace tessera::solvers
