// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/near.hpp"
#include "ca/expression/description.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <limits>

namespace tessera::ca::expression {
namespace detail {

/// Where the values of a field of any type lie.
struct AnyView {
  core::Element element = core::Element::uint8;
  void* first = nullptr;
  core::Count tile = 0, layer = 0, row = 0;

  template <class T>
  static AnyView of(core::FieldView<T> const& view) {
    using Value = std::remove_const_t<T>;
    return {core::element_of<Value>(), const_cast<Value*>(view.first), view.tile_stride, view.layer_stride,
            view.row_stride};
  }
  template <class T>
  KOKKOS_FUNCTION T* at(int slot, int k, int j, int i) const {
    return static_cast<T*>(first) + slot * tile + k * layer + j * row + i;
  }
};
using Views = std::array<AnyView, Description::most_fields>;

/// What the instructions of a piece of a row take from its cells.
struct RowSource {
  AnyView const* fields;
  ca::detail::Scene const* scene;
  int slot, k, j, i;
  core::Index cell;  ///< the first one's place in the grid

  KOKKOS_FUNCTION void load(Step const& step, double* to, int cells) const {
    if (step.op == Op::value)
      load_values(step, to, cells);
    else if (step.op == Op::uniform)
      for (int n = 0; n < cells; ++n) to[n] = scene->draw({cell.i + n, cell.j, cell.k}, step.which);
    else if (step.op == Op::common)
      fill(to, cells, scene->draw(step.which));
    else if (step.op == Op::position)
      for (int n = 0; n < cells; ++n)
        to[n] = static_cast<double>(step.which == 0 ? cell.i + n : step.which == 1 ? cell.j : cell.k);
    else
      fill(to, cells, static_cast<double>(scene->step));
  }

 private:
  KOKKOS_FUNCTION static void fill(double* to, int cells, double value) {
    for (int n = 0; n < cells; ++n) to[n] = value;
  }
  KOKKOS_FUNCTION void load_values(Step const& step, double* to, int cells) const {
    switch (fields[step.which].element) {
    case core::Element::uint8:
      return convert<std::uint8_t>(step, to, cells);
    case core::Element::int32:
      return convert<std::int32_t>(step, to, cells);
    case core::Element::float32:
      return convert<float>(step, to, cells);
    default:
      return convert<double>(step, to, cells);
    }
  }
  template <class T>
  KOKKOS_FUNCTION void convert(Step const& step, double* to, int cells) const {
    T const* const from = fields[step.which].at<T>(slot, k + step.at[2], j + step.at[1], i + step.at[0]);
    TESSERA_INDEPENDENT
    for (int n = 0; n < cells; ++n) to[n] = static_cast<double>(from[n]);
  }
};

/// A result that a field of whole numbers cannot hold: that of the first cell of the grid among those that a tile found.
struct Wrong {
  core::Count cell = std::numeric_limits<core::Count>::max();
  int formula = 0;
  double value = 0;
  int taken = 0;  ///< by a thread that sets it
  /// Takes the place of a later cell. Threads of a device work on the cells of one tile.
  KOKKOS_FUNCTION static void first(Wrong volatile& of_tile, core::Count cell, int formula, double value) {
    int* const taken = const_cast<int*>(&of_tile.taken);
    // threads of one warp may not wait for each other inside of a loop that only one of them leaves
    for (bool done = false; !done && cell < of_tile.cell;) {
      if (Kokkos::atomic_compare_exchange(taken, 0, 1) != 0) continue;
      Kokkos::memory_fence();
      if (cell < of_tile.cell) {
        of_tile.cell = cell;
        of_tile.formula = formula;
        of_tile.value = value;
      }
      Kokkos::memory_fence();
      Kokkos::atomic_exchange(taken, 0);
      done = true;
    }
  }
};

/// A field that a phase sets.
struct Target {
  AnyView from, to;
  int result;  ///< register
  double least, most;
  bool whole;
};

/// The next values of a tile's fields, and how many of its cells change.
struct StepTile {
  Views fields;
  std::array<Target, Description::most_fields> targets;
  int count;  ///< of targets
  Step const* steps;
  int once, end;
  core::TileInfo const* info;
  ca::detail::Scene scene;
  std::int64_t* changed;  ///< by slot, added to
  Wrong* wrong;           ///< by slot

