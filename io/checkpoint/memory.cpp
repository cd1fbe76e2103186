// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint/memory.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/together.hpp"

#include <fmt/format.h>

namespace tessera::io {

using core::Bytes;

MemoryCheckpoint::MemoryCheckpoint(core::Comm const& comm, int data, int parity)
    : comm_(comm),
      k_(data),
      m_(parity),
      code_(checkpoint::make_code(data, parity)) {
  int const n = data + parity, groups = comm.size() / n;
  if (comm.size() % n != 0)
    throw core::Error(fmt::format("a checkpoint in memory of ({} {}) pieces needs a multiple of {} ranks, there are {}",
                                  data, parity, n, comm.size()));
  for (int member = 0; member < n; ++member) group_.push_back(comm.rank() % groups + member * groups);
  place_ = comm.rank() / groups;
}

std::size_t MemoryCheckpoint::bytes() const {
  std::size_t total = 0;
  for (auto const& [member, piece] : held_.pieces) total += piece.size();
  return total;
}

void MemoryCheckpoint::save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                            State const& state) {
  core::Timed const timed(core::Part::io);
  int const n = k_ + m_;
  Held next;
  // all go on from the newest generation, also those that hold nothing
  next.generation = comm_.max(held_.generation) + 1;
  Bytes block = checkpoint::pack(step, time, fields, state);
  Failure failure;
  std::map<int, Bytes> outgoing;
  try {
    auto pieces = checkpoint::encode(*code_, k_, m_, block);
    block = {};
    for (int p = 0; p < n; ++p) {
      Bytes& to = p == 0 ? next.pieces[place_] : outgoing[group_[static_cast<std::size_t>((place_ + p) % n)]];
      to = std::move(pieces[static_cast<std::size_t>(p)]);
    }
  } catch (...) {
    failure = Failure::caught();
  }
  agree(comm_, failure);
  auto incoming = comm_.exchange(outgoing);
  for (int member = 0; member < n; ++member)
    if (member != place_) next.pieces[member] = std::move(incoming[group_[static_cast<std::size_t>(member)]]);
  held_ = std::move(next);
}

/// This rank's block from the pieces that the group still holds. Throws core::RunError where they are too few. Collective.
Bytes MemoryCheckpoint::rebuilt() const {
  int const n = k_ + m_;
  std::int64_t const newest = comm_.max(held_.generation);
  if (newest == 0) throw core::RunError("nothing was saved in memory, or all of it was lost");
  // a rank that missed the last save is as good as lost
  bool const has = held_.generation == newest;
  std::map<int, Bytes> outgoing;
  if (has)
    for (auto const& [member, piece] : held_.pieces) outgoing[group_[static_cast<std::size_t>(member)]] = piece;
  auto incoming = comm_.exchange(outgoing);
  outgoing.clear();

  Failure failure;
  Bytes block;
  try {
    std::vector<Bytes> pieces(static_cast<std::size_t>(n));
    int found = 0;
    for (int p = 0; p < n; ++p) {
      auto const from = incoming.find(group_[static_cast<std::size_t>((place_ + p) % n)]);
      if (from == incoming.end() || from->second.empty()) continue;
      ++found;
      pieces[static_cast<std::size_t>(p)] = std::move(from->second);
    }
    if (found < k_)
      throw core::RunError(fmt::format("{} of the {} ranks {} lost their memory, a checkpoint of ({} {}) stands {}",
                                       n - found, n, fmt::join(group_, " "), k_, m_, m_));
    block = checkpoint::decode(*code_, k_, std::move(pieces));
  } catch (...) {
    failure = Failure::caught();
  }
  agree(comm_, failure);
  return block;
}

MemoryCheckpoint::Saved MemoryCheckpoint::restore(std::span<core::FieldBase* const> fields) const {
  core::Timed const timed(core::Part::io);
  checkpoint::Unpacked unpacked(fields, fields.size());
  Failure failure;
  {
    Bytes const block = rebuilt();
    try {
      unpacked.add(block);
    } catch (...) {
      failure = Failure::caught();
    }
  }
  agree(comm_, failure);
  return unpacked.deliver(comm_);
}

}  // namespace tessera::io
