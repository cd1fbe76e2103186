// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "core/grid/boxes.hpp"
#include "core/grid/field.hpp"
#include "core/grid/halo_window.hpp"
#include "core/grid/pinned.hpp"
#include "core/grid/stencil.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::core {

/// Which of the 26 boxes of cells round a tile a stencil reads: those beside its faces, its edges and its corners.
class Reach {
 public:
  static const Reach none, faces, all;
  /// What cells of a tile reach that look at those an offset away, wherever in the tile they lie.
  static constexpr Reach of(Offset o) {
    Reach reach;
    int const to[] = {o.i, o.j, o.k};
    for (int part = 1; part < 8; ++part) {
      int d[3] = {};
      for (int a = 0; a < 3; ++a)
        if ((part >> a & 1) != 0) d[a] = (to[a] > 0) - (to[a] < 0);
      reach.add(d[0], d[1], d[2]);
    }
    return reach;
  }
  /// The box to the right (di = 1) or left (-1), above or below, in front or behind; the tile itself, (0, 0, 0), is not one of them.
  constexpr bool has(int di, int dj, int dk) const { return (boxes_ >> number(di, dj, dk) & 1) != 0; }
  /// Seen from who is looked at.
  constexpr Reach opposite() const {
    Reach reach;
    for (int n = 0; n < 27; ++n)
      if ((boxes_ >> n & 1) != 0) reach.boxes_ |= 1u << (26 - n);
    return reach;
  }
  constexpr Reach operator|(Reach other) const { return Reach(boxes_ | other.boxes_); }
  constexpr bool operator==(Reach const&) const = default;

 private:
  constexpr Reach() = default;
  constexpr explicit Reach(std::uint32_t boxes) : boxes_(boxes) {}
  static constexpr int number(int di, int dj, int dk) { return (dk + 1) * 9 + (dj + 1) * 3 + di + 1; }
  constexpr void add(int di, int dj, int dk) {
    if (di != 0 || dj != 0 || dk != 0) boxes_ |= 1u << number(di, dj, dk);
  }
  std::uint32_t boxes_ = 0;
};
inline constexpr Reach Reach::none{};
inline constexpr Reach Reach::faces =
    of({1, 0, 0}) | of({-1, 0, 0}) | of({0, 1, 0}) | of({0, -1, 0}) | of({0, 0, 1}) | of({0, 0, -1});
inline constexpr Reach Reach::all{(1u << 27) - 1 - (1u << 13)};

/// Kernel of for_each_in_boxes: copies within a field of this rank, from where a box lies to where it goes.
template <class T>
struct LocalCopy {
  FieldView<T> field;
  KOKKOS_FUNCTION void operator()(BoxCopy const& b, int k, int j, int i, Count) const {
    field(b.to_slot, b.to[2] + k, b.to[1] + j, b.to[0] + i) =
        field(b.from_slot, b.from[2] + k, b.from[1] + j, b.from[0] + i);
  }
};

namespace detail {
template <class T>
struct Pack {
  FieldView<T const> field;
  T* buffer;
  KOKKOS_FUNCTION void operator()(BoxCopy const& b, int k, int j, int i, Count at) const {
    buffer[at] = field(b.from_slot, b.from[2] + k, b.from[1] + j, b.from[0] + i);
  }
};
template <class T>
struct Unpack {
  FieldView<T> field;
  T const* buffer;
  KOKKOS_FUNCTION void operator()(BoxCopy const& b, int k, int j, int i, Count at) const {
    field(b.to_slot, b.to[2] + k, b.to[1] + j, b.to[0] + i) = buffer[at];
  }
};
}  // namespace detail

/// What the halo exchanges of this process have sent.
struct HaloCounts {
  std::int64_t rounds = 0, messages = 0, bytes = 0;
  std::int64_t shared_messages = 0, shared_bytes = 0;  ///< of these, through memory shared with others of the node
};
HaloCounts& halo_counts();

/// Halo exchange of a fixed depth on one layout.
///
/// `start` copies between tiles of this rank and sends one message to each neighbouring rank, however many tiles touch;
/// `finish` waits and unpacks. Between them `interior()` tiles (whose halos come from this rank alone) can be computed,
/// after `finish` the others, `edge()`. To ranks of the same node the message is left in memory that they share, from the
/// fourth round on (Transport), so that short-lived exchanges need none. Fields on a device are packed there and go through
/// MPI, by addresses on the device where it takes these, else by pinned memory of the host. Halo cells outside a side that
/// is not periodic are left alone: boundaries are the business of who owns them. Any depth works, also one larger than a
/// tile.
///
/// One field at a time is in flight; start and finish are collective, for all ranks of the communicator in one order.
/// Building costs two passes over the own tiles and their neighbours, no communication.
class Halo {
 public:
  /// Depth of at least 1; fields exchanged must have a halo at least that deep.
  explicit Halo(Layout const& layout, int depth = 1, Reach reach = Reach::all);

