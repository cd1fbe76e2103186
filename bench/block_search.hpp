// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::bench {

/// The backbone of a framed grid by its definition, the fastest serial way known to us: a depth-first search for
/// biconnected components on the graph of black cells, whose edges are never stored, that stops at the first component
/// it completes, the one of the edge source - sink.
///
/// Source and sink are joined to the cells of the first and the last row (D1), or to those next to them, the bars left
/// out (`contracted`, D2). Searched from the source by way of the sink first, a component is complete when the search
/// goes back from a cell w to its parent u and nothing found from w reaches above u (low(w) >= found(u)).
/// Returns 1 on backbone cells inside the frame. Memory: 18 B a cell. No recursion.
/// Source: Tarjan 1972, SIAM J. Comput. 1:146.
class BlockSearch {
 public:
  /// `black`: rows of nx bytes, 1 on black cells; ny rows; bars black. nx * ny < 2^31 - 2.
  BlockSearch(std::vector<std::uint8_t> const& black, int nx, int ny)
      : black_(black),
        nx_(nx),
        ny_(ny),
        source_(nx * ny),
        sink_(source_ + 1),
        found_(black.size() + 2),
        low_(black.size() + 2),
        next_(black.size() + 2) {}

  std::vector<std::uint8_t> run(bool contracted) {
    first_ = contracted ? 1 : 0;
    last_ = ny_ - 1 - first_;
    found_.assign(found_.size(), 0);
    next_.assign(next_.size(), 0);
    path_.assign(1, source_);
    open_.clear();
    int clock = 0;
    at(found_, source_) = at(low_, source_) = ++clock;
    std::vector<std::uint8_t> backbone(black_.size(), 0);
    for (;;) {
      int const v = path_.back(), w = neighbour(v);
      if (w == end) {
        path_.pop_back();
        if (path_.empty()) return backbone;
        int const u = path_.back();
        if (at(low_, v) < at(low_, u)) at(low_, u) = at(low_, v);
        if (at(low_, v) < at(found_, u)) continue;
        bool const wanted = u == source_ && v == sink_;
        close(v, wanted ? &backbone : nullptr);
        if (wanted) return backbone;
      } else if (at(found_, w) == 0) {
        at(found_, w) = at(low_, w) = ++clock;
        path_.push_back(w);
        open_.push_back(w);
      } else if ((path_.size() < 2 || w != path_[path_.size() - 2]) && at(found_, w) < at(low_, v)) {
        at(low_, v) = at(found_, w);
      }
    }
  }

 private:
  static constexpr int end = -1;
  template <class T>
  static T& at(std::vector<T>& values, int v) {
    return values[v];
  }
  bool has(int v) const { return black_[v] == 1; }

  /// The next neighbour of v, one after the other, or `end`.
  int neighbour(int v) {
    if (v >= source_) return neighbour_of_end(v);
    int const y = v / nx_, x = v - y * nx_;
    for (;;) switch (at(next_, v)++) {
      case 0:
        if (y > first_ && has(v - nx_)) return v - nx_;
        break;
      case 1:
        if (x + 1 < nx_ && has(v + 1)) return v + 1;
        break;
      case 2:
        if (y < last_ && has(v + nx_)) return v + nx_;
        break;
      case 3:
        if (x > 0 && has(v - 1)) return v - 1;
        break;
      case 4:
        if (y == first_) return source_;
        break;
      case 5:
        if (y == last_) return sink_;
        break;
      default:
        return end;
      }
  }
  /// Source and sink: each other first, then the cells of their row.
  int neighbour_of_end(int v) {
    int& next = at_end_[v - source_];
    if (at(next_, v) == 0) {
      at(next_, v) = 1;
      next = 0;
      return v == source_ ? sink_ : source_;
    }
    int const row = (v == source_ ? first_ : last_) * nx_;
    while (next < nx_)
      if (int const cell = row + next++; has(cell)) return cell;
    return end;
  }
  /// Takes the component that was opened by v off the open cells.
  void close(int v, std::vector<std::uint8_t>* backbone) {
    for (int top = end; top != v;) {
      top = open_.back();
      open_.pop_back();
      if (backbone != nullptr && top >= nx_ && top < source_ - nx_) (*backbone)[top] = 1;
    }
  }

  std::vector<std::uint8_t> const& black_;
  int nx_, ny_, source_, sink_, first_ = 0, last_ = 0;
  std::vector<int> found_, low_;
  std::vector<std::uint8_t> next_;  ///< which neighbour is looked at next
  int at_end_[2] = {0, 0};          ///< which cell of its row source and sink look at next
  std::vector<int> path_, open_;
};

}  // namespace tessera::bench
