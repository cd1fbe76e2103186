// SPDX-License-Identifier: Apache-2.0
#pragma once
// The published automata A1 .. A5 cell after cell on one small grid, with blocks of arms in place of contact couples:
// slow, and written from the definitions alone. Rows are counted downwards here.
#include "ca/stepwise/paper.hpp"
#include "tests/support/percolation_reference.hpp"

#include <functional>
#include <tuple>

namespace tessera::tests {

/// What the automata give on a framed mask whose bars are rows.
struct PaperReference {
  bool spans = false;
  ca::PaperSteps steps;
  Mask backbone;  ///< interior cells
  std::int64_t removed = 0, white = 0, tagged = 0, restored = 0;

  /// The order of a sweep: cells of the mask (i, j) by growing keys, updated in place. Empty: all at once.
  using Keys = std::function<std::uint64_t(int i, int j, std::uint32_t sweep)>;

  explicit PaperReference(Mask const& m, Keys keys = {})
      : backbone(m.nx, m.ny),
        rows_(m.ny),
        columns_(m.nx),
        keys_(std::move(keys)) {
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < columns_; ++c) black_.push_back(m.at(c, rows_ - 1 - r));
    seed();
    spread();
    spans = colour_[number(rows_ - 2, 0)] != colour_[number(rows_ - 2, columns_ - 1)];
    if (!spans) return;
    cut();
    mark();
    restore();
    for (int r = 1; r < rows_ - 1; ++r)
      for (int c = 0; c < columns_; ++c) backbone.at(c, rows_ - 1 - r) = state_[number(r, c)] == 'm';
  }

  /// Steps of the exact flood from the bars, group by group; 0 if the medium does not span.
  std::int64_t flood_steps() const {
    if (!spans) return 0;
    std::vector<int> reached(black_.size() * 2, 0);
    std::vector<std::array<int, 3>> front, next;  // row, column, group
    for (int r : {0, rows_ - 1})
      for (int c = 0; c < columns_; ++c)
        for (int k = 0; k < arms_[number(r, c)].n; ++k) {
          int const group = arms_[number(r, c)].group[k];
          if (arms_[number(r, c)].direction[k] % 2 == 0 || group < 0) continue;  // along the bar
          if (reached[2 * number(r, c) + static_cast<std::size_t>(group)]++ == 0) front.push_back({r, c, group});
        }
    for (std::int64_t steps = 0;; ++steps, front.swap(next)) {
      next.clear();
      for (auto [r, c, g] : front)
        for (int k = 0; k < arms_[number(r, c)].n; ++k) {
          if (arms_[number(r, c)].group[k] != g) continue;
          int const d = arms_[number(r, c)].direction[k], a = r + down(d), b = c + right(d);
          Arms const& other = arms_[number(a, b)];
          for (int q = 0; q < other.n; ++q)
            if (other.direction[q] == (d + 2) % 4 && other.group[q] >= 0 &&
                reached[2 * number(a, b) + static_cast<std::size_t>(other.group[q])]++ == 0)
              next.push_back({a, b, other.group[q]});
        }
      if (next.empty()) return steps;
    }
  }

 private:
  /// Arms of a black cell in the order up, right, down, left; gap k lies clockwise of arm k.
  struct Arms {
    int n = 0, groups = 0;
    int direction[4] = {}, group[4] = {};  // group -1: dead
    std::int64_t gap[4] = {};              // its colour; below 0 a face of its own
    bool cut = false;
  };

