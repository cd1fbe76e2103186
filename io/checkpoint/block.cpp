// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint/block.hpp"

#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "io/files/together.hpp"
#include "io/files/values.hpp"
#include "io/rows.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tessera::io::checkpoint {
namespace {

using core::Bytes;

void append_text(Bytes& bytes, std::string const& text) {
  core::append(bytes, static_cast<std::uint64_t>(text.size()));
  core::append(bytes, std::span<char const>(text));
}

[[noreturn]] void fail_damaged() { throw core::RunError("the checkpoint in memory is damaged"); }

/// Reads a block that may be damaged. All members throw core::RunError where it ends too early.
class BlockReader {
 public:
  explicit BlockReader(Bytes const& block) : in_(block), left_(block.size()) {}
  template <class T>
  T take() {
    need(sizeof(T));
    return in_.take<T>();
  }
  void take(Bytes& bytes, std::uint64_t size) {
    need(size);
    bytes.resize(size);
    in_.take(std::span<std::byte>(bytes));
  }
  std::string text() {
    auto const size = take<std::uint64_t>();
    need(size);
    std::string text(size, '\0');
    in_.take(std::span<char>(text));
    return text;
  }

 private:
  void need(std::uint64_t bytes) {
    if (bytes > left_) fail_damaged();
    left_ -= bytes;
  }
  core::ByteReader in_;
  std::uint64_t left_;
};

/// Where the grid's cells lie.
std::uint64_t places(core::Grid const& grid) {
  detail::Checksum sum;
  std::int64_t at = 0;
  for (int a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(a);
    constexpr core::Count piece = 1 << 16;
    for (core::Count first = 0; first <= axis.cells(); first += piece) {
      auto const faces = axis.faces(first, std::min(first + piece - 1, axis.cells()));
      sum.add(at, std::span<double const>(faces));
      at += static_cast<std::int64_t>(faces.size());
    }
  }
  return sum.sum();
}

/// Calls f(tile, piece) for what a box has in common with each of the grid's tiles.
template <class F>
void for_pieces(core::Grid const& grid, core::Box const& box, F const& f) {
  core::Box piece;
  for (core::Count k = box.lo.k; k < box.hi.k; k = piece.hi.k)
    for (core::Count j = box.lo.j; j < box.hi.j; j = piece.hi.j)
      for (core::Count i = box.lo.i; i < box.hi.i; i = piece.hi.i) {
        int const tile = grid.tile_of({i, j, k});
        piece = core::intersect(box, grid.tile_box(tile));
        f(tile, piece);
      }
}

/// Calls f(k, j) for the rows of a box.
template <class F>
void for_rows_of(core::Box const& box, F const& f) {
  for (core::Count k = box.lo.k; k < box.hi.k; ++k)
    for (core::Count j = box.lo.j; j < box.hi.j; ++j) f(k, j);
}

/// A field's tiles, and this rank's part of its hash.
std::uint64_t append_tiles(Bytes& block, core::FieldBase const& field) {
  detail::Checksum checksum;
  core::visit(field, [&]<class T>(core::Field<T> const& f) {
    core::RowReader rows(f);
    for (int slot = 0; slot < f.layout().tiles(); ++slot) {
      core::TileInfo const& tile = f.layout().info(slot);
      core::append(block, tile.tile);
      core::for_rows(tile, [&](int k, int j) {
        std::span const row(rows.row(slot, k, j), static_cast<std::size_t>(tile.ni));
        checksum.add(f.layout().grid().number(tile.global(k, j, 0)), row);
        core::append(block, row);
      });
    }
  });
  return checksum.sum();
}

void append_state(Bytes& bytes, State const& state) {
  core::append(bytes, static_cast<std::uint64_t>(state.size()));
  for (auto const& [name, text] : state) {
    append_text(bytes, name);
    append_text(bytes, text);
  }
}

State take_state(BlockReader& in) {
  State state;
  for (auto texts = in.take<std::uint64_t>(); texts > 0; --texts) {
    std::string const name = in.text();
    state[name] = in.text();
  }
  return state;
}

}  // namespace

