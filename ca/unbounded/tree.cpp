// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/tree.hpp"

#include "ca/unbounded/place_hash.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::ca::unbounded {

using core::Count;

namespace {

std::size_t mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(x ^ x >> 32);
}

}  // namespace

std::size_t Tree::Square::hash() const {
  auto const below = parts[0] | std::uint64_t{parts[1]} << 32, above = parts[2] | std::uint64_t{parts[3]} << 32;
  return mixed(mixed(below) ^ above * 0xd6e8feb86659fd93u);
}
std::size_t Tree::Leaf::hash() const { return mixed(cells ^ cells >> 29); }

Tree::Tree(std::unique_ptr<LeafRule> rule, double memory)
    : rule_(std::move(rule)),
      form_(rule_->form()),
      memory_(memory),
      empties_{leaf(0)},
      root_(empty(form_.level + 2)) {}

Tree::Number Tree::empty(int level) {
  auto const n = static_cast<std::size_t>(level - form_.level);
  while (empties_.size() <= n) {
    Number const part = empties_.back();
    empties_.push_back(square({part, part, part, part}));
  }
  return empties_[n];
}

Tree::Number Tree::square(Four const& parts) {
  return squares_.find({.parts = parts, .level = static_cast<std::uint8_t>(level(parts[0]) + 1)});
}

void Tree::hand_over(Taker const& taker) const {
  constexpr Number unknown = ~Number{0};
  std::vector<Number> squares(squares_.end(), unknown), leaves(leaves_.end(), unknown);
  auto const leaf_of = [&](LeafForm::Word cells) -> Number {
    if (cells == 0) return 0;
    if (form_.level == 3) return taker.of_bits(cells);
    auto const state = [&](int i, int j) { return static_cast<Number>(cells >> form_.place(i, j) & form_.mask()); };
    return taker.of_parts(1, {state(0, 0), state(1, 0), state(0, 1), state(1, 1)});
  };
  auto const visit = [&](auto const& self, Number n) -> Number {
    Number& known = is_leaf(n) ? leaves[n & ~of_leaf] : squares[n];
    if (known != unknown) return known;
    if (is_leaf(n)) return known = leaf_of(cells(n));
    Four const& part = parts(n);
    Four const given{self(self, part[0]), self(self, part[1]), self(self, part[2]), self(self, part[3])};
    return known = given == Four{} ? 0 : taker.of_parts(level(n), given);
  };
  visit(visit, root_);
}

/// A square of twice the side with another in its middle.
Tree::Number Tree::grown(Number square) {
  int const of = level(square);
  if (of >= highest)
    throw core::RunError(fmt::format("life comes to cells beyond 2^{}, expected fewer generations", highest - 1));
  Number const none = empty(of - 1);
  Four const part = parts(square);
  empty(of + 1);  // who goes through the cells knows empty squares of each level
  return this->square({this->square({none, none, none, part[0]}), this->square({none, none, part[1], none}),
                       this->square({none, part[2], none, none}), this->square({part[3], none, none, none})});
}

/// Whether what lives is in the middle of the root, in half its side.
bool Tree::is_within_half() {
  Number const none = empty(level(root_) - 2);
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t q = 0; q < 4; ++q)
      if (q != 3 - p && parts(parts(root_)[p])[q] != none) return false;
  return true;
}
void Tree::shrink() {
  while (level(root_) > form_.level + 2 && is_within_half()) {
    Four const part = parts(root_);
    root_ = square({parts(part[0])[3], parts(part[1])[2], parts(part[2])[1], parts(part[3])[0]});
  }
}

bool Tree::advance(int k) {
  k_ = k;
  shrink();
  held_.assign(1, root_);
  while (level(root_) < k + 2 || !is_within_half()) grow();
  // what lives is in a quarter of the side, and 2^k cells on in half of it
  grow();
  root_ = later(root_);
  shrink();
  // equal squares are one
  bool const moved = root_ != held_.front();
  held_.clear();
  return moved;
}

/// It stays while others are worked on.
Tree::Number Tree::hold(Number n) {
  held_.push_back(n);
  return n;
}

Tree::Number Tree::middle_of(Four const& of) {
  if (is_leaf(of[0])) return leaf(rule_->advance({cells(of[0]), cells(of[1]), cells(of[2]), cells(of[3])}, 0));
  return square({parts(of[0])[3], parts(of[1])[2], parts(of[2])[1], parts(of[3])[0]});
}

