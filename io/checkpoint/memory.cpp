// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint/memory.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/rows.hpp"
#include "io/together.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tessera::io {
namespace {

using core::Bytes;

void append_text(Bytes& bytes, std::string const& text) {
  core::append(bytes, static_cast<std::uint64_t>(text.size()));
  core::append(bytes, std::span<char const>(text));
}

std::string take_text(core::ByteReader& in) {
  std::string text(static_cast<std::size_t>(in.take<std::uint64_t>()), '\0');
  in.take(std::span<char>(text));
  return text;
}

/// Calls f(bytes of a row) for the owned cells of a tile.
template <class View, class F>
void for_rows(View const& view, core::TileInfo const& tile, int slot, F const& f) {
  for (int k = 0; k < tile.nk; ++k)
    for (int j = 0; j < tile.nj; ++j) f(std::span(view.row(slot, k, j), static_cast<std::size_t>(tile.ni)));
}

/// What a rank saves: step, time, state, then field by field name, type, hash, and the tiles with their numbers.
Bytes pack(std::int64_t step, double time, std::span<core::FieldBase const* const> fields, State const& state) {
  Bytes block;
  core::append(block, step);
  core::append(block, time);
  core::append(block, static_cast<std::uint64_t>(state.size()));
  for (auto const& [name, text] : state) {
    append_text(block, name);
    append_text(block, text);
  }
  core::append(block, static_cast<std::uint64_t>(fields.size()));
  for (auto const* field : fields) {
    append_text(block, field->name());
    core::append(block, field->element());
    append_text(block, core::hash(*field));
    core::append(block, static_cast<std::uint64_t>(field->layout().tiles()));
    core::visit(*field, [&]<class T>(core::Field<T> const& f) {
      auto const view = f.host();
      for (int slot = 0; slot < f.layout().tiles(); ++slot) {
        auto const& tile = f.layout().info(slot);
        core::append(block, tile.tile);
        for_rows(view, tile, slot, [&](auto row) { core::append(block, std::span<T const>(row)); });
      }
    });
  }
  return block;
}

/// The tiles of a block on their way to who owns them now, and what all must agree on.
struct Unpacked {
  MemoryCheckpoint::Saved saved;
  std::vector<std::string> hashes;
  std::map<int, Bytes> to_owners;
};

/// Throws core::Error where the fields are not those that were saved.
Unpacked unpack(Bytes const& block, std::span<core::FieldBase* const> fields) {
  core::ByteReader in(block);
  Unpacked result;
  result.saved.step = in.take<std::int64_t>();
  result.saved.time = in.take<double>();
  for (auto texts = in.take<std::uint64_t>(); texts > 0; --texts) {
    std::string const name = take_text(in);
    result.saved.state[name] = take_text(in);
  }
  auto const count = in.take<std::uint64_t>();
  if (count != fields.size())
    throw core::Error(fmt::format("the checkpoint holds {} fields, {} are to be restored", count, fields.size()));
  for (std::uint64_t n = 0; n < count; ++n) {
    core::FieldBase const& field = *fields[n];
    std::string const name = take_text(in);
    if (auto const element = in.take<core::Element>(); name != field.name() || element != field.element())
      throw core::Error(fmt::format("the checkpoint holds the field '{}', not '{}' of that type", name, field.name()));
    result.hashes.push_back(take_text(in));
    core::Layout const& layout = field.layout();
    for (auto tiles = in.take<std::uint64_t>(); tiles > 0; --tiles) {
      int const tile = in.take<int>();
      if (tile < 0 || tile >= layout.grid().tiles()) throw core::Error("the checkpoint is of another grid");
      Bytes values(static_cast<std::size_t>(layout.grid().tile_box(tile).cells()) * size_of(field.element()));
      in.take(std::span<std::byte>(values));
      Bytes& message = result.to_owners[layout.owner(tile)];
      core::append(message, static_cast<std::uint64_t>(n));
      core::append(message, tile);
      core::append(message, std::span<std::byte const>(values));
    }
  }
  return result;
}

void place_tiles(Bytes const& message, std::span<core::FieldBase* const> fields) {
  for (core::ByteReader in(message); !in.done();) {
    core::FieldBase& field = *fields[static_cast<std::size_t>(in.take<std::uint64_t>())];
    int const slot = field.layout().slot(in.take<int>());
    core::visit(field, [&]<class T>(core::Field<T>& f) {
      for_rows(f.host(), f.layout().info(slot), slot, [&](auto row) { in.take(row); });
    });
  }
}

}  // namespace

MemoryCheckpoint::MemoryCheckpoint(core::Comm const& comm, int data, int parity) : comm_(comm), k_(data), m_(parity) {
  if (data < 1 || parity < 1 || data + parity > 255)
    throw core::Error(fmt::format(
        "a checkpoint in memory has ({} {}) data and parity pieces, expected at least 1 of each and at most 255", data,
        parity));
  int const n = data + parity, groups = comm.size() / n;
  if (comm.size() % n != 0)
    throw core::Error(fmt::format("a checkpoint in memory of ({} {}) pieces needs a multiple of {} ranks, there are {}",
                                  data, parity, n, comm.size()));
  if (!ErasureCodes::contains("reedSolomon"))
    throw core::Error("built without ISA-L, which a checkpoint in memory needs: install libisal-dev and reconfigure");
  for (int member = 0; member < n; ++member) group_.push_back(comm.rank() % groups + member * groups);
  place_ = comm.rank() / groups;
  code_ = ErasureCodes::make("reedSolomon", data, parity);
}

