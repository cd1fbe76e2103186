// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/blocks/piece_bits.hpp"
#include "ca/blocks/piece_record.hpp"
#include "ca/blocks/reduced.hpp"

#include <array>
#include <utility>

namespace tessera::ca::blocks {

/// The blocks of a piece with six neighbours by local rules, where pores are smooth: little is left to be searched.
///
/// Two edges of a cell are of one class if the unit square between them is occupied: both lie in one block. A cell of one
/// class is plain; connected plain cells and the classes that touch them are one cluster, connected also without any one of
/// its cells (squares that share an edge). Clusters are found by runs of bits and united sets, the squares of 64 cells at
/// once. Vertices of the search are the cells of several clusters and for each cluster one port, which stands for all
/// terminals that the cluster alone has; its edges are a ring through them a cluster.
class RuleWork {
 public:
  /// False, and nothing done, if more than a tenth of the cells have several classes: a search is faster then.
  /// Terminals by cell, in raster order, with the edges that leave there. Cost: about 2 ns a cell.
  bool reduce(PieceBits const& bits, std::vector<Id> const& terminals, std::vector<Ways> const& leaving,
              core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced);

 private:
  static constexpr int ways = 6;
  using Row = std::size_t;

  bool class_cells(PieceBits const& bits);
  void unite_runs(PieceBits const& bits);
  void unite_classes(PieceBits const& bits);
  void number_clusters();
  void find_vertices(std::vector<Id> const& terminals);
  void search_rings();
  void cut_lone_clusters(std::vector<Id> const& terminals);
  void write(PieceBits const& bits, std::vector<Id> const& terminals, std::vector<Ways> const& leaving,
             core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced);
  void write_labels(PieceBits const& bits, PieceRecord& record) const;

  Id find(Id a);
  void unite(Id a, Id b);
  static Id before(Word word, int x) { return static_cast<Id>(std::popcount(word & ((Word{1} << x) - 1))); }
  static Word starts(Word word) { return word & ~(word << 1); }
  /// Number of the run that holds plain cell x of a row; of cell x of several classes among those.
  Id run_of(Row r, int x) const { return first_run_[r] + before(starts(plain_[r]), x + 1) - 1; }
  Id several_of(Row r, int x) const { return first_several_[r] + before(several_[r], x); }
  /// The clusters of a cell of several classes, each once; how many.
  int clusters_of(Id several, std::array<Id, ways>& clusters) const;
  Id cluster_of_plain(Row r, int x) const { return cluster_[run_of(r, x)]; }

  std::vector<Word> plain_, several_;
  std::vector<Id> first_run_, first_several_;  ///< of each row
  std::vector<Id> set_, cluster_;              ///< of runs, then of classes
  std::vector<Id> class_;                      ///< of several-class cell and direction; none
  std::vector<Id> several_cell_, several_vertex_;
  Id clusters_ = 0;
  // the graph: vertices are cells of several clusters, then ports
  std::vector<Id> vertex_cell_, vertex_port_;
  std::vector<std::pair<Id, Id>> lies_in_;              ///< cluster, vertex
  std::vector<Id> terminal_cluster_, terminal_vertex_;  ///< of each terminal, one of the two
  std::vector<Id> first_of_port_, port_terminals_;
  std::vector<Id> first_of_ring_, ring_;
  std::vector<Id> vertex_terminal_;  ///< reduced vertex where searches from a vertex hang
  std::vector<Id> cluster_element_, place_;
  std::vector<Id> cut_cells_;
  ListSearch search_;
  Forest forest_;
};

}  // namespace tessera::ca::blocks
