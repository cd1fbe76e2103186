// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

namespace tessera::core {

/// A copy of the values where kernels can read it.
template <class T>
Kokkos::View<T const*> upload(char const* label, std::vector<T> const& values) {
  using Device = Kokkos::View<T*>;
  using Host = Kokkos::View<T const*, typename Device::array_layout, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Device const device(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(device, Host(values.data(), values.size()));
  return device;
}

}  // namespace tessera::core
