// SPDX-License-Identifier: Apache-2.0
// How a tree gets its cells, and loses them.
#include "ca/unbounded/tree.hpp"

#include <algorithm>

namespace tessera::ca::unbounded {

using core::Count;

Tree::Number Tree::square_of(std::array<std::uint8_t, 64> const& states) {
  auto const made = [&](auto const& self, int level, int i0, int j0) -> Number {
    if (level == form_.level) {
      LeafForm::Word cells = 0;
      for (int j = 0; j < form_.side(); ++j)
        for (int i = 0; i < form_.side(); ++i)
          form_.set(cells, i, j, states[static_cast<std::size_t>(8 * (j0 + j) + i0 + i)]);
      return leaf(cells);
    }
    int const half = 1 << (level - 1);
    return square({self(self, level - 1, i0, j0), self(self, level - 1, i0 + half, j0),
                   self(self, level - 1, i0, j0 + half), self(self, level - 1, i0 + half, j0 + half)});
  };
  return made(made, 3, 0, 0);
}

void Tree::add(Number square) {
  while (level(root_) < level(square)) grow();
  while (level(square) < level(root_)) square = grown(square);
  std::map<std::array<Number, 2>, Number> known;
  root_ = sum(root_, square, known);
  if (bytes() > memory_) collect();
}
/// Of two squares of one level, of which no place has life in both.
Tree::Number Tree::sum(Number a, Number b, std::map<std::array<Number, 2>, Number>& known) {
  Number const none = empty(level(a));
  if (a == none) return b;
  if (b == none) return a;
  if (is_leaf(a)) return leaf(cells(a) | cells(b));
  auto const [place, is_new] = known.try_emplace({a, b});
  if (!is_new) return place->second;
  Four both{};
  for (std::size_t p = 0; p < 4; ++p) both[p] = sum(parts(a)[p], parts(b)[p], known);
  return place->second = this->square(both);
}

void Tree::put(std::span<Cell> cells) {
  auto const fits = [&](Cell const& cell) {
    Count const half = Count{1} << (level(root_) - 1);
    return cell.i >= -half && cell.i < half && cell.j >= -half && cell.j < half;
  };
  for (Cell const& cell : cells)
    while (!fits(cell)) grow();
  Count const half = Count{1} << (level(root_) - 1);
  root_ = laid(root_, -half, -half, cells);
  if (bytes() > memory_) collect();
}

void Tree::erase(core::Box const& box) {
  Count const half = Count{1} << (level(root_) - 1);
  auto const within = [&](Count x) { return std::clamp(x, -half, half) + half; };
  std::map<Part, Number> known;
  root_ = erased(root_, {{within(box.lo.i), within(box.lo.j), 0}, {within(box.hi.i), within(box.hi.j), 1}}, known);
}
/// A square without what it has in a box, which lies in it and counts from its lower left cell.
Tree::Number Tree::erased(Number square, core::Box const& box, std::map<Part, Number>& known) {
  int const of = level(square);
  Count const side = Count{1} << of, half = side / 2;
  Number const none = empty(of);
  if (box.empty() || square == none) return square;
  if (box == core::Box{{0, 0, 0}, {side, side, 1}}) return none;
  if (is_leaf(square)) {
    LeafForm::Word word = cells(square);
    for (Count j = box.lo.j; j < box.hi.j; ++j)
      for (Count i = box.lo.i; i < box.hi.i; ++i) form_.set(word, static_cast<int>(i), static_cast<int>(j), 0);
    return leaf(word);
  }
  auto const [place, is_new] = known.try_emplace({square, box.lo.i, box.lo.j, box.hi.i, box.hi.j});
  if (!is_new) return place->second;
  Four left = parts(square);
  for (std::size_t p = 0; p < 4; ++p) {
    core::Index const corner{p % 2 == 0 ? 0 : half, p < 2 ? 0 : half, 0};
    core::Box const part{corner, corner + core::Index{half, half, 1}};
    left[p] = erased(left[p], shifted(intersect(box, part), core::Index{} - corner), known);
  }
  return place->second = this->square(left);
}

/// A square, whose lower left cell is (i0, j0), with cells in it.
Tree::Number Tree::laid(Number square, Count i0, Count j0, std::span<Cell> cells) {
  if (cells.empty()) return square;
  if (is_leaf(square)) {
    LeafForm::Word word = this->cells(square);
    for (Cell const& cell : cells)
      form_.set(word, static_cast<int>(cell.i - i0), static_cast<int>(cell.j - j0), cell.state);
    return leaf(word);
  }
  Count const half = Count{1} << (level(square) - 1);
  auto const parted = [](std::span<Cell> all, auto const& comes_first) {
    auto const middle = std::stable_partition(all.begin(), all.end(), comes_first);
    auto const n = static_cast<std::size_t>(middle - all.begin());
    return std::pair(all.first(n), all.subspan(n));
  };
  auto const is_left = [&](Cell const& cell) { return cell.i < i0 + half; };
  auto const [below, above] = parted(cells, [&](Cell const& cell) { return cell.j < j0 + half; });
  auto const [sw, se] = parted(below, is_left);
  auto const [nw, ne] = parted(above, is_left);
  Four part = parts(square);
  part = {laid(part[0], i0, j0, sw), laid(part[1], i0 + half, j0, se), laid(part[2], i0, j0 + half, nw),
          laid(part[3], i0 + half, j0 + half, ne)};
  return this->square(part);
}

}  // namespace tessera::ca::unbounded
