// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/memory.hpp"

#include "core/error.hpp"
#include "core/grid/pages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace tessera::solvers::multigrid {
namespace {

constexpr std::size_t line = 64, huge_page = core::large_memory;

std::size_t rounded(std::size_t bytes) { return (std::max<std::size_t>(bytes, 1) + line - 1) / line * line; }

}  // namespace

MemoryPool::~MemoryPool() {
  for (Region const& r : regions_) munmap(r.mapped, r.mapped_bytes);
}

std::size_t MemoryPool::reserved() const {
  std::size_t sum = 0;
  for (Region const& r : regions_) sum += r.bytes;
  return sum;
}

void MemoryPool::reserve(std::size_t bytes) {
  auto const whole = [](std::size_t n) { return (n + huge_page - 1) / huge_page * huge_page; };
  // address space costs nothing until it is touched, so a region has room for more than one array; unless the system
  // counts it as memory
  void* mapped = MAP_FAILED;
  std::size_t size = 0;
  for (std::size_t const room : {std::max(4 * bytes, std::size_t{64} << 20), bytes}) {
    size = whole(room);
    mapped =
        mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED) break;
  }
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const first = reinterpret_cast<char*>(whole(reinterpret_cast<std::uintptr_t>(mapped)));
  core::prefer_huge_pages(first, size);
  regions_.push_back({first, size, 0, mapped, size + huge_page});
  free_.emplace(first, size);
}

MemoryPool::Region& MemoryPool::region_of(char const* address) {
  auto const found = std::find_if(regions_.begin(), regions_.end(),
                                  [&](Region const& r) { return address >= r.first && address < r.first + r.bytes; });
  core::expect(found != regions_.end(), "memory of another pool");
  return *found;
}

void* MemoryPool::take(std::size_t bytes) {
  bytes = rounded(bytes);
  // the smallest free piece of touched memory that is large enough, else the first with fresh memory behind it
  auto best = free_.end();
  auto const cost = [&](auto const& piece) {
    Region const& r = region_of(piece->first);
    auto const start = static_cast<std::size_t>(piece->first - r.first);
    std::size_t const fresh = start + bytes > r.touched ? start + bytes - std::max(start, r.touched) : 0;
    return std::pair(fresh, piece->second);
  };
  for (auto piece = free_.begin(); piece != free_.end(); ++piece)
    if (piece->second >= bytes && (best == free_.end() || cost(piece) < cost(best))) best = piece;
  if (best == free_.end()) {
    reserve(bytes);
    best = free_.find(regions_.back().first);
  }
  auto const [first, size] = *best;
  free_.erase(best);
  if (size > bytes) free_.emplace(first + bytes, size - bytes);
  Region& region = region_of(first);
  auto const start = static_cast<std::size_t>(first - region.first);
  if (start < region.touched) std::memset(first, 0, std::min(bytes, region.touched - start));
  region.touched = std::max(region.touched, start + bytes);
  return first;
}

void MemoryPool::give_back(void* memory, std::size_t bytes) {
  auto* first = static_cast<char*>(memory);
  Region const& region = region_of(first);
  bytes = rounded(bytes);
  auto const after = free_.find(first + bytes);
  if (after != free_.end() && after->first < region.first + region.bytes) {
    bytes += after->second;
    free_.erase(after);
  }
  auto const next = free_.lower_bound(first);
  if (next != free_.begin()) {
    auto const before = std::prev(next);
    if (before->first + before->second == first && before->first >= region.first) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(first, bytes);
}

ZeroedMemory::ZeroedMemory(std::size_t bytes, std::shared_ptr<MemoryPool> pool)
    : bytes_(bytes),
      pool_(std::move(pool)) {
  if (!pool_ && bytes >= 2 * huge_page) pool_ = std::make_shared<MemoryPool>();
  if (pool_) {
    data_ = pool_->take(bytes);
    return;
  }
  data_ = std::aligned_alloc(line, rounded(bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_, 0, rounded(bytes));
}

ZeroedMemory::~ZeroedMemory() {
  if (pool_ && data_ != nullptr)
    pool_->give_back(data_, bytes_);
  else
    std::free(data_);
}

}  // namespace tessera::solvers::multigrid
