// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/hash_plane.hpp"

#include "ca/unbounded/place_hash.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tessera::ca::unbounded {

HashPlane::HashPlane(std::string const& rule, core::Dictionary& properties, double memory, core::Comm comm)
    : Plane(comm),
      memory_(memory),
      make_rule_([rule, &properties] { return make_leaf_rule(rule, properties); }),
      tree_(std::make_unique<Tree>(make_rule_(), memory_)) {}

template <class F>
auto HashPlane::on_root(F const& f) const {
  decltype(f()) value{};
  if (comm_.root()) value = f();
  comm_.broadcast(value);
  return value;
}

void HashPlane::put(std::span<Cell const> cells) {
  std::vector<Cell> all;
  if (comm_.size() == 1) {
    all.assign(cells.begin(), cells.end());
  } else {
    core::Bytes mine;
    core::append(mine, cells);
    for (core::Bytes const& bytes : comm_.gather_to_root(mine))
      for (core::ByteReader in(bytes); !in.done();) all.push_back(in.take<Cell>());
  }
  tree_->put(all);
}

void HashPlane::clear() { tree_ = std::make_unique<Tree>(make_rule_(), memory_); }

void HashPlane::advance(std::int64_t generations) {
  core::Timed const timed(core::Part::compute);
  constexpr int most = Tree::highest - 3;
  moved_ = on_root([&] {
    bool moved = false;
    for (auto left = static_cast<std::uint64_t>(generations); left > 0;) {
      int const k = std::min(most, static_cast<int>(std::bit_width(left)) - 1);
      moved = tree_->advance(k) || moved;
      left -= std::uint64_t{1} << k;
    }
    return static_cast<std::int64_t>(moved);
  });
}

Population HashPlane::population() const {
  auto const cells = census();
  return std::accumulate(cells.begin(), cells.end(), Population{0});
}

std::vector<Population> HashPlane::census() const {
  auto const cells = on_root([&] { return tree_->census(); });
  return {cells.begin() + 1, cells.begin() + states()};
}

std::optional<core::Box> HashPlane::box() const {
  core::Box const found = on_root([&] { return tree_->box().value_or(core::Box{{0, 0, 0}, {0, 0, 0}}); });
  return found.empty() ? std::nullopt : std::optional(found);
}

std::string HashPlane::hash() const {
  return PlaceHash::text(on_root([&] { return tree_->hash(); }));
}

std::vector<std::pair<std::string, std::int64_t>> HashPlane::figures() const {
  auto const known = on_root([&] { return std::array{tree_->squares(), tree_->most_bytes(), tree_->collections()}; });
  return {{"squares", known[0]}, {"memory", known[1]}, {"collections", known[2]}};
}

void HashPlane::for_own_cells(std::function<void(Cell const&)> const& f) const { tree_->for_cells(f); }

}  // namespace tessera::ca::unbounded
