// SPDX-License-Identifier: Apache-2.0
#include "core/grid/workspace.hpp"

#include "core/grid/pinned.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <utility>

namespace tessera::core {
namespace {

struct Kept {
  Kokkos::View<std::byte*> device;
  PinnedView<std::byte> host;  // the same where the program computes on the host
  PinnedView<std::byte> messages;
};

Kept& kept() {
  static Kept memory;
  [[maybe_unused]] static bool const freed = [] {
    Kokkos::push_finalize_hook([] { kept() = {}; });
    return true;
  }();
  return memory;
}

/// Whether it was too small; then it has become at least twice as large.
template <class View>
bool grow(View& view, std::size_t bytes) {
  std::size_t const room = view.extent(0);
  if (room >= bytes && room > 0) return false;
  view = {};
  view = View(Kokkos::view_alloc("workspace", Kokkos::WithoutInitializing),
              std::max({bytes, 2 * room, std::size_t{4096}}));
  return true;
}

}  // namespace

std::byte* device_workspace(std::size_t bytes) {
  if (grow(kept().device, bytes)) kept().host = pinned_mirror(kept().device);
  return kept().device.data();
}

std::byte const* workspace_on_host(std::size_t bytes) {
  auto const used = std::make_pair(std::size_t{0}, bytes);
  Kokkos::deep_copy(Kokkos::subview(kept().host, used), Kokkos::subview(kept().device, used));
  return kept().host.data();
}

std::byte* message_workspace(std::size_t bytes) {
  grow(kept().messages, bytes);
  return kept().messages.data();
}

}  // namespace tessera::core
