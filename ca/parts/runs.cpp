// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/runs.hpp"

#include <numeric>

namespace tessera::ca::parts {

void find_runs(BitTile const& tile, Runs& runs, std::vector<Id>& parent, bool single) {
  runs.rows = tile.rows();
  runs.words = tile.words;
  runs.single = single;
  runs.starts.resize(tile.bits.size());
  runs.before.resize(tile.bits.size() + 1);
  Id n = 0;
  for (int r = 0; r < runs.rows; ++r) {
    Word const* const row = tile.row(r);
    BitsBefore before;
    std::size_t const at = runs.word(r, 0);
    for (int w = 0; w < runs.words; ++w) {
      Word const s = single ? row[w] : row[w] & ~before(row[w]);
      runs.starts[at + static_cast<std::size_t>(w)] = s;
      runs.before[at + static_cast<std::size_t>(w)] = n;
      n += static_cast<Id>(std::popcount(s));
    }
  }
  runs.before.back() = n;
  parent.resize(n + std::size_t{64});
  std::iota(parent.begin(), parent.begin() + n, Id{0});
}

}  // namespace tessera::ca::parts