  std::size_t number(int r, int c) const { return static_cast<std::size_t>(r * columns_ + c); }
  static int down(int d) { return d == 0 ? -1 : d == 2 ? 1 : 0; }
  static int right(int d) { return d == 1 ? 1 : d == 3 ? -1 : 0; }
  bool inside(int r, int c) const { return r >= 0 && r < rows_ && c >= 0 && c < columns_; }
  bool black(int r, int c) const { return inside(r, c) && black_[number(r, c)] == 1; }
  bool interior(int r) const { return r > 0 && r < rows_ - 1; }
  char state(int r, int c) const { return inside(r, c) ? state_[number(r, c)] : ' '; }
  void for_each(std::function<void(int, int)> const& f) const {
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < columns_; ++c) f(r, c);
  }

  void seed() {
    colour_.assign(black_.begin(), black_.end());
    for (int r = 1; r < rows_ - 1; ++r)
      for (int c = 1; c < columns_; ++c)
        if (!black(r, c) && black(r + 1, c - 1) && black(r + 1, c) && black(r, c - 1))
          colour_[number(r, c)] = static_cast<std::int64_t>(number(r, c)) + 2;
    for (int c : {0, columns_ - 1}) colour_[number(rows_ - 2, c)] = static_cast<std::int64_t>(number(rows_ - 2, c)) + 2;
    steps.a1 = 1;
  }

  /// All cells in the order of a sweep.
  void for_each_in_order(std::uint32_t sweep, std::function<void(int, int)> const& f) const {
    std::vector<std::tuple<std::uint64_t, int, int>> order;
    for_each([&](int r, int c) { order.emplace_back(keys_(c, rows_ - 1 - r, sweep), r, c); });
    std::sort(order.begin(), order.end());
    for (auto const& [key, r, c] : order) f(r, c);
  }

  void spread_in_order() {
    bool changed = true;
    for (std::uint32_t sweep = 1; changed; ++sweep, steps.a2 += changed) {
      changed = false;
      for_each_in_order(sweep, [&](int r, int c) {
        if (black(r, c)) return;
        std::int64_t largest = colour_[number(r, c)];
        for (int a = std::max(0, r - 1); a <= std::min(rows_ - 1, r + 1); ++a)
          for (int b = std::max(0, c - 1); b <= std::min(columns_ - 1, c + 1); ++b)
            largest = std::max(largest, colour_[number(a, b)]);
        if (largest <= 1 || largest == colour_[number(r, c)]) return;
        colour_[number(r, c)] = largest;
        changed = true;
      });
    }
  }

  void mark_in_order() {
    bool changed = true;
    for (std::uint32_t sweep = 1u << 31; changed; ++sweep, steps.a4 += changed) {
      changed = false;
      for_each_in_order(sweep, [&](int r, int c) {
        if (!becomes_marked(r, c)) return;
        state_[number(r, c)] = 'm';
        changed = true;
      });
    }
  }

  void spread() {
    if (keys_) return spread_in_order();
    for (bool changed = true; changed; steps.a2 += changed) {
      auto next = colour_;
      for_each([&](int r, int c) {
        if (black(r, c)) return;
        std::int64_t largest = colour_[number(r, c)];
        for (int a = std::max(0, r - 1); a <= std::min(rows_ - 1, r + 1); ++a)
          for (int b = std::max(0, c - 1); b <= std::min(columns_ - 1, c + 1); ++b)
            largest = std::max(largest, colour_[number(a, b)]);
        if (largest > 1) next[number(r, c)] = largest;
      });
      changed = next != colour_;
      colour_ = next;
    }
  }

  std::int64_t face(int r, int c, int from, int span, int own) const {
    bool const bar = !interior(r);
    for (int s = 1; s < span; ++s)
      if (bar && (from + s) % 4 == (r == 0 ? 0 : 2)) return own;
    if (span == 1) {
      int const to = (from + 1) % 4, a = r + down(from) + down(to), b = c + right(from) + right(to);
      return inside(a, b) && !black(a, b) ? colour_[number(a, b)] : own;
    }
    for (int s = 1; s < span; ++s) {
      int const a = r + down((from + s) % 4), b = c + right((from + s) % 4);
      if (inside(a, b) && !black(a, b)) return colour_[number(a, b)];
    }
    return own;
  }

  Arms arms_of(int r, int c) const {
    Arms a;
    for (int d = 0; d < 4; ++d)
      if (black(r + down(d), c + right(d))) a.direction[a.n++] = d;
    for (int k = 0; k < a.n; ++k) {
      int const span = a.n == 1 ? 4 : (a.direction[(k + 1) % a.n] - a.direction[k] + 4) % 4;
      a.gap[k] = face(r, c, a.direction[k], span, -1 - k);
    }
    auto const repeated = [&](int i, int j) { return a.gap[i] >= 0 && a.gap[i] == a.gap[j]; };
    for (int i = 0; i < a.n; ++i)
      for (int j = i + 1; j < a.n; ++j) a.cut = a.cut || repeated(i, j);
    // arms stay together unless a repeated colour lies between them on both ways round
    auto const apart = [&](int p, int q) {
      for (int i = 0; i < a.n; ++i)
        for (int j = i + 1; j < a.n; ++j)
          if (repeated(i, j) && (p > i && p <= j) != (q > i && q <= j)) return true;
      return false;
    };
    std::fill_n(a.group, 4, -1);
    for (int p = 0; p < a.n; ++p) {
      if (a.group[p] >= 0) continue;
      bool alone = true;
      for (int q = 0; q < a.n; ++q) alone = alone && (q == p || apart(p, q));
      if (alone && a.gap[(p + a.n - 1) % a.n] == a.gap[p]) continue;
      for (int q = p; q < a.n; ++q)
        if (q == p || !apart(p, q)) a.group[q] = a.groups;
      ++a.groups;
    }
    return a;
  }

  /// Partners of the cell in direction d of a white cell: the other arms of that arm's block.
  std::vector<std::array<int, 2>> partners(int r, int c, int d) const {
    Arms const& a = arms_[number(r, c)];
    std::vector<std::array<int, 2>> found;
    for (int k = 0; k < a.n; ++k)
      for (int q = 0; q < a.n; ++q)
        if (a.direction[k] == d && q != k && a.group[k] >= 0 && a.group[q] == a.group[k])
          found.push_back({r + down(a.direction[q]), c + right(a.direction[q])});
    return found;
  }

  void cut() {
    arms_.resize(black_.size());
    state_.assign(black_.size(), ' ');
    for_each([&](int r, int c) {
      if (!black(r, c)) return;
      Arms const a = arms_[number(r, c)] = arms_of(r, c);
      state_[number(r, c)] = !a.cut ? 'b' : a.groups == 0 ? ' ' : 'w';
      removed += a.cut && a.groups == 0 && interior(r);
      white += a.cut && a.groups > 0 && interior(r);
    });
    auto next = state_;
    for_each([&](int r, int c) {
      for (int d = 0; d < 4; ++d)
        if (state(r, c) == 'w' && state(r + down(d), c + right(d)) == 'b' && !partners(r, c, d).empty())
          next[number(r + down(d), c + right(d))] = 't';
    });
    state_ = next;
    for_each([&](int r, int c) { tagged += state(r, c) == 't' && interior(r); });
    steps.a3 = 2;
  }

  bool becomes_marked(int r, int c) const {
    char const here = state(r, c);
    if (here != 'b' && here != 't') return false;
    if (here == 'b' && !interior(r)) return true;
    for (int d = 0; d < 4; ++d) {
      int const a = r + down(d), b = c + right(d);
      if (state(a, b) == 'm') return true;
      if (here != 't' || state(a, b) != 'w') continue;
      for (auto [x, y] : partners(a, b, (d + 2) % 4))
        if (state(x, y) == 'm') return true;
    }
    return false;
  }

  void mark() {
    if (keys_) return mark_in_order();
    for (bool changed = true; changed; steps.a4 += changed) {
      auto next = state_;
      for_each([&](int r, int c) {
        if (becomes_marked(r, c)) next[number(r, c)] = 'm';
      });
      changed = next != state_;
      state_ = next;
    }
  }

  void restore() {
    auto next = state_;
    for_each([&](int r, int c) {
      if (state(r, c) != 'w') return;
      int found = 0;
      bool square = false;
      for (int d = 0; d < 4; ++d) {
        if (state(r + down(d), c + right(d)) != 'm') continue;
        ++found;
        for (int e = 0; e < 4; ++e)
          square = square || ((d + e) % 2 == 1 && state(r + down(e), c + right(e)) == 'w' &&
                              state(r + down(d) + down(e), c + right(d) + right(e)) == 'm');
      }
      if (found < 2 && !square) return;
      next[number(r, c)] = 'm';
      restored += interior(r);
    });
    state_ = next;
    steps.a5 = 1;
  }

  int rows_, columns_;
  Keys keys_;
  std::vector<std::uint8_t> black_;
  std::vector<std::int64_t> colour_;
  std::vector<Arms> arms_;
  std::vector<char> state_;  // ' ' white cluster or removed, b black, w white for a time, t tagged, m marked
};

