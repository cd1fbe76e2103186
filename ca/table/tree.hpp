// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tessera::ca::table {

/// A set of states.
using States = std::bitset<256>;

/// The next state as a function of some cells' states: a tree that asks one cell after the other, in which equal branches
/// are one. Memory: `states` numbers a node; how many nodes it takes is a matter of the rule, not of states^cells.
/// Source: R. E. Bryant 1986, IEEE Trans. Computers C-35:677 (for two states); as in Golly's @TREE.
class Tree {
 public:
  /// Of `cells` cells with `states` states; all cells keep the state of the cell asked last.
  Tree(int states, int cells);

  int states() const { return states_; }
  int cells() const { return cells_; }
  /// The branch of a node for a state: a node of the next cell, or after the last cell the next state.
  int branch(int node, int state) const { return branches_[static_cast<std::size_t>(node) * size() + state]; }
  int root() const { return root_; }
  void set_root(int node) { root_ = node; }

  /// The node that asks the cell with this number (0: first) and goes on by these branches, one a state.
  int node(int cell, std::span<int const> branches);
  /// From now on `next` is the next state wherever each cell is in its set of states.
  void lay_over(std::span<States const> sets, int next);

  /// The nodes by the cell that they ask which can be reached.
  std::vector<std::vector<int>> levels() const;
  /// Memory that all nodes made so far take, in branches.
  std::size_t branches() const { return branches_.size(); }
  /// Gives back the nodes that cannot be reached.
  void tidy();

 private:
  std::size_t size() const { return static_cast<std::size_t>(states_); }
  std::span<int const> of(int node) const { return std::span(branches_).subspan(node * size(), size()); }
  int over(int node, std::span<States const> sets, int next, std::unordered_map<int, int>& done);

  int states_, cells_, root_ = 0;
  std::vector<int> branches_, cell_of_;
  std::unordered_multimap<std::uint64_t, int> known_;  // by a hash of cell and branches
};

/// A tree as one array in which several cells are asked at once: entry `at + number` of the states of `group` cells, of
/// `bits` bits each with the first cell highest, is where to go on, and at the end the next state. States that there are not
/// count as 0, so that no number leads outside. `at` is 0 at first.
struct Flat {
  int bits;
  std::vector<int> entries;
};
/// Entries that flatten() will need.
double flat_size(Tree const& tree, std::span<int const> groups);
Flat flatten(Tree const& tree, std::span<int const> groups);

}  // namespace tessera::ca::table
