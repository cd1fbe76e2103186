// SPDX-License-Identifier: Apache-2.0
#include "core/grid/pages.hpp"

#include <csignal>
#include <cstring>
#include <map>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tessera::core {
namespace {

struct Mapped {
  std::size_t bytes;
  MemorySpace space;
};

std::map<char*, Mapped>& mapped() {
  static std::map<char*, Mapped> all;
  return all;
}

/// Names the side whose memory was touched, then lets the signal do what it does.
void tell(int, siginfo_t* info, void*) {
  auto const at = static_cast<char*>(info->si_addr);
  auto next = mapped().upper_bound(at);
  if (next != mapped().begin() && at < std::prev(next)->first + std::prev(next)->second.bytes) {
    std::string_view const line = std::prev(next)->second.space == MemorySpace::device
                                      ? "tessera: memory of the device was touched outside of kernels\n"
                                      : "tessera: memory of the host was touched by a kernel\n";
    [[maybe_unused]] auto const written = write(STDERR_FILENO, line.data(), line.size());
  }
  std::signal(SIGSEGV, SIG_DFL);
}

std::size_t whole_pages(std::size_t bytes) {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes / page + 1) * page;
}

}  // namespace

Pages::Pages(std::size_t bytes, MemorySpace space) {
  static bool const told = [] {
    struct sigaction action = {};
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGSEGV, &action, nullptr) == 0;
  }();
  static_cast<void>(told);
  int const access = space == MemorySpace::host ? PROT_READ | PROT_WRITE : PROT_NONE;
  data_ = mmap(nullptr, whole_pages(bytes), access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
  mapped()[static_cast<char*>(data_)] = {whole_pages(bytes), space};
}

Pages::~Pages() {
  auto const here = mapped().find(static_cast<char*>(data_));
  munmap(data_, here->second.bytes);
  mapped().erase(here);
}

void detail::open_pages(bool device, bool host) {
  for (auto const& [data, pages] : mapped())
    mprotect(data, pages.bytes,
             (pages.space == MemorySpace::device ? device : host) ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace tessera::core
