// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace tessera::core {

/// At least so many bytes on the device (where a program computes on the host: there), for one reduction at a time. They are
/// kept until the program ends, so that a dot product asks for no memory. What they held before is lost where they grow.
std::byte* device_workspace(std::size_t bytes);

/// The first bytes of it on the host, once all kernels begun before are done. They stay until the next call of either.
std::byte const* workspace_on_host(std::size_t bytes);

/// At least so many bytes of pinned memory of the host (pinned.hpp), for messages of one exchange at a time; kept likewise.
std::byte* message_workspace(std::size_t bytes);

}  // namespace tessera::core