Tree::Number Tree::later(Number n) {
  int const level = squares_[n].level, step = std::min(level - 2, k_);
  if (squares_[n].later != 0 && squares_[n].step == step) return squares_[n].later;
  if (is_full()) collect();
  Four const p = parts(n);
  Number result = 0;
  if (is_leaf(p[0])) {
    result = leaf(rule_->advance({cells(p[0]), cells(p[1]), cells(p[2]), cells(p[3])}, 1 << step));
    updates_ += std::int64_t{1} << (2 * form_.level + step);
  } else {
    auto const before = held_.size();
    auto const later_of = [&](Number square) { return hold(later(square)); };
    auto const later_between = [&](Four const& four) { return later_of(hold(square(four))); };
    Four const a = parts(p[0]), b = parts(p[1]), c = parts(p[2]), d = parts(p[3]);
    std::array<Number, 9> const nine{later_of(p[0]),
                                     later_between({a[1], b[0], a[3], b[2]}),
                                     later_of(p[1]),
                                     later_between({a[2], a[3], c[0], c[1]}),
                                     later_between({a[3], b[2], c[1], d[0]}),
                                     later_between({b[2], b[3], d[0], d[1]}),
                                     later_of(p[2]),
                                     later_between({c[1], d[0], c[3], d[2]}),
                                     later_of(p[3])};
    Four middle{};
    for (std::size_t q = 0; q < 4; ++q) {
      std::size_t const at = q / 2 * 3 + q % 2;
      Four const four{nine[at], nine[at + 1], nine[at + 3], nine[at + 4]};
      middle[q] = step == level - 2 ? later_between(four) : hold(middle_of(four));
    }
    result = square(middle);
    held_.resize(before);
  }
  squares_[n].later = result;
  squares_[n].step = static_cast<std::uint8_t>(step);
  return result;
}

bool Tree::is_full() const {
  constexpr std::size_t most = of_leaf - (1 << 20);
  return bytes() > memory_ || squares_.size() > most || leaves_.size() > most;
}

/// Throws away what neither the cells nor those that are worked on want, and their results, too, if that is too little.
void Tree::collect() {
  ++collections_;
  most_bytes_ = std::max(most_bytes_, bytes());
  if (mark(true) > memory_ / 2) {
    squares_.release();
    leaves_.release();
    if (mark(false) > memory_ * 3 / 4)
      throw core::RunError(fmt::format("the pattern wants more than the {:.3g} bytes of `memory` in "
                                       "constant/automatonProperties, expected more of it, or `algorithm tiles;`",
                                       memory_));
  }
  auto const is_kept = [&](Number of) { return is_leaf(of) ? leaves_[of & ~of_leaf].kept : squares_[of].kept; };
  for (Number n = 1; n < squares_.end(); ++n)
    if (squares_[n].kept && squares_[n].later != 0 && !is_kept(squares_[n].later)) squares_[n].later = 0;
  squares_.sweep();
  leaves_.sweep();
}

/// Marks what is kept, with the results that are known or without. Returns its memory [B].
double Tree::mark(bool results) {
  std::size_t squares = 0, leaves = 0;
  std::vector<Number> to_do;
  auto const keep = [&](Number n) {
    if (is_leaf(n)) {
      leaves += !std::exchange(leaves_[n & ~of_leaf].kept, true);
    } else if (!std::exchange(squares_[n].kept, true)) {
      ++squares;
      to_do.push_back(n);
    }
  };
  keep(root_);
  for (Number const n : empties_) keep(n);
  for (Number const n : held_) keep(n);
  while (!to_do.empty()) {
    Square const& square = squares_[to_do.back()];
    to_do.pop_back();
    for (Number const part : square.parts) keep(part);
    if (results && square.later != 0) keep(square.later);
  }
  return squares_.bytes_of(squares) + leaves_.bytes_of(leaves);
}

/// What join(level, values of the parts) and of_leaf(cells) make of the root; each square is asked once.
template <class T, class OfLeaf, class Join>
T Tree::fold(OfLeaf const& of_leaf, Join const& join) const {
  std::vector<Number> place(squares_.end());  // of a square's value, from 1 on
  std::vector<T> values;
  auto const value = [&](auto const& self, Number n) -> T {
    if (is_leaf(n)) return of_leaf(cells(n));
    if (place[n] != 0) return values[place[n] - 1];
    Four const& part = parts(n);
    T const made = join(
        level(n), std::array<T, 4>{self(self, part[0]), self(self, part[1]), self(self, part[2]), self(self, part[3])});
    values.push_back(made);
    place[n] = static_cast<Number>(values.size());
    return made;
  };
  return value(value, root_);
}

