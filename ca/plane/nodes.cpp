// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/blocks.hpp"

#include "ca/parts/kernels.hpp"

#include <algorithm>
#include <array>

namespace tessera::ca::percolation {
namespace {

using parts::add_with_carry;
using parts::through;

enum class Arm { left, right, below, above };

/// Finds nodes by cell and arm.
class NodeOf {
 public:
  NodeOf(Edges const& edges, Nodes const& nodes) : edges_(edges), nodes_(nodes) {}

  /// Of the part of cell (r, x) that holds the arm. A split cell's right arm is in its second part, its left one in the
  /// first; the lower arm is in the second with split b, the upper one with split a.
  Id operator()(int r, int x, Arm arm) const {
    int const w = x >> 6;
    Word const a = edges_.split_a.row(r)[w], b = edges_.split_b.row(r)[w], up_to = through(x),
               bit = Word{1} << (x & 63);
    Word const second = arm == Arm::right ? a | b : arm == Arm::below ? b : arm == Arm::above ? a : 0;
    int const n =
        std::popcount(nodes_.starts.row(r)[w] & up_to) + std::popcount((a | b) & (up_to >> 1)) + ((second & bit) != 0);
    return nodes_.before[static_cast<std::size_t>(r) * static_cast<std::size_t>(nodes_.starts.words) +
                         static_cast<std::size_t>(w)] +
           static_cast<Id>(n) - 1;
  }

