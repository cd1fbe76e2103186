// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/plane.hpp"

#include "core/times.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace tessera::ca::unbounded {
namespace {

using core::Count;

/// Finaliser of SplitMix64.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
Count floor_of(Count x, Count side) { return x >= 0 ? x / side : -((side - 1 - x) / side); }

}  // namespace

std::size_t Plane::HashPlace::operator()(Place const& p) const {
  return static_cast<std::size_t>(mix(mix(static_cast<std::uint64_t>(p.i)) ^ static_cast<std::uint64_t>(p.j)));
}

Plane::Plane(std::string rule, core::Dictionary& properties, core::Comm comm)
    : Plane(make_stepper(rule, properties), comm) {}
Plane::Plane(std::unique_ptr<Stepper> stepper, core::Comm comm) : stepper_(std::move(stepper)), comm_(comm) {}

int Plane::owner(Place const& p) const {
  if (comm_.size() == 1) return 0;
  auto const block = HashPlace()({floor_of(p.i, 4), floor_of(p.j, 4)});
  return static_cast<int>(block % static_cast<std::size_t>(comm_.size()));
}
Plane::Place Plane::place_of(Cell const& cell) const {
  return {floor_of(cell.i, stepper_->side()), floor_of(cell.j, stepper_->side())};
}
bool Plane::is_empty(Word const* tile) const {
  Word all = 0;
  for (int n = 0; n < stepper_->words(); ++n) all |= tile[n];
  return all == 0;
}

/// The words of a tile become these; without life it goes.
void Plane::keep(Place const& p, Word const* words) {
  if (is_empty(words)) {
    tiles_.erase(p);
    return;
  }
  Tile& tile = tiles_[p];
  if (!tile) tile = std::make_unique<Word[]>(static_cast<std::size_t>(stepper_->words()));
  std::copy_n(words, stepper_->words(), tile.get());
}

/// Own tiles that changed go to the ranks round them; what comes from these is kept, and counts as moved.
void Plane::tell(std::vector<Place> const& changed) {
  if (comm_.size() == 1) return;
  core::Timed const timed(core::Part::halo);
  std::map<int, core::Bytes> outgoing;
  auto const n = static_cast<std::size_t>(stepper_->words());
  std::vector<Word> const none(n);
  for (Place const& p : changed) {
    std::set<int> ranks;
    for (Count j = -1; j <= 1; ++j)
      for (Count i = -1; i <= 1; ++i) ranks.insert(owner({p.i + i, p.j + j}));
    ranks.erase(comm_.rank());
    auto const tile = tiles_.find(p);
    for (int const rank : ranks) {
      core::append(outgoing[rank], p.i);
      core::append(outgoing[rank], p.j);
      core::append(outgoing[rank], std::span<Word const>(tile == tiles_.end() ? none.data() : tile->second.get(), n));
    }
  }
  std::vector<Word> words(n);
  for (auto const& [rank, bytes] : comm_.exchange(outgoing))
    for (core::ByteReader in(bytes); !in.done();) {
      Place p{};
      p.i = in.take<Count>();
      p.j = in.take<Count>();
      in.take(std::span(words));
      keep(p, words.data());
      moved_.push_back(p);
    }
}

void Plane::put(std::span<Cell const> cells) {
  std::map<int, std::vector<Cell>> by_rank;
  for (Cell const& cell : cells) by_rank[owner(place_of(cell))].push_back(cell);
  std::vector<Cell> own = std::move(by_rank[comm_.rank()]);
  by_rank.erase(comm_.rank());
  std::map<int, core::Bytes> outgoing;
  for (auto const& [rank, theirs] : by_rank)
    for (Cell const& cell : theirs) {
      core::append(outgoing[rank], cell.i);
      core::append(outgoing[rank], cell.j);
      core::append(outgoing[rank], cell.state);
    }
  if (comm_.size() > 1)
    for (auto const& [rank, bytes] : comm_.exchange(outgoing))
      for (core::ByteReader in(bytes); !in.done();) {
        Cell cell;
        cell.i = in.take<Count>();
        cell.j = in.take<Count>();
        cell.state = in.take<std::uint8_t>();
        own.push_back(cell);
      }
  std::set<Place> changed;
  for (Cell const& cell : own) {
    Place const p = place_of(cell);
    Tile& tile = tiles_[p];
    if (!tile) tile = std::make_unique<Word[]>(static_cast<std::size_t>(stepper_->words()));
    Count const side = stepper_->side();
    stepper_->set(tile.get(), static_cast<int>(cell.i - p.i * side), static_cast<int>(cell.j - p.j * side), cell.state);
    changed.insert(p);
  }
  for (Place const& p : changed)
    if (is_empty(tiles_.at(p).get())) tiles_.erase(p);
  generations_ = 0;
  tell({changed.begin(), changed.end()});
}

void Plane::clear() {
  tiles_.clear();
  moved_.clear();
  generations_ = 0;
}

void Plane::advance(std::int64_t generations) {
  core::Timed const timed(core::Part::compute);
  while (generations > 0) {
    int const now = static_cast<int>(std::min<std::int64_t>(generations, stepper_->depth()));
    advance_at_once(now);
    generations -= now;
  }
}

