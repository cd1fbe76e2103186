// SPDX-License-Identifier: Apache-2.0
#include "core/grid/halo.hpp"

#include "core/comm/device_addresses.hpp"
#include "core/error.hpp"
#include "core/grid/upload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tessera::core {
namespace {

/// Part of a tile's expanded range on one axis that lies in one tile: cells lo .. hi - 1 of the expanded range
/// (may be outside the grid on a periodic axis), owned by tile column `tile` as cells lo - shift .. hi - shift - 1.
struct Segment {
  Count lo, hi, tile, shift;
};

std::vector<Segment> segments(Grid const& grid, int axis, Count lo, Count hi, int depth) {
  std::size_t const a = static_cast<std::size_t>(axis);
  Count const n = grid.cells()[a], width = grid.tile()[a];
  if (!grid.thin(axis)) {
    lo -= depth;
    hi += depth;
  }
  if (!grid.periodic(axis)) {
    lo = std::max<Count>(lo, 0);
    hi = std::min(hi, n);
  }
  std::vector<Segment> result;
  for (Count x = lo; x < hi;) {
    Count const wrapped = (x % n + n) % n;
    Count const tile = wrapped / width;
    Count const end = std::min(hi, x + std::min((tile + 1) * width, n) - wrapped);
    result.push_back({x, end, tile, x - wrapped});
    x = end;
  }
  return result;
}

struct Entry {
  int from_tile, to_tile;
  Box to;       // global, in the frame of the receiving tile
  Index shift;  // to - from
};

/// All boxes that fill the halo of `tile`, in an order that every rank finds alike.
template <class F>
void for_each_source(Grid const& grid, int tile, int depth, Reach reach, F f) {
  Box const box = grid.tile_box(tile);
  auto const side = [](Segment const& s, Count lo, Count hi) { return s.lo >= hi ? 1 : s.lo < lo ? -1 : 0; };
  auto const si = segments(grid, 0, box.lo.i, box.hi.i, depth);
  auto const sj = segments(grid, 1, box.lo.j, box.hi.j, depth);
  auto const sk = segments(grid, 2, box.lo.k, box.hi.k, depth);
  for (auto const& c : sk)
    for (auto const& b : sj)
      for (auto const& a : si) {
        if (!reach.has(side(a, box.lo.i, box.hi.i), side(b, box.lo.j, box.hi.j), side(c, box.lo.k, box.hi.k))) continue;
        f(Entry{grid.tile_number({a.tile, b.tile, c.tile}),
                tile,
                {{a.lo, b.lo, c.lo}, {a.hi, b.hi, c.hi}},
                {a.shift, b.shift, c.shift}});
      }
}

}  // namespace

Halo::Halo(Layout const& layout, int depth, Reach reach)
    : layout_(&layout),
      depth_(depth),
      reach_(reach),
      by_host_(!on_host && !mpi_takes_device_addresses()) {
  expect(depth >= 1, "a halo exchange needs a depth of at least 1");
  Grid const& grid = layout.grid();
  int const me = layout.comm().rank();
  Node const* const node = node_of(layout.comm());
  std::vector<BoxCopy> local, send, receive;
  std::map<int, std::vector<BoxCopy>> sends, receives;
  std::vector<int> interior, edge;
  std::set<int> around;  // tiles of other ranks whose halos need cells of this rank

  auto const box_copy = [&](Entry const& e) {
    Box const to = grid.tile_box(e.to_tile), from = grid.tile_box(e.from_tile);
    Index const t = e.to.lo - to.lo, f = e.to.lo - e.shift - from.lo, n = e.to.shape();
    auto const narrow = [](Count x) { return static_cast<int>(x); };
    return BoxCopy{layout.slot(e.from_tile),
                   layout.slot(e.to_tile),
                   {narrow(f.i), narrow(f.j), narrow(f.k)},
                   {narrow(t.i), narrow(t.j), narrow(t.k)},
                   {narrow(n.i), narrow(n.j), narrow(n.k)},
                   0};
  };
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    bool remote = false;
    for_each_source(grid, layout.info(slot).tile, depth, reach, [&](Entry const& e) {
      int const owner = layout.owner(e.from_tile);
      if (owner == me) {
        local.push_back(box_copy(e));
      } else {
        remote = true;
        receives[owner].push_back(box_copy(e));
      }
    });
    for_each_source(grid, layout.info(slot).tile, depth, reach.opposite(), [&](Entry const& e) {
      if (layout.owner(e.from_tile) != me) around.insert(e.from_tile);
    });
    (remote ? edge : interior).push_back(slot);
  }
  for (int tile : around)
    for_each_source(grid, tile, depth, reach, [&](Entry const& e) {
      if (layout.owner(e.from_tile) == me) sends[layout.owner(tile)].push_back(box_copy(e));
    });
  // those whose cells go one way alone are neighbours, too
  for (auto const& [rank, boxes] : sends) receives[rank];

  auto const lay_out = [](std::vector<BoxCopy>& boxes, std::vector<BoxCopy>& all, Count& at) {
    for (BoxCopy& b : boxes) {
      b.at = at;
      at += Count{b.n[0]} * b.n[1] * b.n[2];
      all.push_back(b);
    }
  };
  std::vector<std::size_t> first_box;
  for (auto& [rank, boxes] : receives) {
    Peer peer{rank, send_cells_, 0, receive_cells_, 0, {}};
    first_box.push_back(receive.size());
    lay_out(sends[rank], send, send_cells_);
    lay_out(boxes, receive, receive_cells_);
    peer.shares = node != nullptr && node->shares_halos(rank);
    if (peer.shares) {
      peer.source = sharers_.size();
      sharers_.push_back({rank, peer.send_at});
    }
    peer.send_cells = send_cells_ - peer.send_at;
    peer.receive_cells = receive_cells_ - peer.receive_at;
    peers_.push_back(peer);
  }
  local_ = upload("halo boxes", local);
  send_ = upload("halo boxes", send);
  receive_ = upload("halo boxes", receive);
  first_box.push_back(receive.size());
  for (std::size_t p = 0; p < peers_.size(); ++p)
    peers_[p].receive = Kokkos::subview(receive_, std::pair(first_box[p], first_box[p + 1]));
  interior_ = layout.select(interior);
  edge_ = layout.select(edge);
  std::size_t const parts = peers_.empty() ? 1 : std::min<std::size_t>(interior.size(), 4);
  for (std::size_t n = 0; n < parts; ++n) {
    auto const at = [&](std::size_t p) {
      return interior.begin() + static_cast<std::ptrdiff_t>(interior.size() * p / parts);
    };
    interior_parts_.push_back(parts == 1 ? interior_ : layout.select({at(n), at(n + 1)}));
  }
}

