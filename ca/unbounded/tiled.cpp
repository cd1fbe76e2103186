// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/tiled.hpp"

#include "ca/unbounded/place_hash.hpp"
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
Count floor_of(Count x, Count side) { return x >= 0 ? x / side : (x + 1) / side - 1; }

}  // namespace

std::size_t TiledPlane::HashPlace::operator()(Place const& p) const {
  return static_cast<std::size_t>(mix(mix(static_cast<std::uint64_t>(p.i)) ^ static_cast<std::uint64_t>(p.j)));
}

TiledPlane::TiledPlane(std::string const& rule, core::Dictionary& properties, core::Comm comm)
    : TiledPlane(make_stepper(rule, properties), comm) {}
TiledPlane::TiledPlane(std::unique_ptr<Stepper> stepper, core::Comm comm) : Plane(comm), stepper_(std::move(stepper)) {}

int TiledPlane::owner(Place const& p) const {
  if (comm_.size() == 1) return 0;
  auto const block = HashPlace()({floor_of(p.i, 4), floor_of(p.j, 4)});
  return static_cast<int>(block % static_cast<std::size_t>(comm_.size()));
}
TiledPlane::Place TiledPlane::place_of(Cell const& cell) const {
  return {floor_of(cell.i, stepper_->side()), floor_of(cell.j, stepper_->side())};
}
bool TiledPlane::is_empty(Word const* tile) const {
  Word all = 0;
  for (int n = 0; n < stepper_->words(); ++n) all |= tile[n];
  return all == 0;
}

/// The words of a tile become these; without life it goes.
void TiledPlane::keep(Place const& p, Word const* words) {
  if (is_empty(words)) {
    tiles_.erase(p);
    return;
  }
  Tile& tile = tiles_[p];
  if (!tile) tile = std::make_unique<Word[]>(static_cast<std::size_t>(stepper_->words()));
  std::copy_n(words, stepper_->words(), tile.get());
}

