// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/state.hpp"
#include "core/grid/index.hpp"
#include "core/grid/stencil.hpp"
#include "core/random.hpp"

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tessera::ca {

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

/// What is the same for all cells of a generation.
struct Scene {
  std::int64_t step = 0;
  int phase = 0;
  std::uint64_t seed = 1;
  core::Index cells = {};

  /// Near::uniform of a cell.
  KOKKOS_FUNCTION double draw(core::Index cell, int k) const {
    return draw(static_cast<std::uint64_t>((cell.k * cells.j + cell.j) * cells.i + cell.i), k);
  }
  /// Near::common.
  KOKKOS_FUNCTION double draw(int k) const { return draw(~std::uint64_t{0}, k); }

 private:
  KOKKOS_FUNCTION double draw(std::uint64_t n, int k) const {
    auto const s = static_cast<std::uint64_t>(step);
    auto const low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    auto const last = 1u << 31 | static_cast<std::uint32_t>(phase) << 24 | static_cast<std::uint32_t>(k / 4) << 16 |
                      low(s >> 32 & 0xffff);
    auto const block = core::Random::philox({{low(n), low(n >> 32), low(s), last}}, low(seed), low(seed >> 32));
    return block.x[k % 4] * 0x1.0p-32;
  }
};
}  // namespace detail

/// Type of a rule's states: its `State`, or one byte.
template <class R>
using StateOf = typename detail::StateTrait<R>::type;

/// Whether a rule draws random numbers, which it says by `static constexpr bool random = true;`: then the case has a `seed`.
template <class R>
constexpr bool draws() {
  return requires { requires R::random; };
}

/// Whether a phase is taken again and again within a generation, until it leaves all cells as they are: it says so by
/// `static constexpr bool until_still = true;`.
template <class R>
constexpr bool until_still() {
  return requires { requires R::until_still; };
}

/// What a rule sees round a cell: the states at the start of the step, or of the phase. Valid offsets are those of
/// `R::stencil`, and (0, 0, 0); a read outside the stencil may find a stale halo.
template <class R>
class Near {
 public:
  using Value = StateOf<R>;
  using Cells = Value;  ///< what a rule gives back for what it sees
  using Row = detail::RowOf<Value>;
  /// `scene` must outlive it.
  KOKKOS_FUNCTION Near(Row centre, detail::Strides<Value> const& strides, core::Index cell, detail::Scene const& scene)
      : centre_(centre),
        strides_(strides),
        cell_(cell),
        scene_(&scene) {}

  /// State of the cell di to the right, dj above, dk in front.
  KOKKOS_FUNCTION Value operator()(int di, int dj = 0, int dk = 0) const {
    return detail::state_at(centre_, strides_, di, dj, dk);
  }

  /// Field q alone of that cell, in the order of the names: of a state of many fields the others need not be read.
  template <std::size_t q>
  KOKKOS_FORCEINLINE_FUNCTION auto get(int di, int dj = 0, int dk = 0) const {
    static_assert(OfFields<Value>, "of a state of several fields");
    return detail::field_at<q>(centre_, strides_, di, dj, dk);
  }

  /// Whether the rule's sparse field, of bytes, is 0 in the cell and in all cells of the stencil. A rule may then leave out what would
  /// change nothing: where it computes several cells at once (several_cells.hpp), the answer is one for all of them.
  KOKKOS_FORCEINLINE_FUNCTION bool none() const {
    return none(std::make_index_sequence<static_cast<std::size_t>(decltype(R::stencil)::size())>());
  }

  /// Number of cells of the stencil (the centre left out) that are in the state. Of bytes the count is one, so that
  /// rules on bytes keep 64 cells in a vector.
  KOKKOS_FUNCTION int count(Value state) const {
    return count(state, std::make_index_sequence<static_cast<std::size_t>(decltype(R::stencil)::size())>());
  }

  KOKKOS_FUNCTION core::Index position() const { return cell_; }       ///< of the cell in the grid, from (0, 0, 0)
  KOKKOS_FUNCTION core::Index cell() const { return cell_; }           ///< the same
  KOKKOS_FUNCTION core::Index cells() const { return scene_->cells; }  ///< of the grid, along x, y, z
  KOKKOS_FUNCTION std::int64_t step() const { return scene_->step; }   ///< generation of the states read
  KOKKOS_FUNCTION int phase() const { return scene_->phase; }          ///< of the generation: 0, 1 ...

  /// The cell's k-th random number of this step and phase, k = 0 .. 1023: uniform in [0, 1), a multiple of 2^-32. It depends on
  /// the case's seed, the step, the phase, the cell's number in the grid and k alone. Four are drawn at once: k, k + 1, k + 2,
  /// k + 3 from a multiple of 4 on cost little more than one.
  ///
  /// Philox4x32-10 of the counter (cell, cell >> 32, step, 2^31 + phase 2^24 + (k / 4) 2^16 + step >> 32) under the seed; word
  /// k % 4 of it. Starts (core::Random) have counters below 2^31 there.
  KOKKOS_FUNCTION double uniform(int k = 0) const {
    static_assert(draws<R>(), "a rule that draws random numbers says so: static constexpr bool random = true;");
    return scene_->draw(cell_, k);
  }
  /// The k-th random number that all cells share in this step and phase: that of a cell with the number 2^64 - 1. It picks one cell
  /// of the grid, for example.
  KOKKOS_FUNCTION double common(int k = 0) const {
    static_assert(draws<R>(), "a rule that draws random numbers says so: static constexpr bool random = true;");
    return scene_->draw(k);
  }

 private:
  template <std::size_t... q>
  KOKKOS_FORCEINLINE_FUNCTION bool none(std::index_sequence<q...>) const {
    constexpr auto stencil = R::stencil;
    constexpr std::size_t sparse = R::sparse;
    return ((get<sparse>(0) == 0) && ... &&
            (get<sparse>(stencil.offsets[q].i, stencil.offsets[q].j, stencil.offsets[q].k) == 0));
  }
  template <std::size_t... q>
  KOKKOS_FUNCTION int count(Value state, std::index_sequence<q...>) const {
    constexpr auto stencil = R::stencil;
    using Small = std::conditional_t<sizeof(Value) == 1 && (sizeof...(q) < 256), std::uint8_t, int>;
    // added up in int: of 12, 16, 20 or 24 comparisons added up in bytes g++ 12 makes their negative
    int n = 0;
    ((n += (*this)(stencil.offsets[q].i, stencil.offsets[q].j, stencil.offsets[q].k) == state), ...);
    return static_cast<Small>(n);
  }

  Row centre_;
  detail::Strides<Value> strides_;
  core::Index cell_;
  detail::Scene const* scene_;
};

/// A rule: what happens in one cell. A copyable functor with a constant `stencil` (of core/grid/stencil.hpp) that gives the
/// next state of a cell from its state and its neighbours; it runs on the device, so it holds plain values only.
template <class R>
concept Rule = std::copy_constructible<R> && requires(R const rule, StateOf<R> const centre, Near<R> const near) {
  R::stencil.size();
  { rule(centre, near) } -> std::convertible_to<StateOf<R>>;
};

}  // namespace tessera::ca
