// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/sizes.hpp"

#include "core/comm/binary_tree.hpp"

#include <map>

namespace tessera::ca::parts {

// Added up the tree over the ranks: no rank sees more than the sizes that a group has.
std::vector<SizeCount> Sizes::counts(core::Comm const& comm) const {
  constexpr core::Tag tag = core::Tag::clusters;
  std::map<std::int64_t, std::int64_t> all(big_.begin(), big_.end());
  for (std::size_t n = 0; n < small_.size(); ++n)
    if (small_[n] != 0) all[static_cast<std::int64_t>(n)] = small_[n];
  core::BinaryTree const tree(comm.rank(), comm.size());
  for (auto const& child : tree.children) {
    core::Bytes const bytes = comm.receive_block(child.rank, tag);
    core::ByteReader in(bytes);
    while (!in.done()) {
      auto const entry = in.take<SizeCount>();
      all[entry.size] += entry.count;
    }
  }
  std::vector<SizeCount> sizes;
  for (auto const& [size, n] : all) sizes.push_back({size, n});
  if (tree.parent >= 0) {
    core::Bytes message;
    core::append(message, std::span<SizeCount const>(sizes));
    comm.send_block(tree.parent, message, tag);
  }
  comm.broadcast(sizes);
  return sizes;
}

}  // namespace tessera::ca::parts
