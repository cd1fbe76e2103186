// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"
#include "core/grid/pages.hpp"

#include <Kokkos_Core.hpp>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera::core {

/// Element types a field may hold.
enum class Element { uint8, int32, int64, float32, float64 };

namespace detail {
/// Sets so many values on the host; Kokkos with OpenMP sets them one by one.
template <class T>
void fill_by_threads(T* values, std::size_t count, T value);
}  // namespace detail

template <class T>
constexpr Element element_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return Element::uint8;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Element::int32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return Element::int64;
  else if constexpr (std::is_same_v<T, float>)
    return Element::float32;
  else {
    static_assert(std::is_same_v<T, double>, "a field holds uint8, int32, int64, float or double");
    return Element::float64;
  }
}

/// What a field is; the engine acts on it (writers, restart, halo).
struct FieldInfo {
  std::string name;
  std::string description;
  std::string units;                   ///< for people: "K", "W/(m K)", "1"
  std::array<double, 7> dimensions{};  ///< exponents of kg m s K mol A cd, as in OpenFOAM
  bool output = true;                  ///< written with the results
  bool restart = false;                ///< needed to go on
  bool constant = false;               ///< never changes after it is set
};

/// Where a field's values lie: `view(tile, k, j, i)` with i, j, k counted from the tile's first owned cell;
/// -halo .. n + halo - 1 are valid on every axis that is not thin. Rows are contiguous in i.
template <class T>
struct FieldView {
  T* first = nullptr;  ///< first owned cell of slot 0
  Count tile_stride = 0, layer_stride = 0, row_stride = 0;

  KOKKOS_FUNCTION T& operator()(int tile, int k, int j, int i) const { return row(tile, k, j)[i]; }
  KOKKOS_FUNCTION T* row(int tile, int k, int j) const {
    return first + tile * tile_stride + k * layer_stride + j * row_stride;
  }
  template <class U>
  requires(std::is_same_v<U, T const> && !std::is_const_v<T>) KOKKOS_FUNCTION operator FieldView<U>() const {
    return {first, tile_stride, layer_stride, row_stride};
  }
};

/// Cells i .. i + n - 1 of a row of one of the rank's own tiles, counted from its first own cell.
struct RowPiece {
  int slot, k, j, i, n;
  friend bool operator==(RowPiece const&, RowPiece const&) = default;
};

/// What keeps the values of a field in a form of its own, such as 64 cells in a word: it gives and takes them by pieces of rows, on
/// the host, those of unlike rows to several threads at a time.
template <class T>
class RowStore {
 public:
  virtual ~RowStore() = default;
  virtual void get(RowPiece const& piece, T* cells) const = 0;
  virtual void put(RowPiece const& piece, T const* cells) = 0;
};

/// What does not depend on the element type.
class FieldBase {
 public:
  FieldBase(FieldInfo info, Layout const& layout, int halo) : info_(std::move(info)), layout_(&layout), halo_(halo) {}
  virtual ~FieldBase() = default;
  FieldInfo const& info() const { return info_; }
  std::string const& name() const { return info_.name; }
  void rename(std::string name) { info_.name = std::move(name); }
  Layout const& layout() const { return *layout_; }
  int halo() const { return halo_; }
  virtual Element element() const = 0;

 protected:
  FieldBase(FieldBase&&) = default;
  FieldBase& operator=(FieldBase&&) = default;
  FieldInfo info_;
  Layout const* layout_;
  int halo_;
};

/// Bytes of fields that went from the host's memory to the device's and back, by the fields' names, since the program began:
/// none where both are the same memory.
struct Copies {
  std::int64_t to_device = 0, to_host = 0;
};
std::map<std::string, Copies> const& copies();
void count_copy(std::string const& field, MemorySpace to, std::size_t bytes);

/// One value a cell on the rank's own tiles and their halos, in one allocation.
///
/// Tile blocks follow each other by slot; each has the full tile shape plus `halo` cells on every axis that is not thin.
/// The first owned cell of each row is aligned to 64 bytes. Bytes a cell: sizeof(T) x (1 + halo and padding share). On a host
/// large fields are staggered (next_stagger) and lie on huge pages where the system has them.
/// `view()` is for kernels, `host()` for code outside kernels: where the device has memory of its own, each copies the
/// field over when the other side was written last (a non-const view counts as writing).
template <class T>
class Field final : public FieldBase {
 public:
  Field(FieldInfo info, Layout const& layout, int halo = 1, T value = T{});
  Field(std::string name, Layout const& layout, int halo = 1, T value = T{})
      : Field(FieldInfo{std::move(name), {}, {}, {}}, layout, halo, value) {}

  /// Values that lie with `store`, which lives longer. They take no memory until somebody asks for a view: that copies all of them,
  /// and the store is not told what becomes of the copy. core/grid/rows.hpp has what goes by rows, without a copy.
  Field(FieldInfo info, Layout const& layout, RowStore<T>& store, int halo = 1)
      : FieldBase(std::move(info), layout, halo),
        store_(&store) {
    lay_out();
  }
  /// Who has the values; nullptr where the field has them.
  RowStore<T>* store() const { return store_; }

  Element element() const override { return element_of<T>(); }
  FieldView<T> view() {
    to_device();
    host_current_ = same_memory;
    return at(device_.data());
  }
  FieldView<T const> view() const {
    to_device();
    return at(static_cast<T const*>(device_.data()));
  }
  FieldView<T> host() {
    to_host();
    device_current_ = same_memory;
    return at(host_.data());
  }
  FieldView<T const> host() const {
    to_host();
    return at(static_cast<T const*>(host_.data()));
  }