Bytes pack(std::int64_t step, double time, std::span<core::FieldBase const* const> fields, State const& state) {
  core::expect(!fields.empty(), "a checkpoint has at least one field");
  Bytes block;
  std::size_t size = 1 << 16;
  for (auto const* field : fields)
    size += static_cast<std::size_t>(field->layout().cells()) * size_of(field->element()) + 1024 +
            static_cast<std::size_t>(field->layout().tiles()) * sizeof(int);
  block.reserve(size);
  core::append(block, step);
  core::append(block, time);
  append_state(block, state);
  core::append(block, static_cast<std::uint64_t>(fields.size()));
  for (auto const* field : fields) {
    core::Grid const& grid = field->layout().grid();
    append_text(block, field->name());
    core::append(block, field->element());
    core::append(block, grid.cells());
    core::append(block, grid.tile());
    core::append(block, places(grid));
    std::size_t const place = block.size();
    block.resize(place + sizeof(std::uint64_t));
    core::append(block, static_cast<std::uint64_t>(field->layout().tiles()));
    auto const mine = static_cast<std::int64_t>(append_tiles(block, *field));
    std::int64_t const hash = field->layout().comm().sum(mine);
    std::memcpy(block.data() + place, &hash, sizeof hash);
  }
  return block;
}

void Unpacked::add(Bytes const& block) {
  core::Grid const& grid = fields_[0]->layout().grid();
  std::uint64_t const here = places(grid);
  BlockReader in(block);
  saved_.step = in.take<std::int64_t>();
  saved_.time = in.take<double>();
  saved_.state = take_state(in);
  hashes_.clear();
  for (auto count = in.take<std::uint64_t>(); count > 0; --count) {
    std::string const name = in.text();
    auto const element = in.take<core::Element>();
    auto const cells = in.take<core::Grid::Shape>(), tile_shape = in.take<core::Grid::Shape>();
    auto const saved_places = in.take<std::uint64_t>();
    std::string const hash = detail::Checksum::digits(in.take<std::uint64_t>());
    auto const place =
        std::find_if(fields_.begin(), fields_.end(), [&wanted = name](auto* f) { return f->name() == wanted; });
    bool const asked = place != fields_.end();
    if (cells != grid.cells())
      throw core::Error(fmt::format("the checkpoint in memory is of {} cells, the case has {}", fmt::join(cells, " x "),
                                    fmt::join(grid.cells(), " x ")));
    if (saved_places != here)
      throw core::Error("the checkpoint in memory is of a grid of another origin, size or grading");
    for (std::size_t a = 0; a < 3; ++a)
      if (tile_shape[a] < 1 || tile_shape[a] > cells[a]) fail_damaged();
    if (element < core::Element::uint8 || element > core::Element::float64) fail_damaged();
    core::Grid const saved_tiles = core::Grid::unit(cells, tile_shape);
    if (asked && (*place)->element() != element)
      throw core::Error(fmt::format("the checkpoint in memory holds '{}' as values of another type", name));
    if (asked) hashes_[name] = hash;
    Bytes values;
    for (auto tiles = in.take<std::uint64_t>(); tiles > 0; --tiles) {
      int const tile = in.take<int>();
      if (tile < 0 || tile >= saved_tiles.tiles()) fail_damaged();
      core::Box const box = saved_tiles.tile_box(tile);
      auto const n = box.shape();
      std::size_t const size = size_of(element);
      in.take(values, static_cast<std::uint64_t>(box.cells()) * size);
      if (!asked) continue;
      for_pieces(grid, box, [&](int owned, core::Box const& piece) {
        Bytes& message = to_owners_[fields_[0]->layout().owner(owned)];
        core::append(message, static_cast<std::uint64_t>(place - fields_.begin()));
        core::append(message, owned);
        core::append(message, piece);
        for_rows_of(piece, [&](core::Count k, core::Count j) {
          core::Count const at = ((k - box.lo.k) * n.j + j - box.lo.j) * n.i + piece.lo.i - box.lo.i;
          core::append(message,
                       std::span<std::byte const>(values).subspan(static_cast<std::size_t>(at) * size,
                                                                  static_cast<std::size_t>(piece.shape().i) * size));
        });
      });
    }
  }
  for (std::size_t n = 0; n < needed_; ++n)
    if (!hashes_.contains(fields_[n]->name()))
      throw core::Error(fmt::format("the checkpoint in memory has no field '{}'", fields_[n]->name()));
}

