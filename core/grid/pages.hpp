// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/build.hpp"

#include <cstddef>
#include <memory>

namespace tessera::core {

/// Who may touch memory: kernels, or the rest of the program.
enum class MemorySpace { device, host };

/// In a fenced build, memory of one side on pages of its own. Outside of kernels the device's pages cannot be read or written,
/// inside of kernels the host's cannot: code that does ends the program with one line on stderr and signal SIGSEGV.
class Pages {
 public:
  /// Throws std::bad_alloc.
  Pages(std::size_t bytes, MemorySpace space);
  ~Pages();
  Pages(Pages const&) = delete;
  Pages& operator=(Pages const&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
};

namespace detail {
void open_pages(bool device, bool host);
}

/// While it lives a kernel runs: it may touch the device's pages and not the host's. One at a time.
class KernelPages {
 public:
  KernelPages() {
    if constexpr (fenced) detail::open_pages(true, false);
  }
  ~KernelPages() {
    if constexpr (fenced) detail::open_pages(false, true);
  }
  KernelPages(KernelPages const&) = delete;
  KernelPages& operator=(KernelPages const&) = delete;
};

/// While it lives values are copied between both sides, outside of kernels.
class CopiedPages {
 public:
  CopiedPages() {
    if constexpr (fenced) detail::open_pages(true, true);
  }
  ~CopiedPages() {
    if constexpr (fenced) detail::open_pages(false, true);
  }
  CopiedPages(CopiedPages const&) = delete;
  CopiedPages& operator=(CopiedPages const&) = delete;
};

}  // namespace tessera::core
