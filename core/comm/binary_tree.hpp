// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <algorithm>
#include <vector>

namespace tessera::core {

/// The binary tree over the ranks in which neighbouring groups meet: of two ranks, then of two groups of two, ... Ranks
/// are numbered node by node, so groups meet within their node first.
struct BinaryTree {
  /// The first rank of a group that meets this rank's group here; `end`: of both, one past the last.
  struct Child {
    int rank, end;
  };
  std::vector<Child> children;  ///< in the order in which they meet
  int parent = -1;              ///< -1: none, this is rank 0

  BinaryTree(int rank, int size) {
    for (int step = 1; step < size; step *= 2) {
      if ((rank & step) != 0) {
        parent = rank - step;
        return;
      }
      if (rank + step < size) children.push_back({rank + step, std::min(rank + 2 * step, size)});
    }
  }
};

}  // namespace tessera::core
