// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/expression/graph.hpp"
#include "core/grid/folds.hpp"

#include <span>
#include <vector>

namespace tessera::ca::expression {

/// An instruction: what becomes of register `to`, a number for each cell of a piece of a row.
struct Step {
  Op op;
  int to;
  int a, b, c;    ///< registers
  double number;  ///< as in Node
  int which;
  Offset at;
};

/// Instructions that compute some nodes of a graph, each of their parts once. Registers are used again as soon as nobody needs
/// what is in them.
struct Program {
  std::vector<Step> steps;
  int once = 0;              ///< the first of them: the same for all cells of a generation
  int registers = 0;         ///< how many there are
  std::vector<int> results;  ///< the register of each node that was asked for

  Program() = default;
  /// Throws std::length_error where more than `most_registers` are needed.
  Program(Graph const& graph, std::span<int const> nodes);

  static constexpr int most_registers = 96;
};

/// Runs instructions for `cells` cells, at most `width`; `source.load(step, to, cells)` gives what is taken from cells.
template <int width>
struct Machine {
  double* registers;

  KOKKOS_FUNCTION double* at(int number) const { return registers + number * width; }

  template <class Source>
  KOKKOS_FUNCTION void run(Step const* first, Step const* last, int cells, Source const& source) const {
    for (Step const* step = first; step < last; ++step) {
      double* const to = at(step->to);
      if (operands(step->op) > 0)
        with_op(step->op, Over{at(step->a), at(step->b), at(step->c), to, cells});
      else if (step->op == Op::constant)
        for (int i = 0; i < cells; ++i) to[i] = step->number;
      else
        source.load(*step, to, cells);
    }
  }

 private:
  struct Over {
    double const *a, *b, *c;
    double* to;
    int cells;
    template <Op op>
    KOKKOS_FUNCTION void operator()() const {
      TESSERA_INDEPENDENT
      for (int i = 0; i < cells; ++i) to[i] = apply<op>(a[i], b[i], c[i]);
    }
  };
};

}  // namespace tessera::ca::expression
