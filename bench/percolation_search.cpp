// SPDX-License-Identifier: Apache-2.0
// The check and a peer of the benchmark percolation: the serial block search.
//   percolation_search FILE L ROUNDS MASKS
// Prints the times of D1 and D2 and writes the masks to MASKS.D1 and MASKS.D2.
#include "bench/block_search.hpp"
#include "bench/measure.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  int const side = std::stoi(argv[2]);
  auto const black =
      tessera::bench::read_bytes(argv[1], static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  tessera::bench::BlockSearch search(black, side, side);
  for (bool contracted : {false, true}) {
    std::string const name = contracted ? "D2" : "D1";
    std::vector<std::uint8_t> backbone;
    tessera::bench::time_rounds(name, 1, std::stoi(argv[3]), [&] { backbone = search.run(contracted); });
    tessera::bench::write_bytes(argv[4] + ("." + name), backbone);
  }
  return 0;
}
