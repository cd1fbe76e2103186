// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the state of a cell is made of: one value, or a struct of named fields, each of which is a core::Field of its own.
#include "core/grid/field.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::ca {

/// State of a cell unless a rule says `using State = double;` or has a struct State: 0 .. 255.
using State = std::uint8_t;

/// Names of fields, or of quantities.
template <int N>
struct Names {
  char const* of[N];
  static constexpr int size = N;
};
template <class... Text>
constexpr Names<static_cast<int>(sizeof...(Text))> names(Text... text) {
  return {{text...}};
}

/// A state of several fields, which says their names in the order of its members:
///   struct State { double u, v; static constexpr auto fields = ca::names("u", "v"); };
/// Members are of the types that fields have: uint8, int32, int64, float, double; up to 12 of them.
template <class S>
concept OfFields = std::is_class_v<S> && requires {
  S::fields.size;
};

namespace detail {

/// Calls f(member, member, ...) with the members of a state.
template <class S, class F>
KOKKOS_INLINE_FUNCTION decltype(auto) with_members(S& s, F const& f) {
  constexpr int n = S::fields.size;
  static_assert(n >= 1 && n <= 12, "a state has 1 .. 12 fields");
  if constexpr (n == 1) {
    auto& [a] = s;
    return f(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = s;
    return f(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = s;
    return f(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = s;
    return f(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = s;
    return f(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, g] = s;
    return f(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, g, h] = s;
    return f(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, g, h, i] = s;
    return f(a, b, c, d, e, g, h, i);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = s;
    return f(a, b, c, d, e, g, h, i, j);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = s;
    return f(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = s;
    return f(a, b, c, d, e, g, h, i, j, k, l);
  } else {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = s;
    return f(a, b, c, d, e, g, h, i, j, k, l, m);
  }
}

struct TypesOf {
  template <class... T>
  std::tuple<std::remove_const_t<T>...> operator()(T&...) const;
};
template <class S>
struct Members {
  using types = std::tuple<S>;
};
template <OfFields S>
struct Members<S> {
  using types = decltype(with_members(std::declval<S&>(), TypesOf()));
};
/// The types of a state's fields, as a tuple.
template <class S>
using MembersOf = typename Members<S>::types;
template <class S>
inline constexpr int members_of = static_cast<int>(std::tuple_size_v<MembersOf<S>>);

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

/// The q-th member of a state of fields.
template <int q>
struct Nth {
  template <class First, class... Rest>
  KOKKOS_FUNCTION auto& operator()(First& first, Rest&... rest) const {
    if constexpr (q == 0)
      return first;
    else
      return Nth<q - 1>()(rest...);
  }
};
template <std::size_t q, class S>
KOKKOS_FUNCTION auto& member(S& s) {
  return with_members(s, Nth<static_cast<int>(q)>());
}
template <std::size_t q, class S>
using MemberOf = std::tuple_element_t<q, MembersOf<S>>;
template <class S>
using Sequence = std::make_index_sequence<static_cast<std::size_t>(members_of<S>)>;

/// A row of cells of several fields, used as the pointer to a row of one: row[i], row + i.
template <class S, bool writes>
struct FieldsRow {
  using Pointer = std::conditional_t<writes, void*, void const*>;
  Pointer at[members_of<S>];

  KOKKOS_FUNCTION S operator[](core::Count i) const { return at_cell(i, Sequence<S>()); }
  KOKKOS_FUNCTION S operator*() const { return (*this)[0]; }
  KOKKOS_FUNCTION FieldsRow operator+(core::Count i) const { return shifted(i, Sequence<S>()); }

 private:
  template <std::size_t... q>
  KOKKOS_FUNCTION S at_cell(core::Count i, std::index_sequence<q...>) const {
    S s;
    ((member<q>(s) = static_cast<MemberOf<q, S> const*>(at[q])[i]), ...);
    return s;
  }
  template <std::size_t... q>
  KOKKOS_FUNCTION FieldsRow shifted(core::Count i, std::index_sequence<q...>) const {
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

  KOKKOS_FUNCTION FieldsRow<S, writes> row(int slot, int k, int j) const { return row(slot, k, j, Sequence<S>()); }
  operator FieldsView<S, false>() const requires writes {
    FieldsView<S, false> view;
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
  KOKKOS_FUNCTION FieldsRow<S, writes> row(int slot, int k, int j, std::index_sequence<q...>) const {
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
KOKKOS_FUNCTION Strides<std::remove_const_t<T>> strides_of(core::FieldView<T> const& view) {
  return {view.row_stride, view.layer_stride};
}
template <class S, bool writes>
KOKKOS_FUNCTION Strides<S> strides_of(FieldsView<S, writes> const& view) {
  Strides<S> strides;
  for (int q = 0; q < members_of<S>; ++q) {
    strides.row[q] = view.stride[q];
    strides.layer[q] = view.layer[q];
  }
  return strides;
}

/// The state so many cells, rows and layers away.
template <class S>
KOKKOS_FUNCTION S state_at(S const* row, Strides<S> const& strides, int i, int j, int k) {
  return row[k * strides.layer + j * strides.row + i];
}
template <class S, std::size_t... q>
KOKKOS_FUNCTION S fields_at(FieldsRow<S, false> const& row, Strides<S> const& strides, int i, int j, int k,
                            std::index_sequence<q...>) {
  S s;
  ((member<q>(s) = static_cast<MemberOf<q, S> const*>(row.at[q])[k * strides.layer[q] + j * strides.row[q] + i]), ...);
  return s;
}
template <class S>
KOKKOS_FUNCTION S state_at(FieldsRow<S, false> const& row, Strides<S> const& strides, int i, int j, int k) {
  return fields_at(row, strides, i, j, k, Sequence<S>());
}

/// Sets the state of a cell of a row.
template <class S>
KOKKOS_FUNCTION void put(S* row, core::Count i, S const& state) {
  row[i] = state;
}
template <class S, std::size_t... q>
KOKKOS_FUNCTION void put_fields(FieldsRow<S, true> const& row, core::Count i, S const& state,
                                std::index_sequence<q...>) {
  ((static_cast<MemberOf<q, S>*>(row.at[q])[i] = member<q>(state)), ...);
}
template <class S>
KOKKOS_FUNCTION void put(FieldsRow<S, true> const& row, core::Count i, S const& state) {
  put_fields(row, i, state, Sequence<S>());
}

template <class S, std::size_t... q>
KOKKOS_FUNCTION bool fields_differ(S const& a, S const& b, std::index_sequence<q...>) {
  return ((member<q>(a) != member<q>(b)) || ...);
}
template <class S>
KOKKOS_FUNCTION bool differ(S const& a, S const& b) {
  if constexpr (OfFields<S>)
    return fields_differ(a, b, Sequence<S>());
  else
    return a != b;
}

/// The fields of an automaton's states on a layout.
template <class S>
class StateFields {
 public:
  static constexpr int count = members_of<S>;

  StateFields(core::Layout const& layout, int halo, char const* prefix = "")
      : fields_(make(layout, halo, prefix, std::make_index_sequence<count>())) {}

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
  core::FieldBase& first() { return std::get<0>(fields_); }
  std::vector<core::FieldBase*> list() {
    std::vector<core::FieldBase*> all;
    each([&](int, core::FieldBase& field) { all.push_back(&field); });
    return all;
  }

 private:
  template <std::size_t... q>
  static auto make(core::Layout const& layout, int halo, std::string const& prefix, std::index_sequence<q...>) {
    auto const info = [&](std::size_t n) {
      std::string name = "state", what = "state of the cells";
      if constexpr (OfFields<S>) {
        name = S::fields.of[n];
        what = name + " of the cells";
      }
      return core::FieldInfo{.name = prefix + name, .description = what, .units = "1", .restart = prefix.empty()};
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