/// The automata with update random on a mask; `across`: the field that they run on is the transposed mask.
inline PaperReference paper_in_random_order(Mask const& m, core::Random random, bool across) {
  return PaperReference(m, [&m, random, across](int i, int j, std::uint32_t sweep) {
    return random.bits(static_cast<std::uint64_t>(across ? i * m.ny + j : j * m.nx + i), sweep);
  });
}

/// Steps of A2 without running it: the largest distance (8 neighbours) within a white cluster from its seed of largest
/// colour, which is the last one row by row from the top.
inline std::int64_t paper_eccentricity(Mask const& m) {
  auto const white = [&](int i, int j) { return m.inside(i, j) && m.at(i, j) == 0; };
  Mask seen(m.nx, m.ny);
  std::int64_t largest = 0;
  // from the lowest row up and right to left, the first seed met of a cluster is the one of largest colour
  for (int j = 1; j < m.ny - 1; ++j)
    for (int i = m.nx - 1; i >= 0; --i) {
      bool const side = (i == 0 || i == m.nx - 1) && j == 1;
      if (!white(i, j) || seen.at(i, j) || !(side || (m.black(i - 1, j) && m.black(i - 1, j - 1) && m.black(i, j - 1))))
        continue;
      std::vector<std::array<int, 2>> front{{i, j}};
      seen.at(i, j) = 1;
      for (std::int64_t distance = 0; !front.empty(); ++distance) {
        largest = std::max(largest, distance);
        std::vector<std::array<int, 2>> next;
        for (auto [x, y] : front)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (white(x + dx, y + dy) && !seen.at(x + dx, y + dy)) {
                seen.at(x + dx, y + dy) = 1;
                next.push_back({x + dx, y + dy});
              }
        front = std::move(next);
      }
    }
  return largest;
}

}  // namespace tessera::tests
