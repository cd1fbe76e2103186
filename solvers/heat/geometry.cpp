// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/geometry.hpp"

namespace tessera::solvers::heat {

Geometry::Geometry(core::Grid const& grid) {
  for (int a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(a);
    auto& device = device_[a];
    auto& host = host_[a];
    device = Kokkos::View<double*>("widths", static_cast<std::size_t>(axis.cells()));
    host = Kokkos::create_mirror_view(device);
    double const length = axis.length();
    bool const uniform = axis.uniform();
    for (core::Count n = 0; n < axis.cells(); ++n)
      host(static_cast<std::size_t>(n)) = uniform ? length / static_cast<double>(axis.cells()) : axis.width(n);
    Kokkos::deep_copy(device, host);
    total_volume_ *= length;
  }
}

}  // namespace tessera::solvers::heat
