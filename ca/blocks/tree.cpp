// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/tree.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace tessera::ca::blocks {
namespace {

constexpr core::Count widest = 62;  ///< cells, at most: with those within reach on both sides a word
constexpr core::Count deepest = 64, longest_in_plane = 256;

/// Calls f for the corners of a box of pieces.
template <class F>
void for_pieces(std::array<int, 3> const& lo, std::array<int, 3> const& hi, F const& f) {
  for (int k = lo[2]; k < hi[2]; ++k)
    for (int j = lo[1]; j < hi[1]; ++j)
      for (int i = lo[0]; i < hi[0]; ++i) f({i, j, k});
}

}  // namespace

Places::Places(core::Grid const& grid)
    : j_(std::bit_width(static_cast<std::uint64_t>(grid.cells()[0]))),
      k_(j_ + std::bit_width(static_cast<std::uint64_t>(grid.cells()[1]))) {}

Tree::Tree(core::Layout const& layout, core::Index const& reach) : layout_(layout), reach_(reach) {
  core::Grid const& grid = layout.grid();
  std::array const most{std::min(widest, 64 - 2 * reach.i), grid.thin(2) ? longest_in_plane : deepest, deepest};
  for (std::size_t a = 0; a < 3; ++a) {
    core::Count const n = grid.cells()[a], tile = grid.tile()[a];
    for (core::Count begin = 0; begin < n; begin += tile) {
      core::Count const length = std::min(tile, n - begin), parts = (length + most[a] - 1) / most[a];
      for (core::Count part = 0; part < parts; ++part) faces_[a].push_back(begin + length * part / parts);
    }
    faces_[a].push_back(n);
    n_[a] = static_cast<int>(faces_[a].size()) - 1;
  }
  for_pieces({0, 0, 0}, n_, [&](Corner const& p) {
    core::Index const lo{faces_[0][p[0]], faces_[1][p[1]], faces_[2][p[2]]};
    add({{lo, {faces_[0][p[0] + 1], faces_[1][p[1] + 1], faces_[2][p[2] + 1]}},
         layout_.owner(grid.tile_of(lo)),
         0,
         {}});
  });
  // the root joins source and sink to the cells, also where it is one piece
  if (int const top = build({0, 0, 0}, n_); nodes_[top].height == 0)
    add({nodes_[top].box, nodes_[top].owner, 1, {top}});
}

void Tree::add(Node node) {
  levels_.resize(std::max<std::size_t>(levels_.size(), node.height + 1));
  levels_[node.height].push_back(static_cast<int>(nodes_.size()));
  nodes_.push_back(std::move(node));
}

std::vector<Tree::Span> Tree::spans(int here, std::size_t axis) const {
  auto const& faces = faces_[axis];
  int const n = n_[axis];
  bool const round = layout_.grid().periodic(static_cast<int>(axis));
  core::Count const reach = along(reach_, axis), length = faces[here + 1] - faces[here];
  std::vector<Span> found;
  auto const add = [&](int p, core::Count low) {
    core::Count const begin = std::max(low, -reach), end = std::min(low + faces[p + 1] - faces[p], length + reach);
    found.push_back({p, begin, begin - low, end - begin});
  };
  add(here, 0);
  core::Count low = 0, high = length;
  for (int p = here; low > -reach && (p > 0 || round); add(p, low)) {
    p = (p + n - 1) % n;
    low -= faces[p + 1] - faces[p];
  }
  for (int p = here; high < length + reach && (p + 1 < n || round); high += faces[p + 1] - faces[p]) {
    p = (p + 1) % n;
    add(p, high);
  }
  return found;
}

Tree::Corner Tree::cut(Corner const& lo, Corner const& hi, bool mixed) const {
  // where each axis is cut; its end: nowhere
  if (!mixed) {
    int const longest = std::max({hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]});
    Corner middle = hi;
    for (std::size_t a = 0; a < 3; ++a)
      if (2 * (hi[a] - lo[a]) > longest && hi[a] - lo[a] > 1) middle[a] = (lo[a] + hi[a] + 1) / 2;
    return middle;
  }
  Corner best = hi;
  std::array<int, 2> least{};
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<std::set<int>> ranks(static_cast<std::size_t>(hi[a] - lo[a]));
    for_pieces(lo, hi, [&](Corner const& p) { ranks[p[a] - lo[a]].insert(nodes_[piece_at(p)].owner); });
    std::vector<int> before(ranks.size() + 1, 0), after(ranks.size() + 1, 0);
    std::set<int> low, high;
    for (std::size_t n = 0; n < ranks.size(); ++n) {
      low.insert(ranks[n].begin(), ranks[n].end());
      high.insert(ranks[ranks.size() - 1 - n].begin(), ranks[ranks.size() - 1 - n].end());
      before[n + 1] = static_cast<int>(low.size());
      after[ranks.size() - 1 - n] = static_cast<int>(high.size());
    }
    int const length = hi[a] - lo[a];
    Corner const other{a == 0 ? 1 : hi[0] - lo[0], a == 1 ? 1 : hi[1] - lo[1], a == 2 ? 1 : hi[2] - lo[2]};
    for (int n = 1; n < length; ++n) {
      std::array const cost{before[n] + after[n], std::abs(length - 2 * n) * other[0] * other[1] * other[2]};
      if (best != hi && cost >= least) continue;
      least = cost;
      best = hi;
      best[a] = lo[a] + n;
    }
  }
  return best;
}

int Tree::build(Corner const& lo, Corner const& hi) {
  std::map<int, core::Count> cells;
  int pieces = 0;
  for_pieces(lo, hi, [&](Corner const& p) {
    Node const& piece = nodes_[piece_at(p)];
    cells[piece.owner] += piece.box.cells();
    ++pieces;
  });
  if (pieces == 1) return piece_at(lo);
  Node node;
  node.box = {{faces_[0][lo[0]], faces_[1][lo[1]], faces_[2][lo[2]]},
              {faces_[0][hi[0]], faces_[1][hi[1]], faces_[2][hi[2]]}};
  node.owner = std::max_element(cells.begin(), cells.end(), [](auto const& a, auto const& b) {
                 return a.second < b.second;
               })->first;
  Corner const parted = cut(lo, hi, cells.size() > 1);
  for (int half = 0; half < 8; ++half) {
    Corner from = lo, to = hi;
    bool empty = false;
    for (std::size_t a = 0; a < 3; ++a) {
      bool const upper = (half >> a & 1) != 0;
      (upper ? from[a] : to[a]) = parted[a];
      empty = empty || from[a] == to[a];
    }
    if (empty) continue;
    int const child = build(from, to);
    node.height = std::max(node.height, nodes_[child].height + 1);
    node.children.push_back(child);
  }
  add(std::move(node));
  return root();
}

}  // namespace tessera::ca::blocks
