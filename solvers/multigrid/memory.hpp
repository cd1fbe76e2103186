// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace tessera::solvers::multigrid {

/// Address space in huge pages, where the system has them, out of which arrays are cut and to which they return: what
/// the set-up of multigrid no longer needs becomes its next array, instead of fresh pages that the system must find and
/// clear. On a virtual machine, whose host may have to find them, too, that has cost more than all arithmetic of the
/// set-up. Pages are given back to the system when the pool goes.
class MemoryPool {
 public:
  MemoryPool() = default;
  MemoryPool(MemoryPool const&) = delete;
  MemoryPool& operator=(MemoryPool const&) = delete;
  ~MemoryPool();

  /// Zeroed memory, aligned to 64 bytes. Throws std::bad_alloc.
  void* take(std::size_t bytes);
  /// Returns what `take` gave for so many bytes.
  void give_back(void* first, std::size_t bytes);
  /// What the pool has taken from the system [bytes]; it is real memory only as far as it was touched.
  std::size_t reserved() const;

 private:
  struct Region {
    char* first;
    std::size_t bytes, touched;  // from here on it is fresh, and zero
    void* mapped;
    std::size_t mapped_bytes;
  };
  Region& region_of(char const* address);
  void reserve(std::size_t bytes);

  std::vector<Region> regions_;
  std::map<char*, std::size_t> free_;  // neighbours of one region are joined
};

/// Memory that starts as zero, from a pool, which lives as long as any such memory. Without a pool large blocks have one of
/// their own: in huge pages, where the system has them, touching memory the first time is cheap, and passes over many rows
/// miss fewer translations of addresses.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  explicit ZeroedMemory(std::size_t bytes, std::shared_ptr<MemoryPool> pool = {});
  ZeroedMemory(ZeroedMemory&& other) noexcept { swap(other); }
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept {
    ZeroedMemory old;
    old.swap(*this);
    swap(other);
    return *this;
  }
  ~ZeroedMemory();
  /// Aligned to 64 bytes.
  void* data() const { return data_; }

 private:
  void swap(ZeroedMemory& other) {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(pool_, other.pool_);
  }
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::shared_ptr<MemoryPool> pool_;
};

}  // namespace tessera::solvers::multigrid
