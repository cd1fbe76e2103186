// SPDX-License-Identifier: Apache-2.0
#include "core/grid/pages.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tessera::core {
namespace {

/// Addresses that are kept for one side's memory, so that all of it is opened and closed by one call; what is in use of them.
struct Range {
  static constexpr std::size_t bytes = std::size_t{1} << 42;
  char *begin, *end;                  // what has ever been in use ends at `end`
  std::map<char*, std::size_t> used;  // by address, bytes

  explicit Range(int access) {
    void* const data = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    begin = end = static_cast<char*>(data);
  }
  /// The first room of this size.
  char* take(std::size_t size) {
    char* at = begin;
    for (auto const& [data, length] : used) {
      if (at + size <= data) break;
      at = data + length;
    }
    if (at + size > begin + bytes) throw std::bad_alloc();
    used[at] = size;
    end = std::max(end, at + size);
    return at;
  }
  void give_back(char* data) {
    madvise(data, used.at(data), MADV_DONTNEED);
    used.erase(data);
  }
  void allow(int access) const { mprotect(begin, static_cast<std::size_t>(end - begin), access); }
};

Range& range(MemorySpace space) {
  static Range device(PROT_NONE), host(PROT_READ | PROT_WRITE);
  return space == MemorySpace::device ? device : host;
}

/// Names the side whose memory was touched, then lets the signal do what it does.
void tell(int, siginfo_t* info, void*) {
  auto const at = static_cast<char*>(info->si_addr);
  auto const in = [&](MemorySpace space) { return at >= range(space).begin && at < range(space).begin + Range::bytes; };
  std::string_view const line = in(MemorySpace::device)
                                    ? "tessera: memory of the device was touched outside of kernels\n"
                                : in(MemorySpace::host) ? "tessera: memory of the host was touched by a kernel\n"
                                                        : "";
  [[maybe_unused]] auto const written = write(STDERR_FILENO, line.data(), line.size());
  std::signal(SIGSEGV, SIG_DFL);
}

std::size_t whole_pages(std::size_t bytes) {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes / page + 1) * page;
}

}  // namespace

Pages::Pages(std::size_t bytes, MemorySpace space) : space_(space) {
  static bool const told = [] {
    struct sigaction action = {};
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGSEGV, &action, nullptr) == 0;
  }();
  static_cast<void>(told);
  data_ = range(space).take(whole_pages(bytes));
}

Pages::~Pages() { range(space_).give_back(static_cast<char*>(data_)); }

std::size_t next_stagger() {
  static std::size_t fields = 0;
  return 5 * fields++ % 64 * 64;
}

void prefer_huge_pages(void* data, std::size_t bytes) {
  auto const begin = reinterpret_cast<std::uintptr_t>(data);
  auto const first = (begin + large_memory - 1) / large_memory * large_memory,
             last = (begin + bytes) / large_memory * large_memory;
#ifdef MADV_HUGEPAGE
  // a hint: where there are no huge pages, ordinary ones serve
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

void detail::open_pages(bool device, bool host) {
  auto const access = [](bool open) { return open ? PROT_READ | PROT_WRITE : PROT_NONE; };
  range(MemorySpace::device).allow(access(device));
  range(MemorySpace::host).allow(access(host));
}

}  // namespace tessera::core