std::size_t MemoryCheckpoint::bytes() const {
  std::size_t total = 0;
  for (auto const& [member, piece] : held_.pieces) total += piece.size();
  return total;
}

void MemoryCheckpoint::save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields,
                            State const& state) {
  core::Timed const timed(core::Part::io);
  core::expect(!fields.empty(), "a checkpoint has at least one field");
  int const n = k_ + m_;
  Held next;
  // all go on from the newest generation, also those that hold nothing
  next.generation = comm_.max(held_.generation) + 1;
  Failure failure;
  std::map<int, Bytes> outgoing;
  Bytes block = pack(step, time, fields, state);
  try {
    // pieces of equal length, the first 8 bytes say how long the block is
    Bytes whole;
    whole.reserve(block.size() + 8 + static_cast<std::size_t>(k_));
    core::append(whole, static_cast<std::uint64_t>(block.size()));
    core::append(whole, std::span<std::byte const>(block));
    block = {};
    auto const k = static_cast<std::size_t>(k_), length = (whole.size() + k - 1) / k;
    whole.resize(k * length);
    std::vector<Bytes> parity(static_cast<std::size_t>(m_), Bytes(length));
    std::vector<std::span<std::byte>> pieces;
    for (std::size_t p = 0; p < k; ++p) pieces.push_back(std::span(whole).subspan(p * length, length));
    for (auto& piece : parity) pieces.emplace_back(piece);
    code_->encode(pieces);
    for (int p = 0; p < n; ++p) {
      auto const& piece = pieces[static_cast<std::size_t>(p)];
      Bytes& to = p == 0 ? next.pieces[place_] : outgoing[group_[static_cast<std::size_t>((place_ + p) % n)]];
      to.assign(piece.begin(), piece.end());
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
    auto const there = std::make_unique<bool[]>(static_cast<std::size_t>(n));
    int found = 0;
    std::size_t length = 0;
    for (int p = 0; p < n; ++p) {
      auto const from = incoming.find(group_[static_cast<std::size_t>((place_ + p) % n)]);
      if (from == incoming.end() || from->second.empty()) continue;
      there[static_cast<std::size_t>(p)] = true;
      ++found;
      length = from->second.size();
      pieces[static_cast<std::size_t>(p)] = std::move(from->second);
    }
    if (found < k_)
      throw core::RunError(fmt::format("{} of the {} ranks {} lost their memory, a checkpoint of ({} {}) stands {}",
                                       n - found, n, fmt::join(group_, " "), k_, m_, m_));
    std::vector<std::span<std::byte>> spans;
    for (auto& piece : pieces) {
      piece.resize(length);
      spans.emplace_back(piece);
    }
    code_->decode(spans, {there.get(), static_cast<std::size_t>(n)});
    for (int p = 0; p < k_; ++p) {
      core::append(block, std::span<std::byte const>(pieces[static_cast<std::size_t>(p)]));
      pieces[static_cast<std::size_t>(p)] = {};
    }
    std::uint64_t size = 0;
    std::memcpy(&size, block.data(), sizeof size);
    if (size > block.size() - sizeof size) throw core::RunError("the checkpoint in memory is damaged");
    block.erase(block.begin(), block.begin() + sizeof size);
    block.resize(static_cast<std::size_t>(size));
  } catch (...) {
    failure = Failure::caught();
  }
  agree(comm_, failure);
  return block;
}

MemoryCheckpoint::Saved MemoryCheckpoint::restore(std::span<core::FieldBase* const> fields) const {
  core::Timed const timed(core::Part::io);
  Unpacked mine;
  Failure failure;
  {
    Bytes const block = rebuilt();
    try {
      mine = unpack(block, fields);
    } catch (...) {
      failure = Failure::caught();
    }
  }
  agree(comm_, failure);
  auto const incoming = comm_.exchange(mine.to_owners);
  for (auto const& [from, message] : incoming) place_tiles(message, fields);
  for (std::size_t n = 0; n < fields.size(); ++n)
    if (core::hash(*fields[n]) != mine.hashes[n])
      failure = {Failure::at_run_time,
                 fmt::format("the field '{}' does not have the hash it was saved with", fields[n]->name())};
  agree(comm_, failure);

  // the root's state
  Bytes state;
  for (auto const& [name, text] : mine.saved.state) {
    append_text(state, name);
    append_text(state, text);
  }
  comm_.broadcast(state);
  mine.saved.state.clear();
  for (core::ByteReader in(state); !in.done();) {
    std::string const name = take_text(in);
    mine.saved.state[name] = take_text(in);
  }
  return std::move(mine.saved);
}

}  // namespace tessera::io
