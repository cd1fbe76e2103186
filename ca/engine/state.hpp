// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the state of a cell is made of: one value, or a struct of named fields, each of which is a core::Field of its own.
#include "ca/engine/members.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::ca {

/// State of a cell unless a rule says `using State = double;` or has a struct State: 0 .. 255.
using State = std::uint8_t;

namespace detail {

/// Bytes of the largest field of a state.
template <class S>
constexpr std::size_t largest_member() {
  return []<class... T>(std::type_identity<std::tuple<T...>>) {
    std::size_t most = 0;
    ((most = sizeof(T) > most ? sizeof(T) : most), ...);
    return most;
  }(std::type_identity<MembersOf<S>>());
}

/// How far rows and layers of cells lie from each other in memory, in values: the same for all fields but for the padding of rows.
template <class S>
struct Strides {
  core::Count row = 0, layer = 0;
};
template <OfFields S>
struct Strides<S> {
  core::Count row[members_of<S>], layer[members_of<S>];
};

/// A row of cells of several fields, used as the pointer to a row of one: row[i], row + i.
template <class S, bool writes>
struct FieldsRow {
  using Pointer = std::conditional_t<writes, void*, void const*>;
  Pointer at[members_of<S>];

  KOKKOS_FORCEINLINE_FUNCTION S operator[](core::Count i) const { return at_cell(i, Sequence<S>()); }
  KOKKOS_FORCEINLINE_FUNCTION S operator*() const { return (*this)[0]; }
  KOKKOS_FORCEINLINE_FUNCTION FieldsRow operator+(core::Count i) const { return shifted(i, Sequence<S>()); }

 private:
  template <std::size_t... q>
  KOKKOS_FORCEINLINE_FUNCTION S at_cell(core::Count i, std::index_sequence<q...>) const {
    S s;
    ((member<q>(s) = static_cast<MemberOf<q, S> const*>(at[q])[i]), ...);
    return s;
  }
  template <std::size_t... q>
  KOKKOS_FORCEINLINE_FUNCTION FieldsRow shifted(core::Count i, std::index_sequence<q...>) const {
    if constexpr (writes)
      return {{(static_cast<MemberOf<q, S>*>(at[q]) + i)...}};
    else
      return {{(static_cast<MemberOf<q, S> const*>(at[q]) + i)...}};
  }
};

/// Where the values of several fields lie, as core::FieldView for one.
template <class S, bool writes>
struct FieldsView {
  using Pointer = typename FieldsRow<S, writes>::Pointer;
  Pointer first[members_of<S>];
  core::Count tile[members_of<S>], layer[members_of<S>], stride[members_of<S>];

  KOKKOS_FORCEINLINE_FUNCTION FieldsRow<S, writes> row(int slot, int k, int j) const {
    return row(slot, k, j, Sequence<S>());
  }
  template <bool reads_only>
    requires(writes && !reads_only)
  KOKKOS_FUNCTION operator FieldsView<S, reads_only>() const {
    FieldsView<S, reads_only> view;
    for (int q = 0; q < members_of<S>; ++q) {
      view.first[q] = first[q];
      view.tile[q] = tile[q];
      view.layer[q] = layer[q];
      view.stride[q] = stride[q];
    }
    return view;
  }

 private:
  template <std::size_t... q>
  KOKKOS_FORCEINLINE_FUNCTION FieldsRow<S, writes> row(int slot, int k, int j, std::index_sequence<q...>) const {
    auto const shift = [&](int n) { return slot * tile[n] + k * layer[n] + j * stride[n]; };
    if constexpr (writes)
      return {{(static_cast<MemberOf<q, S>*>(first[q]) + shift(q))...}};
    else
      return {{(static_cast<MemberOf<q, S> const*>(first[q]) + shift(q))...}};
  }
};

template <class S, bool writes>
struct ViewTrait {
  using type = core::FieldView<std::conditional_t<writes, S, S const>>;
};
template <OfFields S, bool writes>
struct ViewTrait<S, writes> {
  using type = FieldsView<S, writes>;
};
/// A view of the states: of the field, or of all fields.
template <class S, bool writes>
using ViewOf = typename ViewTrait<S, writes>::type;
/// What points at the states of a row.
template <class S>
using RowOf = decltype(std::declval<ViewOf<S, false>>().row(0, 0, 0));

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Strides<std::remove_const_t<T>> strides_of(core::FieldView<T> const& view) {
  return {view.row_stride, view.layer_stride};
}
template <class S, bool writes>
KOKKOS_FORCEINLINE_FUNCTION Strides<S> strides_of(FieldsView<S, writes> const& view) {
  Strides<S> strides;
  for (int q = 0; q < members_of<S>; ++q) {
    strides.row[q] = view.stride[q];
    strides.layer[q] = view.layer[q];
  }
  return strides;
}

/// The state so many cells, rows and layers away.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S state_at(S const* row, Strides<S> const& strides, int i, int j, int k) {
  return row[k * strides.layer + j * strides.row + i];
}
template <class S, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION S fields_at(FieldsRow<S, false> const& row, Strides<S> const& strides, int i, int j, int k,
                                        std::index_sequence<q...>) {
  S s;
  ((member<q>(s) = static_cast<MemberOf<q, S> const*>(row.at[q])[k * strides.layer[q] + j * strides.row[q] + i]), ...);
  return s;
}
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S state_at(FieldsRow<S, false> const& row, Strides<S> const& strides, int i, int j, int k) {
  return fields_at(row, strides, i, j, k, Sequence<S>());
}
/// The q-th field alone of the state so many cells, rows and layers away.
template <std::size_t q, class S>
KOKKOS_FORCEINLINE_FUNCTION MemberOf<q, S> field_at(FieldsRow<S, false> const& row, Strides<S> const& strides, int i,
                                                    int j, int k) {
  return static_cast<MemberOf<q, S> const*>(row.at[q])[k * strides.layer[q] + j * strides.row[q] + i];
}