std::array<Population, 256> Tree::census() const {
  std::vector<Number> order;  // squares, parts first
  std::vector<bool> met(squares_.end());
  auto const visit = [&](auto const& self, Number n) -> void {
    if (is_leaf(n) || met[n]) return;
    met[n] = true;
    for (Number const part : parts(n)) self(self, part);
    order.push_back(n);
  };
  visit(visit, root_);
  std::vector<Population> times(squares_.end());  // that a square is there
  times[root_] = 1;
  std::array<Population, 256> cells{};
  for (auto n = order.rbegin(); n != order.rend(); ++n)
    for (Number const part : parts(*n)) {
      if (!is_leaf(part))
        times[part] += times[*n];
      else if (form_.bits == 1)
        cells[1] += times[*n] * static_cast<Population>(std::popcount(this->cells(part)));
      else
        form_.for_cells(this->cells(part), [&](int, int, std::uint8_t state) { cells[state] += times[*n]; });
    }
  return cells;
}

std::optional<core::Box> Tree::box() const {
  struct Frame {
    Count i0 = Count{1} << highest, j0 = i0, i1 = -i0, j1 = -i0;
    void add(Frame const& other, Count i, Count j) {
      if (other.i0 >= other.i1) return;
      *this = {std::min(i0, other.i0 + i), std::min(j0, other.j0 + j), std::max(i1, other.i1 + i),
               std::max(j1, other.j1 + j)};
    }
  };
  auto const all = fold<Frame>(
      [&](LeafForm::Word cells) {
        Frame frame;
        form_.for_cells(cells, [&](int i, int j, std::uint8_t) { frame.add({0, 0, 1, 1}, i, j); });
        return frame;
      },
      [](int level, std::array<Frame, 4> const& of) {
        Count const half = Count{1} << (level - 1);
        Frame frame;
        for (std::size_t p = 0; p < 4; ++p) frame.add(of[p], p % 2 == 0 ? 0 : half, p < 2 ? 0 : half);
        return frame;
      });
  if (all.i0 >= all.i1) return std::nullopt;
  Count const half = Count{1} << (level(root_) - 1);
  return core::Box{{all.i0 - half, all.j0 - half, 0}, {all.i1 - half, all.j1 - half, 1}};
}

std::uint64_t Tree::hash() const {
  using Hash = PlaceHash;
  using Value = Hash::Value;
  std::array<Value, 64> places{};
  for (int n = 0; n < 64; ++n)
    places[static_cast<std::size_t>(n)] =
        Hash::times(Hash::power(Hash::across, n % 8), Hash::power(Hash::upward, n / 8));
  auto const all = fold<Value>(
      [&](LeafForm::Word cells) {
        Value sum = 0;
        form_.for_cells(cells, [&](int i, int j, std::uint8_t state) {
          sum = Hash::add(sum, Hash::times(Hash::weight(state), places[static_cast<std::size_t>(8 * j + i)]));
        });
        return sum;
      },
      [](int level, std::array<Value, 4> const& of) {
        Count const half = Count{1} << (level - 1);
        Value const right = Hash::power(Hash::across, half), up = Hash::power(Hash::upward, half);
        return Hash::add(Hash::add(of[0], Hash::times(right, of[1])),
                         Hash::times(up, Hash::add(of[2], Hash::times(right, of[3]))));
      });
  Count const half = Count{1} << (level(root_) - 1);
  return Hash::times(all, Hash::times(Hash::power(Hash::across, -half), Hash::power(Hash::upward, -half)));
}

void Tree::for_cells(std::function<void(Cell const&)> const& f) const {
  auto const visit = [&](auto const& self, Number n, Count i0, Count j0) -> void {
    if (n == empties_[static_cast<std::size_t>(level(n) - form_.level)]) return;
    if (is_leaf(n)) {
      form_.for_cells(cells(n), [&](int i, int j, std::uint8_t state) { f({i0 + i, j0 + j, state}); });
      return;
    }
    Count const half = Count{1} << (level(n) - 1);
    for (std::size_t p = 0; p < 4; ++p) self(self, parts(n)[p], p % 2 == 0 ? i0 : i0 + half, p < 2 ? j0 : j0 + half);
  };
  Count const half = Count{1} << (level(root_) - 1);
  visit(visit, root_, -half, -half);
}

}  // namespace tessera::ca::unbounded
