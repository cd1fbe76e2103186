// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/blocks.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
// from here on for the wide processor
#include "ca/parts/bits.avx512.hpp"

#include "ca/plane/medium_loops.hpp"

namespace tessera::ca::percolation {

void prune_wide(BitTile& cells) { prune_with<parts::WideBits>(cells); }
void classify_wide(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges) {
  classify_with<parts::WideBits>(black, white, face, edges);
}

}  // namespace tessera::ca::percolation

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else

#include "core/error.hpp"

namespace tessera::ca::percolation {
void prune_wide(BitTile&) { core::expect(false, "no wide vectors here"); }
void classify_wide(BitTile const&, parts::Runs const&, std::vector<Id> const&, Edges&) {
  core::expect(false, "no wide vectors here");
}
}  // namespace tessera::ca::percolation

#endif