void Halo::check(FieldBase const& field, std::size_t) const {
  expect(&field.layout() == layout_, "the field lies on another layout than the halo exchange");
  expect(field.halo() >= depth_, "the field's halo is less deep than the exchange");
}

int Halo::neighbours() const {
  return static_cast<int>(std::ranges::count_if(peers_, [](Peer const& p) { return p.send_cells > 0; }));
}

HaloCounts& halo_counts() {
  static HaloCounts one;
  return one;
}

void Halo::count(std::size_t element) const {
  HaloCounts& counts = halo_counts();
  ++counts.rounds;
  for (Peer const& p : peers_) {
    if (p.send_cells == 0) continue;
    auto const bytes = static_cast<std::int64_t>(p.send_cells) * static_cast<std::int64_t>(element);
    bool const shared = by_window_ && p.shares;
    ++counts.messages;
    counts.bytes += bytes;
    counts.shared_messages += shared;
    counts.shared_bytes += shared ? bytes : 0;
  }
}

bool Halo::prepare_window(std::size_t element) {
  // all ranks of the node decide alike: by the setting and the round, not by their neighbours
  constexpr int messages_first = 3;
  Node* const node = node_of(layout_->comm());
  if (node == nullptr || no_room_ || messages_alone()) return false;
  if (++rounds_ <= messages_first && transport() == Transport::automatic) return false;
  if (element > window_element_) {
    if (!window_) window_ = std::make_unique<HaloWindow>(*node);
    no_room_ = !window_->open(sharers_, send_cells_, element);
    window_element_ = element;
    if (no_room_ && transport() == Transport::shared_memory)
      throw RunError("no room in /dev/shm for the halos that ranks of a node share; leave it to 'transport auto'");
  }
  return !no_room_ && !sharers_.empty();
}

void Halo::reserve(std::size_t element) {
  // what goes through shared memory is packed there, with the rest of the round
  std::size_t const send = by_window_ ? 0 : static_cast<std::size_t>(send_cells_) * element;
  std::size_t const receive =
      by_window_ && sharers_.size() == peers_.size() ? 0 : static_cast<std::size_t>(receive_cells_) * element;
  auto const make = [](char const* name, std::size_t bytes) {
    return decltype(send_buffer_)(Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing), bytes);
  };
  if (send_buffer_.extent(0) < send) {
    send_buffer_ = make("halo send", send);
    if (by_host_) send_host_ = pinned_mirror(send_buffer_);
  }
  if (receive_buffer_.extent(0) < receive) {
    receive_buffer_ = make("halo receive", receive);
    if (by_host_) receive_host_ = pinned_mirror(receive_buffer_);
  }
}

void Halo::post(std::size_t element) {
  constexpr Tag tag = Tag::halo;
  unsigned char* const send = by_host_ ? send_host_.data() : send_buffer();
  unsigned char* const receive = by_host_ ? receive_host_.data() : receive_buffer_.data();
  if (by_window_)
    window_->publish();
  else if (by_host_)
    Kokkos::deep_copy(send_host_, send_buffer_);
  auto const bytes = [element](unsigned char* buffer, Count at, Count cells) {
    return std::span<std::byte>(reinterpret_cast<std::byte*>(buffer) + static_cast<std::size_t>(at) * element,
                                static_cast<std::size_t>(cells) * element);
  };
  auto const by_message = [this](Peer const& p) { return !(by_window_ && p.shares); };
  for (Peer const& p : peers_)
    if (by_message(p) && p.receive_cells > 0)
      layout_->comm().start_receive(p.rank, bytes(receive, p.receive_at, p.receive_cells), tag, requests_);
  for (Peer const& p : peers_)
    if (by_message(p) && p.send_cells > 0)
      layout_->comm().start_send(p.rank, bytes(send, p.send_at, p.send_cells), tag, requests_);
}

}  // namespace tessera::core
