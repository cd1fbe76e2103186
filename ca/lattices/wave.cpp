// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/wave.hpp"

#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>

namespace tessera::ca::graph {
namespace {

/// A window as wide as a tile is long: wide enough to cross a tile in a round, and so narrow that few cells are reached
/// by a detour first.
std::int32_t window(core::Grid const& grid) {
  auto const tile = grid.tile();
  return static_cast<std::int32_t>(std::min<core::Count>(std::max({tile[0], tile[1], tile[2]}), 1 << 20));
}

}  // namespace

Wave::Wave(core::Field<std::uint8_t> const* occupied, core::Field<std::uint8_t> const& source,
           core::Field<std::uint8_t> const* targets, Lattice const& lattice)
    : layout_(source.layout()),
      distance_(std::make_unique<core::Field<std::int32_t>>(
          core::FieldInfo{"distance", "fewest steps from a source, -1 where none leads", "1", {}}, layout_,
          lattice.depth(), -1)),
      known_(distance_->host()),
      steps_(lattice, layout_.grid(), known_),
      mail_(layout_),
      waiting_(static_cast<std::size_t>(layout_.tiles())),
      first_(waiting_.size(), never),
      hit_(waiting_.size(), never),
      relaxations_(waiting_.size(), 0) {
  cells_.assign(static_cast<std::size_t>(known_.tile_stride) * waiting_.size(), closed);
  cell_ = {cells_.data() - steps_.first_of_ring(), known_.tile_stride, known_.layer_stride, known_.row_stride};
  auto const black = occupied != nullptr ? occupied->host() : core::FieldView<std::uint8_t const>{};
  auto const wanted = targets != nullptr ? targets->host() : core::FieldView<std::uint8_t const>{};
  auto const from = source.host();
  core::for_each_tile_on_host("wave sources", layout_, [&](int slot) {
    core::TileInfo const& t = layout_.info(slot);
    auto const q = static_cast<std::size_t>(slot);
    // whether cells of other tiles are occupied is for those to say
    steps_.for_each_ring(t, [&](int k, int j, int i) {
      if (steps_.in_grid(t.global(k, j, i)))
        cell_(slot, k, j, i) = elsewhere;
      else
        known_(slot, k, j, i) = 0;
    });
    core::for_cells(t, [&](int k, int j, int i) {
      if (occupied != nullptr && black(slot, k, j, i) != 1) {
        known_(slot, k, j, i) = 0;  // so that no way is shorter; -1 in the end
        return;
      }
      bool const end = targets != nullptr && wanted(slot, k, j, i) != 0;
      cell_(slot, k, j, i) = end ? open | target : open;
      if (from(slot, k, j, i) == 0) return;
      core::Count const at = steps_.at(k, j, i);
      improve(q, at, 0);
      waiting_[q].push_back({at, 0});
      first_[q] = 0;
    });
  });
}

bool Wave::improve(std::size_t slot, core::Count at, std::int32_t distance) {
  std::int32_t& known = known_.row(static_cast<int>(slot), 0, 0)[at];
  // -1 counts as the largest number
  if (static_cast<std::uint32_t>(known) <= static_cast<std::uint32_t>(distance)) return false;
  known = distance;
  std::uint8_t const here = cell_.row(static_cast<int>(slot), 0, 0)[at];
  if ((here & target) != 0) hit_[slot] = std::min(hit_[slot], distance);
  relaxations_[slot] += here != elsewhere;
  return true;
}

std::int32_t Wave::first_waiting() const {
  return first_.empty() ? never : *std::min_element(first_.begin(), first_.end());
}

void Wave::visit(int slot, std::int32_t last) {
  auto const q = static_cast<std::size_t>(slot);
  if (first_[q] > last) return;
  static thread_local std::vector<core::Count> front, next;
  static thread_local std::vector<Waiting> waiting;
  waiting.clear();
  waiting.swap(waiting_[q]);
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](Waiting const& a, Waiting const& b) { return a.distance < b.distance; });
  std::uint8_t const* const cell = cell_.row(slot, 0, 0);
  std::int32_t const* const known = known_.row(slot, 0, 0);
  core::TileInfo const& info = layout_.info(slot);
  int const neighbours = steps_.size();
  core::Count const* const steps = steps_.steps();
  front.clear();
  std::size_t taken = 0;
  for (std::int32_t d = first_[q];; ++d) {
    if (front.empty()) {
      if (taken == waiting.size()) break;
      d = waiting[taken].distance;
    }
    if (d > last) break;
    // what waited and was not reached by a shorter way meanwhile
    for (; taken < waiting.size() && waiting[taken].distance == d; ++taken)
      if (known[waiting[taken].at] == d) front.push_back(waiting[taken].at);
    next.clear();
    for (core::Count const at : front)
      for (int n = 0; n < neighbours; ++n) {
        core::Count const to = at + steps[n];
        if (static_cast<std::uint32_t>(known[to]) <= static_cast<std::uint32_t>(d + 1)) continue;
        improve(q, to, d + 1);
        if (cell[to] != elsewhere) {
          next.push_back(to);
          continue;
        }
        core::Index const x = steps_.local(to);
        mail_.post(slot, {info.i0 + x.i, info.j0 + x.j, info.k0 + x.k}, d + 1);
      }
    front.swap(next);
  }
  // beyond the window: another time
  first_[q] = never;
  auto const keep = [&](core::Count at) {
    waiting_[q].push_back({at, known[at]});
    first_[q] = std::min(first_[q], known[at]);
  };
  for (core::Count const at : front) keep(at);
  for (; taken < waiting.size(); ++taken)
    if (known[waiting[taken].at] == waiting[taken].distance) keep(waiting[taken].at);
}