  KOKKOS_FUNCTION void operator()(int slot) const {
    constexpr int width = 128;
    double registers[Program::most_registers * width];
    core::TileInfo const tile = info[slot];
    Machine<width>{registers}.run(steps, steps + once, width, source(tile, slot, 0, 0, 0));
    std::int64_t n = 0;
    for (int k = 0; k < tile.nk; ++k)
      for (int j = 0; j < tile.nj; ++j)
        for (int i = 0; i < tile.ni; i += width)
          n += piece<width>(registers, tile, slot, k, j, i, tile.ni - i < width ? tile.ni - i : width);
    changed[slot] += n;
  }

  KOKKOS_FUNCTION RowSource source(core::TileInfo const& tile, int slot, int k, int j, int i) const {
    return {fields.data(), &scene, slot, k, j, i, tile.global(k, j, i)};
  }
  /// Returns how many of the cells change.
  template <int width>
  KOKKOS_FUNCTION int piece(double* registers, core::TileInfo const& tile, int slot, int k, int j, int i,
                            int cells) const {
    Machine<width> const machine{registers};
    machine.run(steps + once, steps + end, cells, source(tile, slot, k, j, i));
    std::uint8_t different[width] = {};
    for (int q = 0; q < count; ++q) {
      Target const& target = targets[static_cast<std::size_t>(q)];
      double const* const result = machine.at(target.result);
      bool fits = true;
      switch (target.from.element) {
      case core::Element::uint8:
        fits = put<std::uint8_t>(target, result, different, slot, k, j, i, cells);
        break;
      case core::Element::int32:
        fits = put<std::int32_t>(target, result, different, slot, k, j, i, cells);
        break;
      case core::Element::float32:
        put<float>(target, result, different, slot, k, j, i, cells);
        break;
      default:
        put<double>(target, result, different, slot, k, j, i, cells);
      }
      if (!fits) find_wrong(target, q, result, tile, slot, k, j, i, cells);
    }
    int n = 0;
    for (int c = 0; c < cells; ++c) n += different[c];
    return n;
  }

 private:
  template <class T>
  KOKKOS_FUNCTION bool put(Target const& target, double const* result, std::uint8_t* different, int slot, int k, int j,
                           int i, int cells) const {
    T const* const old = target.from.at<T>(slot, k, j, i);
    T* const fresh = target.to.at<T>(slot, k, j, i);
    int misfits = 0;
    TESSERA_INDEPENDENT
    for (int c = 0; c < cells; ++c) {
      double value = result[c];
      if constexpr (std::is_integral_v<T>) {
        bool const fits = (value >= target.least) & (value <= target.most);
        value = fits ? value : 0.0;
        misfits += !fits | (static_cast<double>(static_cast<T>(value)) != value);
      }
      T const next = static_cast<T>(value);
      different[c] |= static_cast<std::uint8_t>(ca::detail::values_differ(next, old[c]));
      fresh[c] = next;
    }
    return misfits == 0;
  }
  /// Once in a run, which ends by it.
  KOKKOS_FUNCTION void find_wrong(Target const& target, int formula, double const* result, core::TileInfo const& tile,
                                  int slot, int k, int j, int i, int cells) const {
    for (int c = 0; c < cells; ++c) {
      double const value = result[c];
      if (value >= target.least && value <= target.most && std::floor(value) == value) continue;
      auto const at = tile.global(k, j, i + c);
      core::Count const cell = (at.k * scene.cells.j + at.j) * scene.cells.i + at.i;
      Wrong::first(wrong[slot], cell, formula, value);
      return;
    }
  }
};

/// The same cell by cell, for devices. Returns whether it changes.
struct StepCell {
  StepTile tile;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    double registers[Program::most_registers];
    core::TileInfo const info = tile.info[slot];
    Machine<1>{registers}.run(tile.steps, tile.steps + tile.once, 1, tile.source(info, slot, k, j, i));
    return tile.piece<1>(registers, info, slot, k, j, i, 1) > 0;
  }
};

/// A program where kernels find it.
class OnDevice {
 public:
  OnDevice() = default;
  explicit OnDevice(Program const& program)
      : once(program.once),
        end(static_cast<int>(program.steps.size())),
        steps_("formulas", program.steps.size()) {
    auto const host = Kokkos::create_mirror_view(steps_);
    std::copy(program.steps.begin(), program.steps.end(), host.data());
    Kokkos::deep_copy(steps_, host);
  }
  Step const* steps() const { return steps_.data(); }
  int once = 0, end = 0;

 private:
  Kokkos::View<Step*> steps_;
};

}  // namespace detail

}  // namespace tessera::ca::expression
