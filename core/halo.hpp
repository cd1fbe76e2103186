// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "core/field.hpp"
#include "core/sweep.hpp"

#include <vector>

namespace tessera::core {

/// Which halo cells a stencil reads: `faces` those beside a tile's faces, `all` also edges and corners.
enum class Reach { faces, all };

namespace detail {
template <class T>
struct LocalCopy {
  FieldView<T> field;
  KOKKOS_FUNCTION void operator()(BoxCopy const& b, int k, int j, int i, Count) const {
    field(b.to_slot, b.to[2] + k, b.to[1] + j, b.to[0] + i) =
        field(b.from_slot, b.from[2] + k, b.from[1] + j, b.from[0] + i);
  }
};
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

/// Halo exchange of a fixed depth on one layout.
///
/// `start` copies between tiles of this rank and sends one message to each neighbouring rank, however many tiles touch;
/// `finish` waits and unpacks. Between them `interior()` tiles (whose halos come from this rank alone) can be computed,
/// after `finish` the others, `edge()`. Halo cells outside a side that is not periodic are left alone: boundaries are
/// the business of who owns them. Any depth works, also one larger than a tile.
///
/// One field at a time is in flight; start and finish are collective. Building costs one pass over the own tiles and
/// their neighbours, no communication.
class Halo {
 public:
  /// Depth of at least 1; fields exchanged must have a halo at least that deep.
  explicit Halo(Layout const& layout, int depth = 1, Reach reach = Reach::all);

  template <class T>
  void start(Field<T>& field);
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
  int neighbours() const { return static_cast<int>(peers_.size()); }  ///< ranks that messages go to
  Count cells_sent() const { return send_cells_; }                    ///< an exchange

 private:
  struct Peer {
    int rank;
    Count send_at, send_cells, receive_at, receive_cells;
  };
  void check(FieldBase const& field, std::size_t element) const;

  Layout const* layout_;
  int depth_;
  std::vector<Peer> peers_;
  Kokkos::View<BoxCopy const*> local_, send_, receive_;
  Count send_cells_ = 0, receive_cells_ = 0;
  Tiles interior_, edge_;
  std::vector<Tiles> interior_parts_;
  Kokkos::View<unsigned char*> send_buffer_, receive_buffer_;
  Kokkos::View<unsigned char*>::HostMirror send_host_, receive_host_;
  std::vector<MPI_Request> requests_;
  void const* in_flight_ = nullptr;

  void reserve(std::size_t element);
  void post(std::size_t element);
};

template <class T>
void Halo::start(Field<T>& field) {
  Timed const timed(Part::halo);
  check(field, sizeof(T));
  expect(in_flight_ == nullptr, "a halo exchange is in flight already");
  in_flight_ = &field;
  if (!peers_.empty()) {
    reserve(sizeof(T));
    for_each_in_boxes("halo pack", send_,
                      detail::Pack<T>{std::as_const(field).view(), reinterpret_cast<T*>(send_buffer_.data())});
    post(sizeof(T));
  }
  for_each_in_boxes("halo local", local_, detail::LocalCopy<T>{field.view()});
}

template <class T>
void Halo::finish(Field<T>& field) {
  Timed const timed(Part::halo);
  expect(in_flight_ == &field, "finish without start of the same field");
  in_flight_ = nullptr;
  if (peers_.empty()) return;
  Comm::wait_all(requests_);
  Kokkos::deep_copy(receive_buffer_, receive_host_);
  for_each_in_boxes("halo unpack", receive_,
                    detail::Unpack<T>{field.view(), reinterpret_cast<T const*>(receive_buffer_.data())});
}

}  // namespace tessera::core