Saved Unpacked::deliver(core::Comm const& comm) {
  auto const incoming = comm.exchange(to_owners_);
  to_owners_.clear();
  for (auto const& [from, message] : incoming)
    for (core::ByteReader in(message); !in.done();) {
      core::FieldBase& field = *fields_[in.take<std::uint64_t>()];
      int const slot = field.layout().slot(in.take<int>());
      auto const piece = in.take<core::Box>();
      core::Index const origin = field.layout().info(slot).global(0, 0, 0);
      core::visit(field, [&]<class T>(core::Field<T>& f) {
        core::RowWriter rows(f);
        auto const n = static_cast<int>(piece.shape().i);
        for_rows_of(piece, [&](core::Count k, core::Count j) {
          rows({slot, static_cast<int>(k - origin.k), static_cast<int>(j - origin.j),
                static_cast<int>(piece.lo.i - origin.i), n},
               [&](T* cells) { in.take(std::span(cells, static_cast<std::size_t>(n))); });
        });
      });
    }

  // what the root knows
  Bytes known;
  core::append(known, saved_.step);
  core::append(known, saved_.time);
  append_state(known, saved_.state);
  append_state(known, hashes_);
  comm.broadcast(known);
  BlockReader in(known);
  saved_.step = in.take<std::int64_t>();
  saved_.time = in.take<double>();
  saved_.state = take_state(in);
  hashes_ = take_state(in);
  Failure failure;
  for (auto const& [name, hash] : hashes_) {
    auto const place =
        std::find_if(fields_.begin(), fields_.end(), [&wanted = name](auto* f) { return f->name() == wanted; });
    if (core::hash(**place) != hash)
      failure = {Failure::at_run_time,
                 fmt::format("the field '{}' does not have the hash it was saved with in memory", name)};
    saved_.found.push_back(name);
  }
  agree(comm, failure);
  return std::move(saved_);
}

std::vector<Bytes> encode(ErasureCode const& code, int k, int m, Bytes const& block) {
  // the first 8 bytes say how long the block is
  auto const parts = static_cast<std::size_t>(k);
  std::uint64_t const size = block.size();
  std::size_t const length = ((block.size() + sizeof size + parts - 1) / parts + 7) / 8 * 8;
  std::vector<Bytes> pieces(parts + static_cast<std::size_t>(m), Bytes(length));
  std::memcpy(pieces[0].data(), &size, sizeof size);
  std::size_t at = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    std::size_t const skip = p == 0 ? sizeof size : 0, part = std::min(length - skip, block.size() - at);
    if (part > 0) std::memcpy(pieces[p].data() + skip, block.data() + at, part);
    at += part;
  }
  std::vector<std::span<std::byte>> const spans(pieces.begin(), pieces.end());
  code.encode(spans);
  return pieces;
}

bool may_begin(Bytes const& piece, std::int64_t step, double time) {
  if (piece.size() < sizeof(std::uint64_t) + sizeof step + sizeof time) return true;
  core::ByteReader in(piece);
  in.take<std::uint64_t>();  // the length of the block
  bool const same = in.take<std::int64_t>() == step;
  return in.take<double>() == time && same;
}

Bytes decode(ErasureCode const& code, int k, std::vector<Bytes> pieces) {
  std::size_t length = 0;
  auto const there = std::make_unique<bool[]>(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    there[p] = !pieces[p].empty();
    if (there[p] && length > 0 && pieces[p].size() != length)
      throw core::RunError("the checkpoint in memory is damaged: pieces of several lengths");
    length = std::max(length, pieces[p].size());
  }
  std::vector<std::span<std::byte>> spans;
  for (auto& piece : pieces) {
    piece.resize(length);
    spans.emplace_back(piece);
  }
  code.decode(spans, {there.get(), pieces.size()});
  Bytes block;
  block.reserve(static_cast<std::size_t>(k) * length);
  for (std::size_t p = 0; p < static_cast<std::size_t>(k); ++p) {
    core::append(block, std::span<std::byte const>(pieces[p]));
    pieces[p] = {};
  }
  std::uint64_t size = 0;
  if (block.size() >= sizeof size) std::memcpy(&size, block.data(), sizeof size);
  if (block.size() < sizeof size || size > block.size() - sizeof size) fail_damaged();
  block.erase(block.begin(), block.begin() + sizeof size);
  block.resize(size);
  return block;
}

std::unique_ptr<ErasureCode> make_code(int k, int m) {
  if (k < 1 || m < 1 || k + m > 255)
    throw core::Error(fmt::format(
        "a checkpoint in memory has ({} {}) data and parity pieces, expected at least 1 of each and at most 255", k,
        m));
  if (!ErasureCodes::contains("reedSolomon"))
    throw core::Error("built without ISA-L, which a checkpoint in memory needs: install libisal-dev and reconfigure");
  return ErasureCodes::make("reedSolomon", k, m);
}

}  // namespace tessera::io::checkpoint
