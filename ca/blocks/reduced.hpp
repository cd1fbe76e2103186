// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <cstdint>
#include <vector>

namespace tessera::ca::blocks {

using Id = std::uint32_t;

/// Labels tell in which element a vertex or a smaller element lies. `dead`: in none, its block was dropped; what else the
/// label holds says where that block hung. `none`: nothing leads here. `alone`: the element is a block by itself.
inline constexpr Id dead = Id{1} << 31, alone = Id{1} << 30, none = ~Id{0};
inline constexpr Id most_vertices = alone - 2;  ///< of a graph: numbers fit beside the two bits
inline Id number_of(Id label) { return label & ~(dead | alone); }

/// Edges that lead out of a region, as bits of a vertex: the directions of the lattice, to the source and to the sink.
using Ways = std::uint64_t;
inline constexpr Ways to_source = Ways{1} << 62, to_sink = Ways{1} << 63;

/// What the outside sees of a region: vertices, and elements that stand for its blocks.
///
/// Vertices are the terminals (cells with an edge that leaves the region), and cells that part three blocks or more that
/// lead to terminals. An element of two members is an edge, one of more a ring through them.
struct Reduced {
  bool ends = false;                  ///< vertices 0 and 1 are source and sink: so in all regions but pieces
  std::vector<std::uint64_t> places;  ///< of the vertices, by Places
  std::vector<Ways> leaving;          ///< edges that leave the region, of each vertex
  std::vector<Id> begin{0}, members;  ///< of the elements

  Id vertices() const { return static_cast<Id>(places.size()); }
  Id elements() const { return static_cast<Id>(begin.size() - 1); }
  core::Bytes packed() const;
  static Reduced unpacked(core::Bytes const& bytes);
};

/// What comes back of a vertex or an element of a region: bits of a byte.
enum Answer : std::uint8_t {
  in_backbone = 1,
  is_red = 2,           ///< a vertex; an element: each cell that parts it is red
  is_articulation = 4,  ///< a vertex; an element: each cell that parts it is an articulation
  is_connecting = 8,    ///< lies in a cluster that joins source and sink
};
struct Answers {
  std::vector<std::uint8_t> vertices, elements;
};

/// The part of a search for blocks that is the same in a piece and in a union of regions: a block is complete.
///
/// Searches begin at terminals alone, so what is above a block always holds one, and a block is kept if and only if one of
/// its other vertices is a terminal or has something kept below it. Kept blocks become elements: one attachment beside
/// the head, an edge; more, a ring. An edge below a vertex that is neither a terminal nor leads elsewhere is continued:
/// blocks in series are one element, whose swallowed vertices are remembered.
class Forest {
 public:
  enum Flag : std::uint8_t { terminal = 1, one = 2, several = 4, cut = 8, placed = 16 };

  std::vector<Id> label;             ///< of each vertex: the element of the block in which it is not the head
  std::vector<std::uint8_t> flag;    ///< cut: head of a dropped block; placed: for the user
  std::vector<std::uint8_t> single;  ///< set for a vertex that is a block with its head; left out where empty
  std::vector<Id> stands_for;        ///< terminals that a vertex stands for; empty: one each
  std::vector<Id> begin, members;    ///< the elements
  std::vector<Id> swallowed, into;   ///< vertices taken into an edge, and which

  /// For n vertices; single and stands_for are left as they are.
  void reset(std::size_t n) {
    label.assign(n, none);
    flag.assign(n, 0);
    begin.assign(1, 0);
    members.clear();
    swallowed.clear();
    into.clear();
    open_.clear();
  }
  void enter(Id v) { open_.push_back(v); }
  /// The block of head u whose first other vertex is w; `dropped`: the label of its vertices if nothing keeps it.
  void close(Id u, Id w, Id dropped);

 private:
  bool several_at(Id v) const { return !stands_for.empty() && stands_for[v] > 1; }
  std::vector<Id> open_, attached_;
};

/// A graph by lists of neighbours, searched for blocks from its terminals.
class ListSearch {
 public:
  std::vector<Id> first, neighbours;  ///< of vertex v: first[v] .. first[v + 1]
  std::vector<Id> order;              ///< in which the vertices were found, from 1; 0: not

  /// `dropped(root, head)`: the label of vertices of a dropped block. Recursion is a list of 12 B a vertex of a path.
  template <class Dropped>
  void run(Forest& forest, Dropped const& dropped);

 private:
  struct Step {
    Id v, low, next;
  };
  std::vector<Step> path_;
};

template <class Dropped>
void ListSearch::run(Forest& forest, Dropped const& dropped) {
  auto const n = static_cast<Id>(first.size() - 1);
  order.assign(n, 0);
  Id clock = 0;
  for (Id root = 0; root < n; ++root) {
    if ((forest.flag[root] & Forest::terminal) == 0 || order[root] != 0) continue;
    order[root] = ++clock;
    path_.assign(1, {root, clock, first[root]});
    for (;;) {
      Step& here = path_.back();
      if (here.next < first[here.v + 1]) {
        Id const w = neighbours[here.next++];
        if (order[w] == 0) {
          order[w] = ++clock;
          forest.enter(w);
          path_.push_back({w, clock, first[w]});
        } else if (order[w] < here.low) {
          here.low = order[w];
        }
        continue;
      }
      Step const below = here;
      path_.pop_back();
      if (path_.empty()) break;
      Step& above = path_.back();
      if (below.low >= order[above.v])
        forest.close(above.v, below.v, dropped(root, above.v));
      else if (below.low < above.low)
        above.low = below.low;
    }
    forest.label[root] = none;  // a terminal: its answer comes from outside
  }
}

}  // namespace tessera::ca::blocks
