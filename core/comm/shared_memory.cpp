// SPDX-License-Identifier: Apache-2.0
#include "core/comm/shared_memory.hpp"

#include "core/comm/waiting.hpp"

#include <algorithm>
#include <array>
#include <sys/statvfs.h>
#include <unistd.h>

namespace tessera::core {
namespace {

constexpr std::size_t line = 64;

/// Whether MPI's file for a window of so many bytes fits in the file system of shared memory, and as much again.
bool room_for(std::int64_t bytes) {
  constexpr char const* folder = "/dev/shm";
  struct statvfs system {};
  if (access(folder, W_OK) != 0 || statvfs(folder, &system) != 0) return false;
  return static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize / 2 > static_cast<std::uint64_t>(bytes);
}

}  // namespace

SharedMemory::SharedMemory(MPI_Comm node) : node_(node) {
  MPI_Comm_rank(node, &rank_);
  MPI_Comm_size(node, &size_);
}

SharedMemory::~SharedMemory() {
  for (Window& window : windows_) {
    MPI_Win_unlock_all(window.handle);
    MPI_Win_free(&window.handle);
  }
}

std::optional<SharedMemory::Piece> SharedMemory::allocate(std::size_t bytes) {
  bytes = (bytes + line - 1) / line * line;
  Piece piece = place(bytes);
  bool const lacks = bytes > 0 && piece.window < 0;
  std::size_t const least = lacks ? bytes : 0, wanted = lacks ? std::max(bytes, 2 * largest_) : 0;
  std::array<std::int64_t, 3> all{lacks, static_cast<std::int64_t>(least), static_cast<std::int64_t>(wanted)};
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, all.data(), 3, MPI_INT64_T, MPI_SUM, node_, &request);
  wait_politely(1, &request);
  if (all[0] == 0) return piece;
  // asked before, since a window that cannot be made ends the program
  int fits = rank_ > 0 ? 0 : room_for(all[2]) ? 2 : room_for(all[1]) ? 1 : 0;
  MPI_Bcast(&fits, 1, MPI_INT, 0, node_);
  if (fits == 0) {
    if (piece.window >= 0) release(piece);
    return std::nullopt;
  }
  add_window(fits == 2 ? wanted : least);
  if (lacks) piece = place(bytes);
  return piece;
}

SharedMemory::Piece SharedMemory::place(std::size_t bytes) {
  if (bytes == 0) return {};
  for (std::size_t w = 0; w < windows_.size(); ++w)
    for (auto const& space : windows_[w].free) {
      auto const at = space.first, room = space.second;
      if (room < bytes) continue;
      windows_[w].free.erase(at);
      if (room > bytes) windows_[w].free[at + bytes] = room - bytes;
      return {static_cast<int>(w), at, bytes};
    }
  return {};
}

void SharedMemory::release(Piece const& piece) {
  if (piece.window < 0) return;
  auto& free = windows_[piece.window].free;
  auto here = free.emplace(piece.at, piece.bytes).first;
  if (auto const next = std::next(here); next != free.end() && here->first + here->second == next->first) {
    here->second += next->second;
    free.erase(next);
  }
  if (here == free.begin()) return;
  if (auto const before = std::prev(here); before->first + before->second == here->first) {
    before->second += here->second;
    free.erase(here);
  }
}

void SharedMemory::add_window(std::size_t mine) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  Window window{MPI_WIN_NULL, {}, {}};
  void* base = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(mine), 1, info, node_, &base, &window.handle);
  MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window.handle);
  for (int r = 0; r < size_; ++r) {
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(window.handle, r, &size, &unit, &base);
    window.parts.push_back(static_cast<std::byte*>(base));
  }
  if (mine > 0) window.free[0] = mine;
  largest_ = std::max(largest_, mine);
  windows_.push_back(std::move(window));
}

}  // namespace tessera::core
