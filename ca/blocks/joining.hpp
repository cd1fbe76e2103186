// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/blocks/reduced.hpp"
#include "ca/blocks/tree.hpp"
#include "ca/lattices/lattice.hpp"

#include <array>
#include <vector>

namespace tessera::ca::blocks {

/// What a region of several keeps until the answers come: 4 B a vertex and an element of its children and a vertex of its
/// own.
struct JoinRecord {
  struct Child {
    Id first;  ///< its vertices, but for source and sink, from this one on
    Id vertices, elements;
    bool ends;
  };
  std::vector<Child> children;
  std::vector<Id> vertex_label, element_label;  ///< of the children's vertices and elements
  std::vector<Id> kept;                         ///< reduced vertex -> vertex
  std::vector<Id> swallowed, into;              ///< vertices taken into an element
  std::vector<Id> cuts;                         ///< heads of dropped blocks
};

/// Joins regions to one, one after the other; a thread has one. Vertices 0 and 1 are source and sink, in all regions but
/// pieces: so cells at inlets and outlets are inner ones as soon as pieces meet.
class Joining {
 public:
  Joining(core::Grid const& grid, std::vector<core::Index> directions)
      : grid_(grid),
        places_(grid),
        directions_(std::move(directions)),
        reach_(reach_of(directions_)) {}

  /// Empties the children. `box`: of all of them; each lies on one side of `box`'s inner faces.
  /// Cost: about 50 ns a vertex. Memory: 60 B a vertex. Throws core::RunError if there are 2^30 of them.
  void join(core::Box const& box, std::vector<core::Box> const& boxes, std::vector<Reduced*> const& children,
            JoinRecord& record, Reduced& reduced);

 private:
  void take(std::vector<Reduced*> const& children, JoinRecord& record);
  void find_edges(core::Box const& box, std::vector<core::Box> const& boxes);
  void list_neighbours();
  bool joined_once(Id a, Id b) const;
  void write(JoinRecord& record, Reduced& reduced);

  /// Vertices beside faces where regions meet, by position there.
  class Faces;

  core::Grid const& grid_;
  Places places_;
  std::vector<core::Index> directions_;
  core::Index reach_;
  std::vector<std::uint64_t> place_;
  std::vector<Ways> leaving_;
  std::vector<Id> begin_, members_;  ///< the children's elements
  std::vector<Id> from_, to_;        ///< edges between children, and to source and sink
  std::vector<Id> vertex_;
  std::vector<std::vector<Id>> face_;
  ListSearch search_;
  Forest forest_;
};

/// The answers to a region's vertices and elements become those of its children.
std::vector<Answers> answer_children(JoinRecord const& record, Answers const& answers);

}  // namespace tessera::ca::blocks