 private:
  Edges const& edges_;
  Nodes const& nodes_;
};

/// Cells with live edges are joined into chains; returns the number of nodes.
Id number_nodes(BitTile const& black, Edges const& edges, Place const& place, Nodes& nodes) {
  nodes.starts.shape(black.ni, black.nj, 1);
  nodes.joined.shape(black.ni, black.nj, 1);
  nodes.before.assign(nodes.starts.bits.size(), 0);
  int const words = black.words;
  Id n = 0;
  for (int r = 1; r <= black.nj; ++r) {
    parts::Line const beside = edges.beside.line(r);
    Word const *const below = edges.below.row(r), *const above = edges.below.row(r + 1),
                      *const a = edges.split_a.row(r), *const b = edges.split_b.row(r);
    Word *const starts = nodes.starts.row(r), *const joined = nodes.joined.row(r);
    Id* const before = nodes.before.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(words);
    parts::BitsBefore inner_before;
    for (int w = 0; w < words; ++w) {
      Word const inner = place.inner(r, w) & black.own(w);
      Word const live = beside[w] | beside.right(w) | below[w] | above[w];
      Word const joins = beside[w] & inner & inner_before(inner), begins = live & inner & ~joins;
      joined[w] = joins;
      starts[w] = begins;
      before[w] = n;
      n += static_cast<Id>(std::popcount(begins) + std::popcount((a[w] | b[w]) & inner));
    }
  }
  return n;
}

/// Finds the contacts of the nodes of rows r - 1 and r along live edges between them.
void find_contacts(Edges const& edges, Place const& place, Nodes const& nodes, int r, parts::Contacts* contacts) {
  Word const *const joined = nodes.joined.row(r), *const joined_below = nodes.joined.row(r - 1);
  Word const *const starts = nodes.starts.row(r), *const starts_below = nodes.starts.row(r - 1);
  Word const* const below = edges.below.row(r);
  Word const *const split_a = edges.split_a.row(r), *const split_b = edges.split_b.row(r),
                    *const split_a_below = edges.split_a.row(r - 1), *const split_b_below = edges.split_b.row(r - 1);
  parts::BitsBefore edges_before, fresh_before, a_before, b_before, a_below_before, b_below_before;
  Word carry = 0;
  for (int w = 0; w < nodes.starts.words; ++w) {
    Word const v = below[w] & place.inner(r, w) & place.inner(r - 1, w);
    Word const a = split_a[w], b = split_b[w], a_below = split_a_below[w], b_below = split_b_below[w];
    Word const after_a = a_before(a), after_b_below = b_below_before(b_below), after = after_a | b_before(b);
    Word const splits = a | b | after | a_below | b_below | a_below_before(a_below) | after_b_below;
    // the edge on the left joins the same two chains already
    Word const fresh = v & ~(edges_before(v) & joined[w] & joined_below[w] & ~splits);

    // an edge comes later where one more to the left was carried here along the chain, which ends in a split cell. The
    // lower arm of a split cell b is in the chain that begins there: its edge may come late, too, but carries nothing
    Word const chain = joined[w] & ~after, seeds = fresh_before(fresh) & chain;
    Word const sum = add_with_carry(chain, seeds, carry);
    Word const later = fresh & ((chain & (seeds | (sum ^ chain ^ seeds))) | b);

    // the lower arm of cells of this row and the upper arm of those below: second part with split b, with split a
    contacts[w] = {fresh & ~later, later, starts[w], after_a | b, starts_below[w], after_b_below | a_below};
  }
}

/// Joins the nodes of each two rows.
void link_rows(Edges const& edges, Place const& place, Nodes const& nodes, Id* parent) {
  static thread_local std::vector<parts::Contacts> kept_contacts;
  static thread_local std::vector<Id> kept_scratch;
  int const words = nodes.starts.words;
  kept_contacts.resize(words);
  kept_scratch.resize(parts::join_scratch(words));
  parts::Contacts* const contacts = kept_contacts.data();
  Id* const scratch = kept_scratch.data();
  auto const first_of = [&](int r) {
    return nodes.before[static_cast<std::size_t>(r) * static_cast<std::size_t>(words)];
  };
  for (int r = 2; r <= nodes.starts.nj; ++r) {
    find_contacts(edges, place, nodes, r, contacts);
    parts::kernels().join_row(contacts, words, first_of(r) - 1, first_of(r - 1) - 1, parent, scratch);
  }
}

/// Calls f(arm, row, bit, strip, position) for the arms that leave the tile.
template <class F>
void for_each_leaving_arm(Edges const& edges, Place const& place, F const& f) {
  int const ni = edges.beside.ni, nj = edges.beside.nj;
  auto const inner = [&](int r, int x) { return (place.inner(r, x >> 6) >> (x & 63) & 1) != 0; };
  for (int r = 1; r <= nj; ++r) {
    if (edges.beside.test(r, 1) && inner(r, 0) && inner(r, 1)) f(Arm::left, r, 1, 0, r - 1);
    if (edges.beside.test(r, ni + 1) && inner(r, ni) && inner(r, ni + 1)) f(Arm::right, r, ni, 1, r - 1);
  }
  for (int x = 1; x <= ni; ++x) {
    if (edges.below.test(1, x) && inner(0, x) && inner(1, x)) f(Arm::below, 1, x, 2, x - 1);
    if (edges.below.test(nj + 1, x) && inner(nj, x) && inner(nj + 1, x)) f(Arm::above, nj, x, 3, x - 1);
  }
}

/// Calls f(arm, row, bit, flag) for the arms that end at a bar.
template <class F>
void for_each_bar_arm(Edges const& edges, Place const& place, Direction along, F const& f) {
  place.next_to_bars([&](int r, int x0, int x1, Flag flag) {
    for (int x = x0; x <= x1; ++x) {
      if (along == Direction::y && edges.below.test(flag == low ? r : r + 1, x))
        f(flag == low ? Arm::below : Arm::above, r, x, flag);
      if (along == Direction::x && edges.beside.test(r, flag == low ? x : x + 1))
        f(flag == low ? Arm::left : Arm::right, r, x, flag);
    }
  });
}

}  // namespace

void join_nodes(BitTile const& black, Edges const& edges, Place const& place, Nodes& nodes, parts::Strips& strips) {
  Id const n = number_nodes(black, edges, place, nodes);
  nodes.of.resize(n + 64);
  Id* const parent = nodes.of.data();
  for (Id q = 0; q < n; ++q) parent[q] = q;
  link_rows(edges, place, nodes, parent);
  Id const count = parts::kernels().number(parent, n);
  nodes.of.resize(n);
  NodeOf const node(edges, nodes);
  nodes.flags.assign(count, 0);
  for_each_bar_arm(edges, place, place.direction(), [&](Arm arm, int r, int x, Flag flag) {
    nodes.flags[nodes.of[node(r, x, arm)]] |= static_cast<std::uint8_t>(flag);
  });

  // a live edge between tiles is in both: each tile's strip names the node at its own end of the edge
  nodes.border.assign(count, 0);
  strips.shape(black.ni, black.nj);
  strips.flags.clear();
  for_each_leaving_arm(edges, place, [&](Arm arm, int r, int x, std::size_t strip, int position) {
    Id const component = nodes.of[node(r, x, arm)];
    if (nodes.border[component] == 0) {
      strips.flags.push_back(nodes.flags[component]);
      nodes.border[component] = static_cast<Id>(strips.flags.size());
    }
    auto const at = static_cast<std::size_t>(position);
    strips.own[strip][at] = nodes.border[component];
    strips.halo[strip][at + (strip < 2 ? 0 : 1)] = nodes.border[component];
  });
}

void mark(Edges const& edges, Nodes const& nodes, std::vector<std::uint8_t> const& in, BitTile& out) {
  static thread_local BitTile cells;
  cells.shape(nodes.starts.ni, nodes.starts.nj, 1);
  static thread_local std::array<std::vector<Word>, 4> kept;
  int const words = cells.words;
  for (std::size_t k = 1; k < 4; ++k) kept[k].resize(words);
  auto const count = static_cast<Id>(nodes.of.size());
  kept[0].resize(count / 64 + 2);
  Word *const chosen = kept[0].data(), *const firsts = kept[1].data(), *const seconds = kept[2].data(),
              *const splits = kept[3].data();
  parts::choose(nodes.of.data(), count, in.data(), chosen);
  for (int r = 1; r <= cells.nj; ++r) {
    Word const *const a = edges.split_a.row(r), *const b = edges.split_b.row(r), *const joined = nodes.joined.row(r);
    Word* const to = cells.row(r);
    for (int w = 0; w < words; ++w) splits[w] = a[w] | b[w];
    // chosen starts, chosen second parts of split cells
    parts::kernels().deal(chosen, nodes.before[static_cast<std::size_t>(r) * static_cast<std::size_t>(words)],
                          nodes.starts.row(r), splits, words, firsts, seconds);
    Word carried = 0;  // whether the chain at the end of the last word is in
    for (int w = 0; w < words; ++w) {
      Word const split = splits[w], first = firsts[w], second = seconds[w];
      // a chain goes on to the right while cells are joined, and ends in a split cell; the second part begins the next
      Word const chain = joined[w] & ~(split << 1), after = second << 1 & joined[w];
      Word const seeds = (first << 1 | carried | after << 1) & chain;
      Word const filled = ((chain + seeds) ^ chain) & chain;
      Word const result = first | second | after | filled;
      to[w] = result;
      carried = (split >> 63 ? second : result) >> 63;
    }
  }
  parts::drop_ring(cells, out);
}

}  // namespace tessera::ca::percolation
