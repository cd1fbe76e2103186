// SPDX-License-Identifier: Apache-2.0
// A peer of the benchmark percolation: Boost.Graph's biconnected_components.
//   percolation_boost FILE L ROUNDS MASKS
// Prints the times of D1 and D2, with and without the time to build the graph ("D1", "D1_search"), and writes the masks
// to MASKS.D1 and MASKS.D2.
#include "bench/measure.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/property_map/vector_property_map.hpp>

namespace tessera::bench {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_index_t, int>>;

/// Source and sink after the cells; each joined to the cells of its bar, or to those next to the bars, which are left
/// out then.
Graph make_graph(std::vector<std::uint8_t> const& black, int side, bool contracted) {
  int const source = side * side, sink = source + 1, first = contracted ? 1 : 0, last = side - 1 - first;
  Graph graph(static_cast<std::size_t>(sink) + 1);
  int edges = 0;
  auto const join = [&](int a, int b) {
    add_edge(static_cast<std::size_t>(a), static_cast<std::size_t>(b), edges++, graph);
  };
  join(source, sink);
  auto const has = [&](int cell) { return black[cell] == 1; };
  for (int y = first; y <= last; ++y)
    for (int x = 0; x < side; ++x) {
      int const cell = y * side + x;
      if (!has(cell)) continue;
      if (x + 1 < side && has(cell + 1)) join(cell, cell + 1);
      if (y < last && has(cell + side)) join(cell, cell + side);
      if (y == first) join(source, cell);
      if (y == last) join(cell, sink);
    }
  return graph;
}

std::vector<std::uint8_t> backbone(std::vector<std::uint8_t> const& black, int side, bool contracted, double& search) {
  Graph const graph = make_graph(black, side, contracted);
  double const start = processor_seconds();
  std::vector<int> component(num_edges(graph));
  auto const index = get(boost::edge_index, graph);
  biconnected_components(graph, boost::make_iterator_property_map(component.begin(), index));
  search = processor_seconds() - start;
  std::vector<std::uint8_t> result(black.size(), 0);
  auto const inside = [&](std::size_t v) {
    return v >= static_cast<std::size_t>(side) && v < result.size() - static_cast<std::size_t>(side);
  };
  for (auto [edge, end] = edges(graph); edge != end; ++edge)
    if (component[index[*edge]] == component[0])
      for (std::size_t v : {source(*edge, graph), target(*edge, graph)})
        if (inside(v)) result[v] = 1;
  return result;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  if (argc != 5) return 2;
  int const side = std::stoi(argv[2]);
  auto const black = read_bytes(argv[1], static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (bool contracted : {false, true}) {
    std::string const name = contracted ? "D2" : "D1";
    std::vector<std::uint8_t> mask;
    for (int round = 0; round < std::stoi(argv[3]); ++round) {
      double const start = processor_seconds();
      double search = 0;
      mask = backbone(black, side, contracted, search);
      std::printf("%s %.6f\n%s_search %.6f\n", name.c_str(), processor_seconds() - start, name.c_str(), search);
    }
    write_bytes(argv[4] + ("." + name), mask);
  }
  return 0;
}
