// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/tree.hpp"

#include <memory>

namespace tessera::ca::unbounded {

/// A plane as a tree of squares (Tree), by HashLife: for patterns that repeat themselves in space and time, of any size and over any
/// number of generations. The root has all of it; other ranks wait.
class HashPlane final : public Plane {
 public:
  /// `memory`: of the tree [B]. Throws core::Error as make_leaf_rule does.
  HashPlane(std::string const& rule, core::Dictionary& properties, double memory, core::Comm comm);

  int states() const override { return tree_->rule().states(); }
  void put(std::span<Cell const> cells) override;
  void clear() override;
  void erase(core::Box const& box) override { tree_->erase(box); }
  /// By powers of 2, the largest first.
  void advance(std::int64_t generations) override;
  /// 1 or 0.
  std::int64_t moved() const override { return moved_; }
  Population population() const override;
  std::vector<Population> census() const override;
  std::optional<core::Box> box() const override;
  std::string hash() const override;
  std::int64_t updates() const override { return tree_->updates(); }
  /// Squares of the tree; its memory [B] at the peak; how often it was full, and what nobody needs thrown away.
  std::vector<std::pair<std::string, std::int64_t>> figures() const override;

  /// To be filled square by square; on the root.
  Tree& tree() { return *tree_; }
  Tree const& tree() const { return *tree_; }

 private:
  void for_own_cells(std::function<void(Cell const&)> const& f) const override;
  /// What f says on the root, everywhere.
  template <class F>
  auto on_root(F const& f) const;

  double memory_;
  std::function<std::unique_ptr<LeafRule>()> make_rule_;
  std::unique_ptr<Tree> tree_;  // elsewhere than on the root without cells
  std::int64_t moved_ = 0;
};

}  // namespace tessera::ca::unbounded