std::int32_t Wave::run() {
  core::Comm const& comm = layout_.comm();
  std::int32_t const width = window(layout_.grid());
  std::int32_t hit = never;
  for (;; ++rounds_) {
    auto const first = static_cast<std::int32_t>(comm.min(std::int64_t{first_waiting()}));
    if (hit_.size() > 0) hit = std::min(hit, *std::min_element(hit_.begin(), hit_.end()));
    hit = static_cast<std::int32_t>(comm.min(std::int64_t{hit}));
    // cells that wait at `first` reach others at first + 1 only
    if (first == never || hit <= first) break;
    if (first > never - 2 * width) throw core::RunError("a path through the medium is longer than 2^31 cells");
    std::int32_t const last = std::min(first + width, hit);
    core::for_each_tile_on_host("wave", layout_, [&](int slot) { visit(slot, last); });
    mail_.deliver();
    core::for_each_tile_on_host("wave mail", layout_, [&](int slot) {
      auto const q = static_cast<std::size_t>(slot);
      for (auto const& letter : mail_.inbox(slot)) {
        core::Count const at = steps_.at(letter.k, letter.j, letter.i);
        if (!improve(q, at, letter.value)) continue;
        waiting_[q].push_back({at, letter.value});
        first_[q] = std::min(first_[q], letter.value);
      }
    });
  }
  return hit == never ? -1 : hit;
}

Distances Wave::take() {
  Distances result;
  std::vector<std::int64_t> reached(waiting_.size(), 0), farthest(waiting_.size(), -1);
  core::for_each_tile_on_host("wave counts", layout_, [&](int slot) {
    auto const q = static_cast<std::size_t>(slot);
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) {
      std::int32_t& d = known_(slot, k, j, i);
      if (cell_(slot, k, j, i) == closed) d = -1;
      reached[q] += d >= 0;
      farthest[q] = std::max<std::int64_t>(farthest[q], d);
    });
  });
  std::int64_t far = -1;
  for (std::size_t q = 0; q < reached.size(); ++q) {
    result.reached += reached[q];
    result.relaxations += relaxations_[q];
    far = std::max(far, farthest[q]);
  }
  result.reached = layout_.comm().sum(result.reached);
  result.relaxations = layout_.comm().sum(result.relaxations);
  result.farthest = static_cast<std::int32_t>(layout_.comm().max(far));
  result.rounds = rounds_;
  result.field = std::move(distance_);
  return result;
}

}  // namespace tessera::ca::graph
