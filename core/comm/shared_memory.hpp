// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tessera::core {

/// Memory that the ranks of a node write and read together: MPI's shared windows, of which each rank has a part. Pieces are
/// cut from them, since a window costs milliseconds (seconds, where ranks wait for a core: MPI keeps its own busy). The
/// first has 16 MiB a rank, which the system gives as they are written, and less where /dev/shm is small; another is made
/// when a piece finds no room.
class SharedMemory {
 public:
  /// Part of a rank's own memory.
  struct Piece {
    int window = -1;
    std::size_t at = 0, bytes = 0;
  };

  /// `node`: ranks that share memory; kept, not owned. Allocates nothing.
  explicit SharedMemory(MPI_Comm node);
  /// Collective.
  ~SharedMemory();
  SharedMemory(SharedMemory const&) = delete;
  SharedMemory& operator=(SharedMemory const&) = delete;

  /// A piece of this rank's memory, aligned to 64 bytes, its content undefined; sizes differ from rank to rank and may be
  /// 0. When it returns, all ranks have come here: nobody reads what they had before. Nothing on all ranks where the
  /// system has no room for a window (a small /dev/shm). Collective.
  std::optional<Piece> allocate(std::size_t bytes);
  /// Not collective: others may read it still, until they come to the next `allocate`.
  void release(Piece const& piece);
  /// Where byte `at` of a rank's part of a window lies for this process.
  std::byte* address(int rank, int window, std::size_t at) const { return windows_[window].parts[rank] + at; }

 private:
  struct Window {
    MPI_Win handle;
    std::vector<std::byte*> parts;            // by rank
    std::map<std::size_t, std::size_t> free;  // this rank's: bytes by place
  };
  Piece place(std::size_t bytes);
  void add_window(std::size_t mine);

  MPI_Comm node_;
  int rank_ = 0, size_ = 1;
  std::vector<Window> windows_;
  std::size_t largest_ = std::size_t{1} << 23;  // bytes of a rank's part
};

}  // namespace tessera::core