void Plane::advance_at_once(int generations) {
  if (generations != generations_) {  // a tile that rested for some generations need not for others
    moved_.clear();
    for (auto const& [p, tile] : tiles_) moved_.push_back(p);
  }
  generations_ = generations;
  std::vector<Place> places;  // that may change: own ones round what moved
  for (Place const& p : moved_)
    for (Count j = -1; j <= 1; ++j)
      for (Count i = -1; i <= 1; ++i)
        if (Place const q{p.i + i, p.j + j}; owner(q) == comm_.rank()) places.push_back(q);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());

  std::vector<Nine> nines(places.size());
  for (std::size_t n = 0; n < places.size(); ++n)
    for (Count j = -1; j <= 1; ++j)
      for (Count i = -1; i <= 1; ++i) {
        auto const tile = tiles_.find({places[n].i + i, places[n].j + j});
        nines[n][static_cast<std::size_t>(3 * (j + 1) + i + 1)] = tile == tiles_.end() ? nullptr : tile->second.get();
      }
  auto const words = static_cast<std::size_t>(stepper_->words());
  if (next_.size() < words * places.size()) next_.resize(words * places.size());
  stepper_->advance(nines, generations, next_.data());
  updates_ += static_cast<std::int64_t>(places.size()) * stepper_->side() * stepper_->side() * generations;

  moved_.clear();
  for (std::size_t n = 0; n < places.size(); ++n) {
    Word const *const before = nines[n][4], *const after = next_.data() + n * words;
    bool const same = before == nullptr ? is_empty(after) : std::memcmp(before, after, words * sizeof(Word)) == 0;
    if (!same) moved_.push_back(places[n]);
  }
  // only now: the nines point at the tiles as they were
  for (std::size_t n = 0, q = 0; n < moved_.size(); ++n) {
    while (places[q] != moved_[n]) ++q;
    keep(moved_[n], next_.data() + q * words);
  }
  own_moved_ = static_cast<std::int64_t>(moved_.size());
  tell(std::vector(moved_));
}

std::int64_t Plane::moved() const { return comm_.sum(own_moved_); }

template <class F>
void Plane::for_own_cells(F const& f) const {
  int const side = static_cast<int>(stepper_->side());
  for (auto const& [p, tile] : tiles_) {
    if (owner(p) != comm_.rank()) continue;
    int const words = stepper_->words() / side;  // of a row
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        if (i == 0 && std::all_of(tile.get() + j * words, tile.get() + (j + 1) * words, [](Word w) { return w == 0; }))
          break;
        if (auto const state = stepper_->get(tile.get(), i, j)) f(Cell{p.i * side + i, p.j * side + j, state});
      }
  }
}

std::int64_t Plane::population() const {
  std::int64_t n = 0;
  for_own_cells([&](Cell const&) { ++n; });
  return comm_.sum(n);
}

std::vector<std::int64_t> Plane::census() const {
  std::vector<std::int64_t> cells(256);
  for_own_cells([&](Cell const& cell) { ++cells[cell.state]; });
  comm_.sum(cells);
  return {cells.begin() + 1, cells.begin() + states()};
}

std::optional<core::Box> Plane::box() const {
  constexpr Count far = std::numeric_limits<Count>::max();
  std::array<Count, 4> most{-far, -far, -far, -far};  // right, top, left and bottom with the other sign
  for_own_cells([&](Cell const& cell) {
    most = {std::max(most[0], cell.i), std::max(most[1], cell.j), std::max(most[2], -cell.i),
            std::max(most[3], -cell.j)};
  });
  for (Count& x : most) x = comm_.max(x);
  if (most[0] == -far) return std::nullopt;
  return core::Box{{-most[2], -most[3], 0}, {most[0] + 1, most[1] + 1, 1}};
}

std::string Plane::hash() const {
  std::uint64_t sum = 0;
  for_own_cells([&](Cell const& cell) {
    sum += mix(mix(mix(static_cast<std::uint64_t>(cell.i)) ^ static_cast<std::uint64_t>(cell.j)) ^ cell.state);
  });
  return fmt::format("{:016x}", static_cast<std::uint64_t>(comm_.sum(static_cast<std::int64_t>(sum))));
}

std::int64_t Plane::tiles() const {
  std::int64_t n = 0;
  for (auto const& [p, tile] : tiles_) n += owner(p) == comm_.rank();
  return comm_.sum(n);
}

std::vector<Cell> Plane::own_cells() const {
  std::vector<Cell> cells;
  for_own_cells([&](Cell const& cell) { cells.push_back(cell); });
  return cells;
}

void Plane::copy(core::Field<std::uint8_t>& field, core::Index origin) const {
  core::Layout const& layout = field.layout();
  std::map<int, core::Bytes> outgoing;
  for_own_cells([&](Cell const& cell) {
    core::Index const x{cell.i - origin.i, cell.j - origin.j, 0};
    int const tile = layout.grid().tile_of(x);
    core::Bytes& bytes = outgoing[layout.owner(tile)];
    core::append(bytes, x.i);
    core::append(bytes, x.j);
    core::append(bytes, cell.state);
  });
  auto const view = field.host();
  for (auto const& [rank, bytes] : comm_.exchange(outgoing))
    for (core::ByteReader in(bytes); !in.done();) {
      auto const i = in.take<Count>(), j = in.take<Count>();
      auto const state = in.take<std::uint8_t>();
      int const slot = layout.slot(layout.grid().tile_of({i, j, 0}));
      auto const& tile = layout.info(slot);
      view(slot, 0, static_cast<int>(j - tile.j0), static_cast<int>(i - tile.i0)) = state;
    }
}

}  // namespace tessera::ca::unbounded