  /// Sets every cell, halos included.
  void fill(T value) {
    if (std::exchange(store_, nullptr) != nullptr) allocate();
    if constexpr (same_memory) {
      detail::fill_by_threads(device_.data(), device_.extent(0), value);
    } else {
      OpenPages const open(OpenPages::For::copy);
      Kokkos::deep_copy(device_, value);
    }
    device_current_ = true;
    host_current_ = same_memory;
  }
  /// Exchanges the values (not name and flags) with a field of the same layout and halo: double buffering.
  void swap_values(Field& other) {
    std::swap(device_, other.device_);
    std::swap(host_, other.host_);
    std::swap(pages_, other.pages_);
    std::swap(origin_, other.origin_);
    std::swap(store_, other.store_);
    std::swap(device_current_, other.device_current_);
    std::swap(host_current_, other.host_current_);
  }
  std::size_t bytes() const { return device_.extent(0) * sizeof(T); }

 private:
  using Device = Kokkos::View<T*>;
  using Host = typename Device::HostMirror;
  static constexpr bool same_memory =
      !fenced && std::is_same_v<typename Device::memory_space, typename Host::memory_space>;

  template <class U>
  FieldView<U> at(U* data) const {
    return {data + origin_, tile_stride_, layer_stride_, row_stride_};
  }
  void lay_out();
  void allocate() const;
  void hold() const;  ///< copies what lies with the store
  void to_device() const {
    if (store_ != nullptr) hold();
    if (!device_current_) copy(MemorySpace::device);
    device_current_ = true;
  }
  void to_host() const {
    if (store_ != nullptr) hold();
    if (!host_current_) copy(MemorySpace::host);
    host_current_ = true;
  }
  void copy(MemorySpace to) const {
    OpenPages const open(OpenPages::For::copy);
    if (to == MemorySpace::device)
      Kokkos::deep_copy(device_, host_);
    else
      Kokkos::deep_copy(host_, device_);
    count_copy(info_.name, to, bytes());
  }

  Count row_stride_ = 0, layer_stride_ = 0, tile_stride_ = 0;
  mutable Count origin_ = 0;
  mutable std::array<std::shared_ptr<Pages>, 2> pages_;  // of device_ and host_ in a fenced build
  mutable Device device_;
  mutable Host host_;
  mutable RowStore<T>* store_ = nullptr;
  mutable bool device_current_ = true, host_current_ = true;
};

template <class T>
Field<T>::Field(FieldInfo info, Layout const& layout, int halo, T value) : FieldBase(std::move(info), layout, halo) {
  lay_out();
  allocate();
  fill(value);
}

template <class T>
void Field<T>::lay_out() {
  Grid const& grid = layout_->grid();
  auto const shape = grid.tile();
  constexpr Count line = 64 / static_cast<Count>(sizeof(T));
  auto const pad = [](Count n) { return (n + line - 1) / line * line; };
  Count const hi = grid.thin(0) ? 0 : halo_, hj = grid.thin(1) ? 0 : halo_, hk = grid.thin(2) ? 0 : halo_;
  row_stride_ = pad(hi) + pad(shape[0] + hi);
  layer_stride_ = row_stride_ * (shape[1] + 2 * hj);
  tile_stride_ = layer_stride_ * (shape[2] + 2 * hk);
  origin_ = hk * layer_stride_ + hj * row_stride_ + pad(hi);
}

template <class T>
void Field<T>::allocate() const {
  auto const values = static_cast<std::size_t>(tile_stride_ * layout_->tiles());
  if constexpr (fenced) {
    for (MemorySpace space : {MemorySpace::device, MemorySpace::host})
      pages_[space == MemorySpace::host] = std::make_shared<Pages>(values * sizeof(T), space);
    device_ = Device(static_cast<T*>(pages_[0]->data()), values);
    host_ = Host(static_cast<T*>(pages_[1]->data()), values);
  } else {
    bool const stagger = same_memory && values * sizeof(T) >= large_memory;
    std::size_t const later = stagger ? next_stagger() / sizeof(T) : 0;
    origin_ += static_cast<Count>(later);
    device_ = Device(Kokkos::view_alloc(info_.name, Kokkos::WithoutInitializing), later + values);
    if (stagger) prefer_huge_pages(device_.data(), bytes());
    host_ = Kokkos::create_mirror_view(device_);
  }
}

/// Calls `f(field)` with the field as Field<T> of its element type, for code that takes fields of any type.
template <class Base, class F>
decltype(auto) visit(Base& field, F&& f) {
  auto as = [&]<class T>(std::type_identity<T>) -> decltype(auto) {
    using Typed = std::conditional_t<std::is_const_v<Base>, Field<T> const, Field<T>>;
    return f(static_cast<Typed&>(field));
  };
  switch (field.element()) {
  case Element::uint8:
    return as(std::type_identity<std::uint8_t>{});
  case Element::int32:
    return as(std::type_identity<std::int32_t>{});
  case Element::int64:
    return as(std::type_identity<std::int64_t>{});
  case Element::float32:
    return as(std::type_identity<float>{});
  case Element::float64:
    break;
  }
  return as(std::type_identity<double>{});
}

/// Fingerprint of a field's owned cells: 16 hex digits. It is the sum modulo 2^64 of a mix of (cell number, value bits),
/// so it does not depend on ranks, tiles or owners; equal fields have equal hashes. -0.0 and 0.0 count as equal.
/// `region` restricts it to a box of cells, numbered within the box. Collective.
std::string hash(FieldBase const& field);
std::string hash(FieldBase const& field, Box const& region);

}  // namespace tessera::core
