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
  MemorySpace space_;
  void* data_;
};

/// Bytes of memory that count as large: those of a huge page.
inline constexpr std::size_t large_memory = std::size_t{1} << 21;

/// Bytes that the values of the next large field begin later in its memory than they could: five lines of the cache more than
/// those of the field before, modulo a page of 4 KiB. Large memory begins at one place of a page, and the same cells of many
/// fields would meet in the same few lines of a cache.
std::size_t next_stagger();

/// Asks for huge pages for the part of large memory that they can hold, before it is first touched.
void prefer_huge_pages(void* data, std::size_t bytes);

namespace detail {
void open_pages(bool device, bool host);
}

/// While it lives the device's pages may be touched. One at a time.
class OpenPages {
 public:
  enum class For { kernel, copy };  ///< a kernel has the host's pages closed; a copy needs both sides
  explicit OpenPages([[maybe_unused]] For use) {
    if constexpr (fenced) detail::open_pages(true, use == For::copy);
  }
  ~OpenPages() {
    if constexpr (fenced) detail::open_pages(false, true);
  }
  OpenPages(OpenPages const&) = delete;
  OpenPages& operator=(OpenPages const&) = delete;
};

}  // namespace tessera::core
