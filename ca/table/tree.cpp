// SPDX-License-Identifier: Apache-2.0
#include "ca/table/tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace tessera::ca::table {

Tree::Tree(int states, int cells) : states_(states), cells_(cells) {
  std::vector<int> branches(size());
  std::iota(branches.begin(), branches.end(), 0);
  root_ = node(cells - 1, branches);
  for (int cell = cells - 2; cell >= 0; --cell) {
    std::fill(branches.begin(), branches.end(), root_);
    root_ = node(cell, branches);
  }
}

int Tree::node(int cell, std::span<int const> branches) {
  auto hash = static_cast<std::uint64_t>(cell);
  for (int const branch : branches) {
    hash = (hash ^ static_cast<std::uint64_t>(branch)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  auto const [first, last] = known_.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (cell_of_[static_cast<std::size_t>(known->second)] == cell && std::ranges::equal(of(known->second), branches))
      return known->second;
  int const added = static_cast<int>(cell_of_.size());
  branches_.insert(branches_.end(), branches.begin(), branches.end());
  cell_of_.push_back(cell);
  known_.emplace(hash, added);
  return added;
}

void Tree::lay_over(std::span<States const> sets, int next) {
  std::unordered_map<int, int> done;
  root_ = over(root_, sets, next, done);
}

int Tree::over(int node, std::span<States const> sets, int next, std::unordered_map<int, int>& done) {
  if (auto const known = done.find(node); known != done.end()) return known->second;
  int const cell = cell_of_[static_cast<std::size_t>(node)];
  std::vector<int> branches(of(node).begin(), of(node).end());
  // branches come in runs
  int last = -1, last_over = -1;
  for (int state = 0; state < states_; ++state) {
    if (!sets[static_cast<std::size_t>(cell)][static_cast<std::size_t>(state)]) continue;
    auto& branch = branches[static_cast<std::size_t>(state)];
    if (cell == cells_ - 1) {
      branch = next;
    } else {
      if (branch != last) last_over = over(last = branch, sets, next, done);
      branch = last_over;
    }
  }
  int const result = this->node(cell, branches);
  done.emplace(node, result);
  return result;
}

std::vector<std::vector<int>> Tree::levels() const {
  std::vector<std::vector<int>> found{{root_}};
  std::vector<bool> seen(cell_of_.size());
  for (int cell = 1; cell < cells_; ++cell) {
    std::vector<int> next;
    for (int const node : found.back())
      for (int const branch : of(node))
        if (!seen[static_cast<std::size_t>(branch)]) {
          seen[static_cast<std::size_t>(branch)] = true;
          next.push_back(branch);
        }
    found.push_back(std::move(next));
  }
  return found;
}

void Tree::tidy() {
  auto const found = levels();
  Tree small(states_, cells_);
  std::unordered_map<int, int> there;
  for (int cell = cells_ - 1; cell >= 0; --cell)
    for (int const before : found[static_cast<std::size_t>(cell)]) {
      std::vector<int> branches(of(before).begin(), of(before).end());
      if (cell < cells_ - 1)
        for (int& branch : branches) branch = there.at(branch);
      there.emplace(before, small.node(cell, branches));
    }
  small.root_ = there.at(root_);
  *this = std::move(small);
}

static int bits_of(Tree const& tree) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(tree.states() - 1)));
}

double flat_size(Tree const& tree, std::span<int const> groups) {
  auto const levels = tree.levels();
  int const bits = bits_of(tree);
  double all = 0;
  std::size_t cell = 0;
  for (int const group : groups) {
    all += std::ldexp(static_cast<double>(levels[cell].size()), bits * group);
    cell += static_cast<std::size_t>(group);
  }
  return all;
}

Flat flatten(Tree const& tree, std::span<int const> groups) {
  auto const levels = tree.levels();
  Flat flat{bits_of(tree), {}};
  int const mask = (1 << flat.bits) - 1;
  std::size_t cell = 0;
  int start = 0;  // of the entries of the next group
  for (std::size_t g = 0; g < groups.size(); ++g) {
    int const entries = 1 << (flat.bits * groups[g]);
    auto const& nodes = levels[cell];
    cell += static_cast<std::size_t>(groups[g]);
    start += entries * static_cast<int>(nodes.size());
    bool const last = g + 1 == groups.size();
    std::unordered_map<int, int> place;  // of nodes that are asked next
    if (!last)
      for (int const node : levels[cell])
        place.emplace(node, start + static_cast<int>(place.size()) * (1 << (flat.bits * groups[g + 1])));
    for (int const node : nodes)
      for (int number = 0; number < entries; ++number) {
        int at = node;
        for (int q = groups[g] - 1; q >= 0; --q) {
          int const state = number >> (flat.bits * q) & mask;
          at = tree.branch(at, state < tree.states() ? state : 0);
        }
        flat.entries.push_back(last ? at : place.at(at));
      }
  }
  return flat;
}

}  // namespace tessera::ca::table
