// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/piece.hpp"
#include "core/grid/folds.hpp"

#include <algorithm>

namespace tessera::ca::blocks {
namespace {

Word shifted(Word word, core::Count by) { return by < 0 ? word << -by : word >> by; }

}  // namespace

PieceWork::PieceWork(std::vector<core::Index> directions)
    : directions_(std::move(directions)),
      faces_(directions_ ==
             std::vector<core::Index>{{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {}

/// Cells with edges that leave the piece, in raster order.
void PieceWork::find_terminals() {
  terminals_.clear();
  leaving_.clear();
  std::array<Word, most_neighbours> ways{};
  for (int k = 0; k < bits.nk; ++k)
    for (int j = 0; j < bits.nj; ++j) {
      auto const r = static_cast<std::size_t>(bits.row(j, k));
      Word const own = bits.own[r];
      if (own == 0) continue;
      Word any = bits.in[r] | bits.out[r];
      for (std::size_t d = 0; d < directions_.size(); ++d) {
        core::Index const& by = directions_[d];
        ways[d] =
            own &
            shifted(
                bits.around[static_cast<std::size_t>(bits.row(j + static_cast<int>(by.j), k + static_cast<int>(by.k)))],
                by.i);
        any |= ways[d];
      }
      for_bits(any, [&](int x) {
        Ways out = (bits.in[r] >> x & 1) != 0 ? to_source : 0;
        if ((bits.out[r] >> x & 1) != 0) out |= to_sink;
        for (std::size_t d = 0; d < directions_.size(); ++d) out |= (ways[d] >> x & 1) << d;
        terminals_.push_back(static_cast<Id>(64 * r) + static_cast<Id>(x));
        leaving_.push_back(out);
      });
    }
}

/// Depth-first search from the terminals. A cell's neighbours are read once, when it is found: the least of those found
/// before and the directions of the others together. `size`: directions, 0: as many as there are.
template <int size>
void PieceWork::search() {
  int const ways = size > 0 ? size : static_cast<int>(directions_.size());
  std::array<int, most_neighbours> steps{};
  for (int d = 0; d < ways; ++d)
    steps[static_cast<std::size_t>(d)] = bits.step(directions_[static_cast<std::size_t>(d)]);
  Id* const order = order_.data();
  Id clock = 0;
  for (std::size_t root = 0; root < terminals_.size(); ++root) {
    Id const start = terminals_[root];
    if (order[start] != 0) continue;
    Step* top = path_.data();
    auto const discover = [&](Id v, Step& step) {
      order[v] = ++clock;
      Id low = clock - 1;
      Ways open = 0;
      Id const* const here = order + v;
      TESSERA_UNROLL(26)
      for (int d = 0; d < ways; ++d) {
        Id const found = here[steps[static_cast<std::size_t>(d)]];
        open |= static_cast<Ways>(found == 0) << d;
        low = std::min(low, found - 1);  // 0 less 1 is the largest
      }
      step = {v, low, open};
    };
    discover(start, *top);
    for (;;) {
      if (top->ways != 0) {
        int const d = std::countr_zero(top->ways);
        top->ways &= top->ways - 1;
        Id const w = top->v + static_cast<Id>(steps[static_cast<std::size_t>(d)]);
        if (order[w] != 0) continue;
        forest_.enter(w);
        discover(w, *++top);
      } else {
        if (top == path_.data()) break;
        Step const below = *top--;
        if (below.low >= order[top->v] - 1)
          forest_.close(top->v, below.v, dropped_at(static_cast<Id>(root)));
        else
          top->low = std::min(top->low, below.low);
      }
    }
    forest_.label[start] = none;
  }
}

void PieceWork::reduce(core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced) {
  find_terminals();
  if (faces_ && rules_.reduce(bits, terminals_, leaving_, corner, places, record, reduced)) return;
  auto const n = static_cast<std::size_t>(64 * bits.rows());
  order_.assign(n, none);  // not occupied: larger than all orders, also less 1
  if (path_.size() < n) {
    path_.resize(n);
    vertex_.resize(n);
  }
  for (std::size_t r = 0; r < bits.own.size(); ++r)
    for_bits(bits.own[r], [&](int x) { order_[64 * r + static_cast<std::size_t>(x)] = 0; });
  forest_.reset(n);
  for (Id const cell : terminals_) forest_.flag[cell] = Forest::terminal;
  switch (directions_.size()) {
  case 4:
    search<4>();
    break;
  case 6:
    search<6>();
    break;
  case 8:
    search<8>();
    break;
  case 18:
    search<18>();
    break;
  case 26:
    search<26>();
    break;
  default:
    search<0>();
  }
  write(corner, places, record, reduced);
}

void PieceWork::write(core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced) {
  auto const n = terminals_.size();
  reduced.places.reserve(n + 8);
  reduced.leaving.reserve(n + 8);
  record.cells.reserve(n + 8);
  auto const vertex = [&](Id cell, Ways leaving) {
    forest_.flag[cell] |= Forest::placed;
    vertex_[cell] = static_cast<Id>(record.cells.size());
    reduced.places.push_back(places.at(corner + bits.cell(cell)));
    reduced.leaving.push_back(leaving);
    record.cells.push_back(cell);
  };
  for (std::size_t t = 0; t < n; ++t) vertex(terminals_[t], leaving_[t]);
  reduced.begin = forest_.begin;
  reduced.members.reserve(forest_.members.size());
  for (Id const cell : forest_.members) {
    if ((forest_.flag[cell] & Forest::placed) == 0) vertex(cell, 0);
    reduced.members.push_back(vertex_[cell]);
  }
  record.swallowed = forest_.swallowed;
  record.into = forest_.into;
  Id last = none;
  bool any = false;
  for (std::size_t r = 0; r < bits.own.size(); ++r)
    for_bits(bits.own[r], [&](int x) {
      auto const cell = static_cast<Id>(64 * r) + static_cast<Id>(x);
      any = any || (forest_.flag[cell] & Forest::cut) != 0;
      if (forest_.label[cell] == last) return;
      last = forest_.label[cell];
      record.run_begin.push_back(cell);
      record.run_label.push_back(last);
    });
  record.run_begin.shrink_to_fit();
  record.run_label.shrink_to_fit();
  if (!any) return;
  record.cuts.assign(bits.own.size(), 0);
  for (std::size_t r = 0; r < bits.own.size(); ++r)
    for_bits(bits.own[r], [&](int x) {
      if ((forest_.flag[64 * r + static_cast<std::size_t>(x)] & Forest::cut) != 0) record.cuts[r] |= Word{1} << x;
    });
}

}  // namespace tessera::ca::blocks
