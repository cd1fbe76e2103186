// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace tessera::ca::graph {

/// What a search finds of a vertex, and what it is told: bits of a byte.
enum Mark : std::uint8_t { in_backbone = 1, is_articulation = 2, is_red = 4, is_inlet = 8, is_outlet = 16 };

/// A graph of cells 0 .. cells - 1 by lists of neighbours, with two more vertices: s = cells and t = cells + 1.
class TwoEnds {
 public:
  using Vertex = std::int32_t;
  /// The largest number of cells that fits: 2^31 - 3 and below.
  static constexpr std::int64_t most_cells = 2147483644;

  /// `marks` of each cell: is_inlet joins it to s, is_outlet to t. `degrees` and `neighbours` of the cells one after the
  /// other; each edge is in both lists. Empties the lists given.
  TwoEnds(std::vector<std::uint8_t>&& marks, std::vector<std::uint8_t>& degrees, std::vector<Vertex>& neighbours);

  /// Depth-first search from s. Marks of each cell: in_backbone, is_articulation, is_red (see backbone_between). Cells not
  /// joined to s have none; no cell is in_backbone or is_red unless t is joined to s.
  std::vector<std::uint8_t> search();

 private:
  class Walk;
  std::int64_t cells_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::int64_t> begin_;
  std::vector<Vertex> neighbours_;
};

}  // namespace tessera::ca::graph
