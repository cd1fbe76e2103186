// SPDX-License-Identifier: Apache-2.0
#include "core/grid/workspace.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>

namespace tessera::core {
namespace {

struct Kept {
  Kokkos::View<std::byte*> device;
  Kokkos::View<std::byte*>::HostMirror host;  // the same where the program computes on the host
};

Kept& kept() {
  static Kept memory;
  return memory;
}

void grow(std::size_t bytes) {
  bool const first = kept().device.extent(0) == 0;
  kept() = {};
  kept().device = Kokkos::View<std::byte*>(Kokkos::view_alloc("workspace", Kokkos::WithoutInitializing), bytes);
  kept().host = Kokkos::create_mirror_view(kept().device);
  if (first) Kokkos::push_finalize_hook([] { kept() = {}; });
}

}  // namespace

std::byte* device_workspace(std::size_t bytes) {
  if (std::size_t const room = kept().device.extent(0); room < bytes || room == 0)
    grow(std::max({bytes, 2 * room, std::size_t{4096}}));
  return kept().device.data();
}

std::byte const* workspace_on_host(std::size_t bytes) {
  auto const used = std::make_pair(std::size_t{0}, bytes);
  Kokkos::deep_copy(Kokkos::subview(kept().host, used), Kokkos::subview(kept().device, used));
  return kept().host.data();
}

}  // namespace tessera::core