/// Sets the state of a cell of a row.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION void put(S* row, core::Count i, S const& state) {
  row[i] = state;
}
template <class S, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION void put_fields(FieldsRow<S, true> const& row, core::Count i, S const& state,
                                            std::index_sequence<q...>) {
  ((static_cast<MemberOf<q, S>*>(row.at[q])[i] = member<q>(state)), ...);
}
template <class S>
KOKKOS_FORCEINLINE_FUNCTION void put(FieldsRow<S, true> const& row, core::Count i, S const& state) {
  put_fields(row, i, state, Sequence<S>());
}

/// What is no number stays so: else nothing with such a cell would come to rest.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool values_differ(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != b && (a == a || b == b);
  else
    return a != b;
}
template <class S, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION bool fields_differ(S const& a, S const& b, std::index_sequence<q...>) {
  return (values_differ(member<q>(a), member<q>(b)) || ...);
}
template <class S>
KOKKOS_FORCEINLINE_FUNCTION bool differ(S const& a, S const& b) {
  if constexpr (OfFields<S>)
    return fields_differ(a, b, Sequence<S>());
  else
    return values_differ(a, b);
}

/// The fields of an automaton's states on a layout.
template <class S>
class StateFields {
 public:
  static constexpr int count = members_of<S>;

  /// `one`: the name of the field where a state is one number.
  StateFields(core::Layout const& layout, int halo, std::string const& one, char const* prefix = "")
      : fields_(make(layout, halo, one, prefix, std::make_index_sequence<count>())) {}

  ViewOf<S, true> view() {
    if constexpr (OfFields<S>)
      return view_of<true>(*this, std::make_index_sequence<count>());
    else
      return std::get<0>(fields_).view();
  }
  ViewOf<S, false> view() const {
    if constexpr (OfFields<S>)
      return view_of<false>(*this, std::make_index_sequence<count>());
    else
      return std::get<0>(fields_).view();
  }
  ViewOf<S, false> host() const {
    if constexpr (OfFields<S>)
      return host_of(std::make_index_sequence<count>());
    else
      return std::get<0>(fields_).host();
  }
  /// Calls f(q, field) for each.
  template <class F>
  void each(F const& f) {
    each(f, std::make_index_sequence<count>());
  }
  void swap_values(StateFields& other) { swap(other, std::make_index_sequence<count>()); }
  auto& first() { return std::get<0>(fields_); }
  std::vector<core::FieldBase*> list() {
    std::vector<core::FieldBase*> all;
    each([&](int, core::FieldBase& field) { all.push_back(&field); });
    return all;
  }

 private:
  template <std::size_t... q>
  static auto make(core::Layout const& layout, int halo, std::string const& one, std::string const& prefix,
                   std::index_sequence<q...>) {
    auto const info = [&](std::size_t n) {
      std::string name = one, what = "state of the cells";
      bool shown = true;
      if constexpr (OfFields<S>) {
        static_assert(S::fields.size == count, "as many names as fields: many<N> of an array");
        name = S::fields.of[n];
        what = name + " of the cells";
        shown = !S::fields.of[n].numbered;
      }
      return core::FieldInfo{
          .name = prefix + name, .description = what, .units = "1", .output = shown, .restart = prefix.empty()};
    };
    return std::tuple<core::Field<std::tuple_element_t<q, MembersOf<S>>>...>{
        core::Field<std::tuple_element_t<q, MembersOf<S>>>(info(q), layout, halo)...};
  }
  template <bool writes, class View>
  static void set(FieldsView<S, writes>& all, std::size_t n, View const& view) {
    all.first[n] = view.first;
    all.tile[n] = view.tile_stride;
    all.layer[n] = view.layer_stride;
    all.stride[n] = view.row_stride;
  }
  template <bool writes, class Self, std::size_t... q>
  static FieldsView<S, writes> view_of(Self& self, std::index_sequence<q...>) {
    FieldsView<S, writes> all;
    (set(all, q, std::get<q>(self.fields_).view()), ...);
    return all;
  }
  template <std::size_t... q>
  FieldsView<S, false> host_of(std::index_sequence<q...>) const {
    FieldsView<S, false> all;
    (set(all, q, std::get<q>(fields_).host()), ...);
    return all;
  }
  template <class F, std::size_t... q>
  void each(F const& f, std::index_sequence<q...>) {
    (f(static_cast<int>(q), std::get<q>(fields_)), ...);
  }
  template <std::size_t... q>
  void swap(StateFields& other, std::index_sequence<q...>) {
    (std::get<q>(fields_).swap_values(std::get<q>(other.fields_)), ...);
  }

  template <class T>
  struct OnLayout;
  template <class... T>
  struct OnLayout<std::tuple<T...>> {
    using type = std::tuple<core::Field<T>...>;
  };
  typename OnLayout<MembersOf<S>>::type fields_;
};

}  // namespace detail
}  // namespace tessera::ca