/// Own tiles that changed go to the ranks round them; what comes from these is kept, and counts as moved.
void TiledPlane::tell(std::vector<Place> const& changed) {
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

void TiledPlane::put(std::span<Cell const> cells) {
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

/// Copies of tiles lose what their owners' tiles do.
void TiledPlane::erase(core::Box const& box) {
  Count const side = stepper_->side();
  Place const first{floor_of(box.lo.i, side), floor_of(box.lo.j, side)},
      last{floor_of(box.hi.i - 1, side), floor_of(box.hi.j - 1, side)};
  auto const extent = [](Count from, Count to) { return static_cast<double>(to) - static_cast<double>(from) + 1; };
  std::vector<Place> met;
  // of the places in the box and the tiles that exist the fewer ones are gone through
  if (extent(first.i, last.i) * extent(first.j, last.j) < static_cast<double>(tiles_.size())) {
    for (Place p = first; p.j <= last.j; ++p.j)
      for (p.i = first.i; p.i <= last.i; ++p.i)
        if (tiles_.contains(p)) met.push_back(p);
  } else {
    for (auto const& [p, tile] : tiles_)
      if (p.i >= first.i && p.i <= last.i && p.j >= first.j && p.j <= last.j) met.push_back(p);
  }
  for (Place const& p : met) {
    Word* const tile = tiles_.at(p).get();
    Count const i0 = p.i * side, j0 = p.j * side;
    auto const within = [&](Count x, Count from) {
      return static_cast<int>(std::clamp<Count>(x, from, from + side) - from);
    };
    int const i1 = within(box.hi.i, i0), j1 = within(box.hi.j, j0);
    for (int j = within(box.lo.j, j0); j < j1; ++j)
      for (int i = within(box.lo.i, i0); i < i1; ++i) stepper_->set(tile, i, j, 0);
    if (is_empty(tile)) tiles_.erase(p);
  }
  generations_ = 0;
}

void TiledPlane::clear() {
  tiles_.clear();
  moved_.clear();
  generations_ = 0;
}

void TiledPlane::set_generation(std::int64_t generation) {
  odd_ = generation % 2 != 0;
  generations_ = 0;
}

void TiledPlane::advance(std::int64_t generations) {
  core::Timed const timed(core::Part::compute);
  while (generations > 0) {
    int const now = static_cast<int>(std::min<std::int64_t>(generations, stepper_->depth()));
    advance_at_once(now);
    generations -= now;
  }
}

void TiledPlane::advance_at_once(int generations) {
  // a tile that rested for some generations does for as many again and again, and need not for others
  bool const other_rules = stepper_->alternates() && generations_ % 2 != 0;
  if (generations_ == 0 || generations % generations_ != 0 || other_rules) {
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
  stepper_->advance(nines, odd_, generations, next_.data());
  odd_ = odd_ != (generations % 2 != 0);
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

std::int64_t TiledPlane::moved() const {
  // a plane that blinks is another one after an odd number of generations, whatever rests in it
  return comm_.sum(own_moved_) + (stepper_->alternates() && generations_ % 2 != 0 ? 1 : 0);
}

template <class F>
void TiledPlane::for_cells(F const& f) const {
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

Population TiledPlane::population() const {
  std::int64_t n = 0;
  for_cells([&](Cell const&) { ++n; });
  return static_cast<Population>(comm_.sum(n));
}

std::vector<Population> TiledPlane::census() const {
  std::vector<std::int64_t> cells(256);
  for_cells([&](Cell const& cell) { ++cells[cell.state]; });
  comm_.sum(cells);
  return {cells.begin() + 1, cells.begin() + states()};
}

std::optional<core::Box> TiledPlane::box() const {
  constexpr Count far = std::numeric_limits<Count>::max();
  std::array<Count, 4> most{-far, -far, -far, -far};  // right, top, left and bottom with the other sign
  for_cells([&](Cell const& cell) {
    most = {std::max(most[0], cell.i), std::max(most[1], cell.j), std::max(most[2], -cell.i),
            std::max(most[3], -cell.j)};
  });
  for (Count& x : most) x = comm_.max(x);
  if (most[0] == -far) return std::nullopt;
  return core::Box{{-most[2], -most[3], 0}, {most[0] + 1, most[1] + 1, 1}};
}

std::string TiledPlane::hash() const {
  auto const side = static_cast<std::size_t>(stepper_->side());
  std::vector<PlaceHash::Value> across(side, 1);
  for (std::size_t i = 1; i < side; ++i) across[i] = PlaceHash::times(across[i - 1], PlaceHash::across);
  PlaceHash::Value sum = 0;
  for (auto const& [p, tile] : tiles_) {
    if (owner(p) != comm_.rank()) continue;
    PlaceHash::Value of_tile = 0, upward = PlaceHash::power(PlaceHash::upward, p.j * stepper_->side());
    for (std::size_t j = 0; j < side; ++j, upward = PlaceHash::times(upward, PlaceHash::upward))
      for (std::size_t i = 0; i < side; ++i)
        if (auto const state = stepper_->get(tile.get(), static_cast<int>(i), static_cast<int>(j)))
          of_tile =
              PlaceHash::add(of_tile, PlaceHash::times(PlaceHash::weight(state), PlaceHash::times(across[i], upward)));
    sum = PlaceHash::add(sum, PlaceHash::times(of_tile, PlaceHash::power(PlaceHash::across, p.i * stepper_->side())));
  }
  PlaceHash::Value all = 0;
  for (PlaceHash::Value const of_rank : comm_.gather(sum)) all = PlaceHash::add(all, of_rank);
  // a plane that blinks is alive far away
  if (stepper_->alternates() && odd_) all = PlaceHash::add(all, PlaceHash::weight(0));
  return PlaceHash::text(all);
}

void TiledPlane::for_own_cells(std::function<void(Cell const&)> const& f) const { for_cells(f); }

std::int64_t TiledPlane::tiles() const {
  std::int64_t n = 0;
  for (auto const& [p, tile] : tiles_) n += owner(p) == comm_.rank();
  return comm_.sum(n);
}

}  // namespace tessera::ca::unbounded
