// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/build.hpp"

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace tessera::core {

/// Memory of the host that stays where it is, which a device reads and writes by itself: copies need no second copy in a
/// buffer of the driver. Plain memory where the program computes on the host.
#if defined(KOKKOS_ENABLE_CUDA)
using PinnedSpace = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using PinnedSpace = Kokkos::SharedHostPinnedSpace;
#else
using PinnedSpace = Kokkos::HostSpace;
#endif

template <class T>
using PinnedView = Kokkos::View<T*, typename Kokkos::View<T*>::array_layout, PinnedSpace>;

/// The host's side of memory on the device, of the same length, for Kokkos::deep_copy; the same memory where there is no
/// device, but for fenced builds.
template <class T>
PinnedView<T> pinned_mirror(Kokkos::View<T*> const& device) {
  if constexpr (!fenced && std::is_same_v<typename Kokkos::View<T*>::memory_space, PinnedSpace>)
    return device;
  else
    return PinnedView<T>(Kokkos::view_alloc(device.label(), Kokkos::WithoutInitializing), device.extent(0));
}

}  // namespace tessera::core
