// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Kokkos_Macros.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace tessera::ca::expression {

/// What is taken from a cell, or computed of one, two or three numbers. Truth is a number: 0 is false, anything else true; what
/// compares gives 0 or 1.
enum class Op : std::uint8_t {
  constant,
  value,
  uniform,
  common,
  position,
  step,  // of the cell
  negate,
  opposite,
  magnitude,
  floor,
  ceil,
  round,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tanh,  // of a
  add,
  subtract,
  multiply,
  divide,
  modulo,
  power,
  less,
  at_most,
  equal,
  unequal,
  both,
  either,
  minimum,
  maximum,  // a, b
  select    // a ? b : c
};
constexpr int operands(Op op) { return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::select ? 2 : 3; }

template <Op op>
KOKKOS_INLINE_FUNCTION double apply(double a, [[maybe_unused]] double b, [[maybe_unused]] double c) {
  if constexpr (op == Op::negate) return -a;
  if constexpr (op == Op::opposite) return a == 0 ? 1.0 : 0.0;
  if constexpr (op == Op::magnitude) return std::fabs(a);
  if constexpr (op == Op::floor) return std::floor(a);
  if constexpr (op == Op::ceil) return std::ceil(a);
  if constexpr (op == Op::round) return std::floor(a + 0.5);
  if constexpr (op == Op::sqrt) return std::sqrt(a);
  if constexpr (op == Op::exp) return std::exp(a);
  if constexpr (op == Op::log) return std::log(a);
  if constexpr (op == Op::sin) return std::sin(a);
  if constexpr (op == Op::cos) return std::cos(a);
  if constexpr (op == Op::tanh) return std::tanh(a);
  if constexpr (op == Op::add) return a + b;
  if constexpr (op == Op::subtract) return a - b;
  if constexpr (op == Op::multiply) return a * b;
  if constexpr (op == Op::divide) return a / b;
  if constexpr (op == Op::modulo) return a - b * std::floor(a / b);
  if constexpr (op == Op::power) return std::pow(a, b);
  if constexpr (op == Op::less) return a < b ? 1.0 : 0.0;
  if constexpr (op == Op::at_most) return a <= b ? 1.0 : 0.0;
  if constexpr (op == Op::equal) return a == b ? 1.0 : 0.0;
  if constexpr (op == Op::unequal) return a != b ? 1.0 : 0.0;
  if constexpr (op == Op::both) return (a != 0) & (b != 0) ? 1.0 : 0.0;
  if constexpr (op == Op::either) return (a != 0) | (b != 0) ? 1.0 : 0.0;
  if constexpr (op == Op::minimum) return a < b ? a : b;
  if constexpr (op == Op::maximum) return a > b ? a : b;
  if constexpr (op == Op::select) return a != 0 ? b : c;
  return a;
}

/// Calls f.template operator()<op>() for an op that computes.
template <class F>
KOKKOS_INLINE_FUNCTION void with_op(Op op, F const& f) {
  switch (op) {
  case Op::negate:
    return f.template operator()<Op::negate>();
  case Op::opposite:
    return f.template operator()<Op::opposite>();
  case Op::magnitude:
    return f.template operator()<Op::magnitude>();
  case Op::floor:
    return f.template operator()<Op::floor>();
  case Op::ceil:
    return f.template operator()<Op::ceil>();
  case Op::round:
    return f.template operator()<Op::round>();
  case Op::sqrt:
    return f.template operator()<Op::sqrt>();
  case Op::exp:
    return f.template operator()<Op::exp>();
  case Op::log:
    return f.template operator()<Op::log>();
  case Op::sin:
    return f.template operator()<Op::sin>();
  case Op::cos:
    return f.template operator()<Op::cos>();
  case Op::tanh:
    return f.template operator()<Op::tanh>();
  case Op::add:
    return f.template operator()<Op::add>();
  case Op::subtract:
    return f.template operator()<Op::subtract>();
  case Op::multiply:
    return f.template operator()<Op::multiply>();
  case Op::divide:
    return f.template operator()<Op::divide>();
  case Op::modulo:
    return f.template operator()<Op::modulo>();
  case Op::power:
    return f.template operator()<Op::power>();
  case Op::less:
    return f.template operator()<Op::less>();
  case Op::at_most:
    return f.template operator()<Op::at_most>();
  case Op::equal:
    return f.template operator()<Op::equal>();
  case Op::unequal:
    return f.template operator()<Op::unequal>();
  case Op::both:
    return f.template operator()<Op::both>();
  case Op::either:
    return f.template operator()<Op::either>();
  case Op::minimum:
    return f.template operator()<Op::minimum>();
  case Op::maximum:
    return f.template operator()<Op::maximum>();
  case Op::select:
    return f.template operator()<Op::select>();
  default:
    return;
  }
}

/// Where a cell lies, seen from another: cells to the right, rows up, layers in front.
using Offset = std::array<int, 3>;

/// One number of a cell, and of which others it is computed.
struct Node {
  Op op = Op::constant;
  std::array<int, 3> of{-1, -1, -1};  ///< nodes
  double number = 0;                  ///< of a constant
  int which = 0;                      ///< field of a value, number of a draw, axis of a position
  Offset at{};                        ///< of a value
};

/// The numbers that some formulas need, each once: what two of them have in common is computed once. A node comes behind all
/// that it is computed of. What depends on nothing but constants is one.
class Graph {
 public:
  /// The node's number. Throws std::length_error beyond `most` nodes.
  int add(Node node);
  int constant(double number) { return add({.op = Op::constant, .number = number}); }
  int compute(Op op, int a, int b = -1, int c = -1) { return add({.op = op, .of = {a, b, c}}); }
  std::vector<Node> const& nodes() const { return nodes_; }

  static constexpr std::size_t most = 100000;

 private:
  using Key = std::tuple<Op, std::array<int, 3>, std::uint64_t, int, Offset>;
  std::vector<Node> nodes_;
  std::map<Key, int> known_;
};

}  // namespace tessera::ca::expression
