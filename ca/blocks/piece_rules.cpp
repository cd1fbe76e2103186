// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/piece_rules.hpp"
#include "core/grid/folds.hpp"

#include <algorithm>

namespace tessera::ca::blocks {
namespace {

constexpr double most_several = 0.1;

/// Directions in raster order: k - 1, j - 1, i - 1, i + 1, j + 1, k + 1.
constexpr std::array<int, 6> along_row{0, 0, -1, 1, 0, 0};

/// Directions d and 5 - d are opposite; all other pairs span a square.
constexpr std::array<std::array<int, 2>, 12> squares{
    {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {4, 2}, {4, 3}, {5, 1}, {5, 2}, {5, 3}, {5, 4}}};

/// Rows beside a row, by direction.
std::array<std::ptrdiff_t, 6> rows_beside(PieceBits const& bits) {
  std::ptrdiff_t const layer = bits.layer();
  return {-layer, -1, 0, 0, 1, layer};
}

template <class F>
void for_own_rows(PieceBits const& bits, F const& f) {
  for (int k = 0; k < bits.nk; ++k)
    for (int j = 0; j < bits.nj; ++j) f(static_cast<std::size_t>(bits.row(j, k)));
}

/// Cells of several classes among 64: those with an edge that the first one does not reach by squares. Fewer rounds than the
/// longest way may leave a plain cell among them, which is classed by itself then.
Word of_several_classes(std::vector<Word> const& own, std::size_t r, std::size_t layer) {
  Word const c = own[r], up = own[r - layer], left = own[r - 1], right = own[r + 1], down = own[r + layer];
  std::array<Word, 6> const edges{up & c, left & c, c & c << 1, c & c >> 1, right & c, down & c};
  std::array<Word, 12> const joined{edges[0] & edges[1] & own[r - layer - 1],
                                    edges[0] & edges[2] & up << 1,
                                    edges[0] & edges[3] & up >> 1,
                                    edges[0] & edges[4] & own[r - layer + 1],
                                    edges[1] & edges[2] & left << 1,
                                    edges[1] & edges[3] & left >> 1,
                                    edges[4] & edges[2] & right << 1,
                                    edges[4] & edges[3] & right >> 1,
                                    edges[5] & edges[1] & own[r + layer - 1],
                                    edges[5] & edges[2] & down << 1,
                                    edges[5] & edges[3] & down >> 1,
                                    edges[5] & edges[4] & own[r + layer + 1]};
  std::array<Word, 6> reached{};
  Word seen = 0;
  for (std::size_t d = 0; d < 6; ++d) {
    reached[d] = edges[d] & ~seen;
    seen |= edges[d];
  }
  TESSERA_UNROLL(3)
  for (int round = 0; round < 3; ++round) {
    TESSERA_UNROLL(12)
    for (std::size_t q = 0; q < 12; ++q) {
      auto const a = static_cast<std::size_t>(squares[q][0]), b = static_cast<std::size_t>(squares[q][1]);
      Word const both = joined[q] & (reached[a] | reached[b]);
      reached[a] |= both;
      reached[b] |= both;
    }
  }
  Word several = 0;
  for (std::size_t d = 0; d < 6; ++d) several |= edges[d] & ~reached[d];
  return several;
}

}  // namespace

Id RuleWork::find(Id a) {
  while (set_[a] != a) a = set_[a] = set_[set_[a]];
  return a;
}
void RuleWork::unite(Id a, Id b) {
  a = find(a);
  b = find(b);
  set_[std::max(a, b)] = std::min(a, b);
}

bool RuleWork::class_cells(PieceBits const& bits) {
  auto const rows = static_cast<std::size_t>(bits.rows());
  plain_.assign(rows, 0);
  several_.assign(rows, 0);
  first_run_.resize(rows);
  first_several_.resize(rows);
  std::int64_t occupied = 0, several = 0;
  auto const layer = static_cast<std::size_t>(bits.nj) + 2;
  for (int k = 0; k < bits.nk; ++k) {
    for (int j = 0; j < bits.nj; ++j) {
      auto const r = static_cast<Row>(bits.row(j, k));
      several_[r] = of_several_classes(bits.own, r, layer);
      plain_[r] = bits.own[r] & ~several_[r];
      several += std::popcount(several_[r]);
      occupied += std::popcount(bits.own[r]);
    }
    // an eighth of the piece shows what it is
    if (8 * (k + 1) >= bits.nk && static_cast<double>(several) > most_several * static_cast<double>(occupied))
      return false;
  }
  Id run = 0, number = 0;
  for (Row r = 0; r < rows; ++r) {
    first_run_[r] = run;
    first_several_[r] = number;
    run += static_cast<Id>(std::popcount(starts(plain_[r])));
    number += static_cast<Id>(std::popcount(several_[r]));
  }
  set_.resize(run);
  for (Id n = 0; n < run; ++n) set_[n] = n;
  class_.assign(std::size_t{number} * ways, none);
  several_cell_.clear();
  return true;
}

void RuleWork::unite_runs(PieceBits const& bits) {
  for_own_rows(bits, [&](Row r) {
    for (Row const other : {r - 1, r - static_cast<Row>(bits.layer())})
      for_bits(starts(plain_[r] & plain_[other]), [&](int x) { unite(run_of(r, x), run_of(other, x)); });
  });
}

/// Each class of a cell of several becomes a set, united with the runs and classes at the other ends of its edges.
void RuleWork::unite_classes(PieceBits const& bits) {
  auto const beside = rows_beside(bits);
  auto const has = [&](std::ptrdiff_t r, int x) { return (bits.own[static_cast<Row>(r)] >> x & 1) != 0; };
  for_own_rows(bits, [&](Row r) {
    auto const row = static_cast<std::ptrdiff_t>(r);
    for_bits(several_[r], [&](int x) {
      auto const q = several_cell_.size();
      several_cell_.push_back(static_cast<Id>(64 * r) + static_cast<Id>(x));
      std::array<int, ways> first{};  // direction of the class' first edge, or -1
      for (std::size_t d = 0; d < ways; ++d)
        first[d] = has(row + beside[d], x + along_row[d]) ? static_cast<int>(d) : -1;
      for (auto const& [a, b] : squares) {
        auto const p = static_cast<std::size_t>(a), s = static_cast<std::size_t>(b);
        if (first[p] < 0 || first[s] < 0 || first[p] == first[s] ||
            !has(row + beside[p] + beside[s], x + along_row[p] + along_row[s]))
          continue;
        int const gone = first[s], kept = first[p];
        std::replace(first.begin(), first.end(), gone, kept);
      }
      std::array<Id, ways> set;
      set.fill(none);
      for (std::size_t d = 0; d < ways; ++d) {
        if (first[d] < 0) continue;
        Id& own = set[static_cast<std::size_t>(first[d])];
        if (own == none) {
          own = static_cast<Id>(set_.size());
          set_.push_back(own);
        }
        class_[ways * q + d] = own;
        auto const other = static_cast<Row>(row + beside[d]);
        int const at = x + along_row[d];
        if ((plain_[other] >> at & 1) != 0)
          unite(own, run_of(other, at));
        else if (d < 3)  // classed before this one
          unite(own, class_[std::size_t{ways} * several_of(other, at) + 5 - d]);
      }
    });
  });
}

void RuleWork::number_clusters() {
  clusters_ = 0;
  cluster_.resize(set_.size());
  for (Id n = 0; n < set_.size(); ++n) {
    Id const root = find(n);  // the smallest of its set
    cluster_[n] = root == n ? clusters_++ : cluster_[root];
  }
}

int RuleWork::clusters_of(Id several, std::array<Id, ways>& clusters) const {
  int n = 0;
  for (std::size_t d = 0; d < ways; ++d) {
    Id const set = class_[std::size_t{ways} * several + d];
    if (set == none) continue;
    Id const cluster = cluster_[set];
    if (std::find(clusters.begin(), clusters.begin() + n, cluster) == clusters.begin() + n)
      clusters[static_cast<std::size_t>(n++)] = cluster;
  }
  return n;
}

void RuleWork::find_vertices(std::vector<Id> const& terminals) {
  vertex_cell_.clear();
  vertex_port_.clear();
  vertex_terminal_.clear();
  lies_in_.clear();
  several_vertex_.assign(several_cell_.size(), none);
  std::array<Id, ways> clusters{};
  for (Id q = 0; q < several_cell_.size(); ++q) {
    int const n = clusters_of(q, clusters);
    if (n < 2) continue;
    several_vertex_[q] = static_cast<Id>(vertex_cell_.size());
    for (int c = 0; c < n; ++c) lies_in_.emplace_back(clusters[static_cast<std::size_t>(c)], several_vertex_[q]);
    vertex_cell_.push_back(several_cell_[q]);
    vertex_port_.push_back(none);
    vertex_terminal_.push_back(none);
  }
  terminal_cluster_.clear();
  terminal_vertex_.clear();
  first_of_port_.assign(clusters_ + 1, 0);
  for (Id t = 0; t < terminals.size(); ++t) {
    Row const r = terminals[t] >> 6;
    int const x = static_cast<int>(terminals[t] & 63);
    Id cluster = none, vertex = none;
    if ((plain_[r] >> x & 1) != 0) {
      cluster = cluster_of_plain(r, x);
    } else {
      Id const q = several_of(r, x);
      vertex = several_vertex_[q];
      if (vertex != none) {
        vertex_terminal_[vertex] = t;
      } else {
        clusters_of(q, clusters);
        cluster = clusters[0];
      }
    }
    terminal_cluster_.push_back(cluster);
    terminal_vertex_.push_back(vertex);
    if (cluster != none) ++first_of_port_[cluster];
  }
  Id sum = 0;
  for (Id& first : first_of_port_) first = sum += first;
  port_terminals_.resize(sum);
  for (Id t = static_cast<Id>(terminals.size()); t-- > 0;)
    if (terminal_cluster_[t] != none) port_terminals_[--first_of_port_[terminal_cluster_[t]]] = t;
}

void RuleWork::search_rings() {
  auto const cells = static_cast<Id>(vertex_cell_.size());
  std::vector<Id>& stands_for = forest_.stands_for;
  stands_for.assign(cells, 1);
  for (Id c = 0; c < clusters_; ++c) {
    Id const count = first_of_port_[c + 1] - first_of_port_[c];
    if (count == 0) continue;
    lies_in_.emplace_back(c, static_cast<Id>(vertex_cell_.size()));
    vertex_cell_.push_back(none);
    vertex_port_.push_back(c);
    vertex_terminal_.push_back(port_terminals_[first_of_port_[c]]);
    stands_for.push_back(count);
  }
  first_of_ring_.assign(clusters_ + 1, 0);
  ring_.resize(lies_in_.size());
  for (auto const& [cluster, vertex] : lies_in_) ++first_of_ring_[cluster];
  Id sum = 0;
  for (Id& first : first_of_ring_) first = sum += first;
  for (auto const& [cluster, vertex] : lies_in_) ring_[--first_of_ring_[cluster]] = vertex;
  auto const for_edges = [&](auto const& f) {
    for (Id c = 0; c < clusters_; ++c) {
      Id const a = first_of_ring_[c], b = first_of_ring_[c + 1];
      for (Id n = a; n + 1 < b; ++n) f(ring_[n], ring_[n + 1]);
      if (b > a + 2) f(ring_[b - 1], ring_[a]);
    }
  };
  auto& first = search_.first;
  first.assign(vertex_cell_.size() + 1, 0);
  for_edges([&](Id a, Id b) {
    ++first[a];
    ++first[b];
  });
  sum = 0;
  for (Id& degree : first) degree = sum += degree;
  search_.neighbours.resize(sum);
  for_edges([&](Id a, Id b) {
    search_.neighbours[--first[a]] = b;
    search_.neighbours[--first[b]] = a;
  });
  forest_.reset(vertex_cell_.size());
  for (std::size_t v = 0; v < vertex_cell_.size(); ++v)
    if (vertex_terminal_[v] != none) forest_.flag[v] = Forest::terminal;
  search_.run(forest_, [&](Id root, Id) { return dropped_at(vertex_terminal_[root]); });
}

/// Elements of the clusters. What hangs on one cell alone is dropped, and that cell cuts it off.
void RuleWork::cut_lone_clusters(std::vector<Id> const& terminals) {
  cut_cells_.clear();
  cluster_element_.assign(clusters_, none);
  for (Id c = 0; c < clusters_; ++c) {
    Id const a = first_of_ring_[c], n = first_of_ring_[c + 1] - a;
    if (n == 0) continue;
    Id const v = ring_[a];
    if (n >= 2) {
      Id const w = ring_[a + 1];
      cluster_element_[c] = forest_.label[search_.order[v] > search_.order[w] ? v : w];
    } else if (vertex_port_[v] == none) {
      cut_cells_.push_back(vertex_cell_[v]);
    } else if (forest_.stands_for[v] > 1) {
      cluster_element_[c] = static_cast<Id>(forest_.begin.size() - 1);
      forest_.members.push_back(v);
      forest_.begin.push_back(static_cast<Id>(forest_.members.size()));
    } else {
      cut_cells_.push_back(terminals[vertex_terminal_[v]]);
    }
  }
  for (std::size_t v = 0; v < vertex_cell_.size(); ++v)
    if ((forest_.flag[v] & Forest::cut) != 0)
      cut_cells_.push_back(vertex_port_[v] == none ? vertex_cell_[v] : terminals[vertex_terminal_[v]]);
}

bool RuleWork::reduce(PieceBits const& bits, std::vector<Id> const& terminals, std::vector<Ways> const& leaving,
                      core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced) {
  if (!class_cells(bits)) return false;
  unite_runs(bits);
  unite_classes(bits);
  number_clusters();
  find_vertices(terminals);
  search_rings();
  cut_lone_clusters(terminals);
  write(bits, terminals, leaving, corner, places, record, reduced);
  write_labels(bits, record);
  return true;
}

void RuleWork::write(PieceBits const& bits, std::vector<Id> const& terminals, std::vector<Ways> const& leaving,
                     core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced) {
  reduced.places.reserve(terminals.size());
  record.cells.reserve(terminals.size());
  auto const vertex = [&](Id cell) {
    reduced.places.push_back(places.at(corner + bits.cell(cell)));
    record.cells.push_back(cell);
    return static_cast<Id>(record.cells.size() - 1);
  };
  place_.assign(vertex_cell_.size(), none);
  for (Id t = 0; t < terminals.size(); ++t) {
    vertex(terminals[t]);
    if (terminal_vertex_[t] != none) place_[terminal_vertex_[t]] = t;
  }
  for (std::size_t e = 0; e + 1 < forest_.begin.size(); ++e) {
    for (Id m = forest_.begin[e]; m < forest_.begin[e + 1]; ++m) {
      Id const v = forest_.members[m];
      if (Id const port = vertex_port_[v]; port != none) {
        reduced.members.insert(reduced.members.end(), port_terminals_.begin() + first_of_port_[port],
                               port_terminals_.begin() + first_of_port_[port + 1]);
        continue;
      }
      if (place_[v] == none) place_[v] = vertex(vertex_cell_[v]);
      reduced.members.push_back(place_[v]);
    }
    reduced.begin.push_back(static_cast<Id>(reduced.members.size()));
  }
  reduced.leaving = leaving;
  reduced.leaving.resize(record.cells.size(), 0);
  for (std::size_t n = 0; n < forest_.swallowed.size(); ++n) {
    record.swallowed.push_back(vertex_cell_[forest_.swallowed[n]]);
    record.into.push_back(forest_.into[n]);
  }
  if (cut_cells_.empty()) return;
  record.cuts.assign(bits.own.size(), 0);
  for (Id const cell : cut_cells_) {
    Row const r = cell >> 6;
    Word any = bits.own[r] & (Word{5} << (cell & 63) >> 1);
    for (auto const beside : rows_beside(bits))
      if (beside != 0)
        any |= bits.own[static_cast<Row>(static_cast<std::ptrdiff_t>(r) + beside)] & Word{1} << (cell & 63);
    // a terminal alone in its cluster cuts nothing off
    if (any != 0) record.cuts[r] |= Word{1} << (cell & 63);
  }
}

void RuleWork::write_labels(PieceBits const& bits, PieceRecord& record) const {
  Id last = none;
  std::array<Id, ways> clusters{};
  for_own_rows(bits, [&](Row r) {
    Id run = first_run_[r], q = first_several_[r];
    Word const begins = starts(plain_[r]);
    for_bits(begins | several_[r], [&](int x) {
      Id label;
      if ((begins >> x & 1) != 0) {
        label = cluster_element_[cluster_[run++]];
      } else {
        if (several_vertex_[q] != none) {
          label = forest_.label[several_vertex_[q]];
        } else {
          clusters_of(q, clusters);
          label = cluster_element_[clusters[0]];
        }
        ++q;
      }
      if (label == last) return;
      last = label;
      record.run_begin.push_back(static_cast<Id>(64 * r) + static_cast<Id>(x));
      record.run_label.push_back(label);
    });
  });
  record.run_begin.shrink_to_fit();
  record.run_label.shrink_to_fit();
}

}  // namespace tessera::ca::blocks
