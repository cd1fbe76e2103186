// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"
#include "core/grid/stencil.hpp"

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tessera::ca {

/// State of a cell unless a rule says `using State = double;`: 0 .. 255.
using State = std::uint8_t;

namespace detail {
template <class R>
struct StateTrait {
  using type = State;
};
template <class R>
requires requires { typename R::State; }
struct StateTrait<R> {
  using type = typename R::State;
};
}  // namespace detail

/// Type of a rule's states: its `State`, or one byte.
template <class R>
using StateOf = typename detail::StateTrait<R>::type;

/// What a rule sees round a cell: the states at the start of the step. Valid offsets are those of `R::stencil`, and
/// (0, 0, 0); a read outside the stencil may find a stale halo.
template <class R>
class Near {
 public:
  using Value = StateOf<R>;
  KOKKOS_FUNCTION Near(Value const* centre, core::Count row, core::Count layer, core::Index cell, std::int64_t step)
      : centre_(centre),
        row_(row),
        layer_(layer),
        cell_(cell),
        step_(step) {}

  /// State of the cell di to the right, dj above, dk in front.
  KOKKOS_FUNCTION Value operator()(int di, int dj = 0, int dk = 0) const {
    return centre_[dk * layer_ + dj * row_ + di];
  }

  /// Number of cells of the stencil (the centre left out) that are in the state. Counts in the width of a byte, so that
  /// rules on bytes keep 64 cells in a vector.
  KOKKOS_FUNCTION int count(Value state) const {
    return count(state, std::make_index_sequence<static_cast<std::size_t>(decltype(R::stencil)::size())>());
  }

  KOKKOS_FUNCTION core::Index cell() const { return cell_; }   ///< position in the grid
  KOKKOS_FUNCTION std::int64_t step() const { return step_; }  ///< generation of the states read

 private:
  template <std::size_t... q>
  KOKKOS_FUNCTION int count(Value state, std::index_sequence<q...>) const {
    constexpr auto stencil = R::stencil;
    using Small = std::conditional_t<sizeof(Value) == 1 && (sizeof...(q) < 256), std::uint8_t, int>;
    Small n = 0;
    ((n = static_cast<Small>(n + ((*this)(stencil.offsets[q].i, stencil.offsets[q].j, stencil.offsets[q].k) == state))),
     ...);
    return n;
  }

  Value const* centre_;
  core::Count row_, layer_;
  core::Index cell_;
  std::int64_t step_;
};

/// A rule: what happens in one cell. A copyable functor with a constant `stencil` (of core/grid/stencil.hpp) that gives the
/// next state of a cell from its state and its neighbours; it runs on the device, so it holds plain values only.
template <class R>
concept Rule = std::copy_constructible<R> && requires(R const rule, StateOf<R> const centre, Near<R> const near) {
  R::stencil.size();
  { rule(centre, near) } -> std::convertible_to<StateOf<R>>;
};

}  // namespace tessera::ca