  template <class T>
  void start(Field<T>& field) {
    Timed const timed(Part::halo);
    send(field);
    for_each_in_boxes("halo local", local_, LocalCopy<T>{field.view()});
  }
  /// The same, for hosts, where some halos hold what they must: of the copies between tiles of this rank only those boxes of which
  /// wanted(box) holds are made.
  template <class T, class F>
  void start(Field<T>& field, F const& wanted) {
    Timed const timed(Part::halo);
    send(field);
    for_each_in_some_boxes("halo local", local_, wanted, LocalCopy<T>{field.host()});
  }
  template <class T>
  void finish(Field<T>& field);
  template <class T>
  void exchange(Field<T>& field) {
    start(field);
    finish(field);
  }

  /// Calls work(tiles) for the interior tiles, in up to four parts while messages are on their way, with a look after
  /// these between the parts.
  template <class F>
  void over_interior(F const& work) const {
    for (std::size_t n = 0; n < interior_parts_.size(); ++n) {
      if (n > 0) layout_->comm().progress();
      work(interior_parts_[n]);
    }
  }

  Tiles const& interior() const { return interior_; }
  Tiles const& edge() const { return edge_; }
  int depth() const { return depth_; }
  Reach reach() const { return reach_; }
  int neighbours() const;                           ///< ranks that messages go to
  Count cells_sent() const { return send_cells_; }  ///< a round

 private:
  using Boxes = Kokkos::View<BoxCopy const*>;
  struct Peer {
    int rank;
    Count send_at, send_cells, receive_at, receive_cells;
    Boxes receive;           // those from it
    bool shares = false;     // memory with this rank
    std::size_t source = 0;  // then its place among those that do
  };
  void check(FieldBase const& field, std::size_t element) const;

  Layout const* layout_;
  int depth_;
  Reach reach_;
  std::vector<Peer> peers_;
  Boxes local_, send_, receive_;
  Count send_cells_ = 0, receive_cells_ = 0;
  Tiles interior_, edge_;
  std::vector<Tiles> interior_parts_;
  Kokkos::View<unsigned char*> send_buffer_, receive_buffer_;
  bool const by_host_;                                  // messages to and from a device
  PinnedView<unsigned char> send_host_, receive_host_;  // then
  Requests requests_;
  void const* in_flight_ = nullptr;
  std::unique_ptr<HaloWindow> window_;
  std::vector<HaloWindow::Neighbour> sharers_;
  std::size_t window_element_ = 0;  // bytes of the largest element that it has room for
  int rounds_ = 0;
  bool by_window_ = false;  // this round
  bool no_room_ = false;

  void reserve(std::size_t element);
  bool prepare_window(std::size_t element);
  void count(std::size_t element) const;
  template <class T>
  void send(Field<T>& field);
  unsigned char* send_buffer() { return by_window_ ? window_->next() : send_buffer_.data(); }
  void post(std::size_t element);
};

template <class T>
void Halo::send(Field<T>& field) {
  check(field, sizeof(T));
  expect(in_flight_ == nullptr, "a halo exchange is in flight already");
  in_flight_ = &field;
  by_window_ = prepare_window(sizeof(T));
  if (!peers_.empty()) {
    reserve(sizeof(T));
    for_each_in_boxes("halo pack", send_,
                      detail::Pack<T>{std::as_const(field).view(), reinterpret_cast<T*>(send_buffer())});
    post(sizeof(T));
    count(sizeof(T));
  }
}

template <class T>
void Halo::finish(Field<T>& field) {
  Timed const timed(Part::halo);
  expect(in_flight_ == &field, "finish without start of the same field");
  in_flight_ = nullptr;
  if (peers_.empty()) return;
  auto const unpack = [&](Boxes const& boxes, T const* cells) {
    for_each_in_boxes("halo unpack", boxes, detail::Unpack<T>{field.view(), cells});
  };
  if (by_window_)
    for (Peer const& p : peers_)
      if (p.shares) unpack(p.receive, reinterpret_cast<T const*>(window_->receive(p.source, sizeof(T))) - p.receive_at);
  if (!by_window_ || !requests_.empty()) {
    Comm::wait_all(requests_);
    if (by_host_) Kokkos::deep_copy(receive_buffer_, receive_host_);
  }
  auto const* const received = reinterpret_cast<T const*>(receive_buffer_.data());
  if (!by_window_) return unpack(receive_, received);
  for (Peer const& p : peers_)
    if (!p.shares) unpack(p.receive, received);
}

}  // namespace tessera::core
