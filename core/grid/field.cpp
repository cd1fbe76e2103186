// SPDX-License-Identifier: Apache-2.0
#include "core/grid/field.hpp"

#include "core/grid/rows.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tessera::core {
namespace detail {

/// Finaliser of SplitMix64 (Steele, Lea & Flood 2014): every input bit moves every output bit.
KOKKOS_INLINE_FUNCTION std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

template <class T>
struct HashCell {
  FieldView<T const> field;
  TileInfo const* info;
  Box region;
  bool whole;  ///< the region is the grid: nothing to ask of a cell, so that rows are worked on in vectors
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    Index const x = info[slot].global(k, j, i);
    if (!whole && !region.contains(x)) return 0;
    Index const n = region.shape(), y = x - region.lo;
    T value = field(slot, k, j, i);
    if (value == T{0}) value = T{0};  // -0.0 as 0.0
    std::uint64_t bits = 0;
    if constexpr (std::is_same_v<T, double>)
      bits = reinterpret_bits<std::uint64_t>(value);
    else if constexpr (std::is_same_v<T, float>)
      bits = reinterpret_bits<std::uint32_t>(value);
    else
      bits = static_cast<std::uint64_t>(value);
    std::uint64_t const cell = static_cast<std::uint64_t>((y.k * n.j + y.j) * n.i + y.i);
    return static_cast<std::int64_t>(mix(mix(cell + 0x9e3779b97f4a7c15u) ^ bits));
  }
  template <class U, class V>
  KOKKOS_FUNCTION static U reinterpret_bits(V value) {
    static_assert(sizeof(U) == sizeof(V));
    U bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  }
};

template <class T>
void fill_by_threads(T* values, std::size_t count, T value) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  for_each_by_threads("fill", static_cast<Count>((count + piece - 1) / piece), static_cast<Count>(piece), [&](Count n) {
    std::size_t const first = static_cast<std::size_t>(n) * piece;
    std::fill_n(values + first, std::min(piece, count - first), value);
  });
}
template void fill_by_threads(std::uint8_t*, std::size_t, std::uint8_t);
template void fill_by_threads(std::int32_t*, std::size_t, std::int32_t);
template void fill_by_threads(std::int64_t*, std::size_t, std::int64_t);
template void fill_by_threads(float*, std::size_t, float);
template void fill_by_threads(double*, std::size_t, double);

}  // namespace detail

namespace {
std::map<std::string, Copies>& all_copies() {
  static std::map<std::string, Copies> all;
  return all;
}
}  // namespace

std::map<std::string, Copies> const& copies() { return all_copies(); }

void count_copy(std::string const& field, MemorySpace to, std::size_t bytes) {
  Copies& of_field = all_copies()[field];
  (to == MemorySpace::device ? of_field.to_device : of_field.to_host) += static_cast<std::int64_t>(bytes);
}

template <class T>
void Field<T>::hold() const {
  RowStore<T> const& store = *std::exchange(store_, nullptr);
  allocate();
  auto& self = const_cast<Field&>(*this);  // its values are the same, only elsewhere
  self.fill(T{});
  for_each_tile_on_host("values of a field", *layout_, [&, values = self.host()](int slot) {
    TileInfo const& tile = layout_->info(slot);
    for_rows(tile, [&](int k, int j) { store.get({slot, k, j, 0, tile.ni}, values.row(slot, k, j)); });
  });
}
template void Field<std::uint8_t>::hold() const;
template void Field<std::int32_t>::hold() const;
template void Field<std::int64_t>::hold() const;
template void Field<float>::hold() const;
template void Field<double>::hold() const;

std::string hash(FieldBase const& field) { return hash(field, field.layout().grid().box()); }

std::string hash(FieldBase const& field, Box const& region) {
  return visit(field, [&]<class T>(Field<T> const& f) {
    bool const whole = region == f.layout().grid().box();
    auto const total = count("hash", f, [&](FieldView<T const> values, TileInfo const* info) {
      return detail::HashCell<T>{values, info, region, whole};
    });
    return fmt::format("{:016x}", static_cast<std::uint64_t>(total));
  });
}

}  // namespace tessera::core
