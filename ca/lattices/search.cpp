// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/search.hpp"

#include <algorithm>

namespace tessera::ca::graph {
namespace {
std::size_t at(std::int64_t v) { return static_cast<std::size_t>(v); }
}  // namespace

TwoEnds::TwoEnds(std::vector<std::uint8_t>&& marks, std::vector<std::uint8_t>& degrees, std::vector<Vertex>& neighbours)
    : cells_(static_cast<std::int64_t>(marks.size())),
      marks_(std::move(marks)),
      begin_(at(cells_ + 3)) {
  Vertex const s = static_cast<Vertex>(cells_), t = s + 1;
  std::int64_t inlets = 0, outlets = 0;
  for (std::uint8_t mark : marks_) {
    inlets += (mark & is_inlet) != 0;
    outlets += (mark & is_outlet) != 0;
  }
  neighbours_.reserve(neighbours.size() + at(2 * (inlets + outlets)));
  std::size_t taken = 0;
  for (std::int64_t v = 0; v < cells_; ++v) {
    begin_[at(v)] = static_cast<std::int64_t>(neighbours_.size());
    std::size_t const end = taken + degrees[at(v)];
    for (; taken < end; ++taken) neighbours_.push_back(neighbours[taken]);
    if ((marks_[at(v)] & is_inlet) != 0) neighbours_.push_back(s);
    if ((marks_[at(v)] & is_outlet) != 0) neighbours_.push_back(t);
  }
  degrees = {};
  neighbours = {};
  for (int end = 0; end < 2; ++end) {
    begin_[at(cells_ + end)] = static_cast<std::int64_t>(neighbours_.size());
    for (std::int64_t v = 0; v < cells_; ++v)
      if ((marks_[at(v)] & (end == 0 ? is_inlet : is_outlet)) != 0) neighbours_.push_back(static_cast<Vertex>(v));
  }
  begin_[at(cells_ + 2)] = static_cast<std::int64_t>(neighbours_.size());
}

/// The state of a depth-first search.
class TwoEnds::Walk {
 public:
  explicit Walk(TwoEnds& graph)
      : g_(graph),
        s_(static_cast<Vertex>(graph.cells_)),
        t_(s_ + 1),
        order_(at(graph.cells_ + 2), 0),
        low_(order_.size()),
        parent_(order_.size(), -1),
        taken_(order_.size(), 0),
        on_way_(order_.size(), 0) {}

  void operator()() {
    enter(s_, -1);
    for (Vertex v = s_; v >= 0;) {
      std::int64_t const next = g_.begin_[at(v)] + taken_[at(v)];
      if (next == g_.begin_[at(v) + 1]) {
        leave(v);
        v = parent_[at(v)];
        continue;
      }
      ++taken_[at(v)];
      Vertex const w = g_.neighbours_[at(next)];
      if (order_[at(w)] == 0) {
        enter(w, v);
        v = w;
      } else if (w != parent_[at(v)]) {
        low_[at(v)] = std::min(low_[at(v)], order_[at(w)]);
      }
    }
  }

 private:
  void enter(Vertex v, Vertex from) {
    order_[at(v)] = low_[at(v)] = ++clock_;
    parent_[at(v)] = from;
    open_.push_back(v);
    if (v == t_)
      for (Vertex u = t_; u >= 0; u = parent_[at(u)]) on_way_[at(u)] = 1;
  }

  /// All below v is known. Its block ends at the parent u if nothing below leads above u.
  void leave(Vertex v) {
    Vertex const u = parent_[at(v)];
    if (u < 0) return;
    low_[at(u)] = std::min(low_[at(u)], low_[at(v)]);
    if (low_[at(v)] < order_[at(u)]) return;
    // with the edge s t the blocks on the way from s to t are one; without it u parts them
    bool const wanted = on_way_[at(v)] != 0;
    mark(u, wanted ? in_backbone | is_red : is_articulation);
    for (Vertex top = -1; top != v;) {
      top = open_.back();
      open_.pop_back();
      if (wanted) mark(top, in_backbone);
    }
  }

  void mark(Vertex v, int marks) {
    if (v < s_) g_.marks_[at(v)] = static_cast<std::uint8_t>(g_.marks_[at(v)] | marks);
  }

  TwoEnds& g_;
  Vertex s_, t_, clock_ = 0;
  std::vector<Vertex> order_, low_, parent_, open_;
  std::vector<std::uint32_t> taken_;  ///< neighbours tried
  std::vector<std::uint8_t> on_way_;  ///< from s to t in the tree
};

std::vector<std::uint8_t> TwoEnds::search() {
  for (std::uint8_t& mark : marks_) mark &= is_inlet | is_outlet;
  Walk walk(*this);
  walk();
  return std::move(marks_);
}

}  // namespace tessera::ca::graph
