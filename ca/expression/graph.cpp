// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/graph.hpp"

#include <bit>
#include <stdexcept>

namespace tessera::ca::expression {
namespace {

/// The number of an op.
struct Fold {
  double a, b, c;
  double* result;
  template <Op op>
  KOKKOS_FUNCTION void operator()() const {
    *result = apply<op>(a, b, c);
  }
};

}  // namespace

int Graph::add(Node node) {
  int const n = operands(node.op);
  auto const number = [&](int q) {
    return q < n ? nodes_[static_cast<std::size_t>(node.of[static_cast<std::size_t>(q)])] : Node{};
  };
  bool constant = n > 0;
  for (int q = 0; q < n; ++q) constant = constant && number(q).op == Op::constant;
  if (constant) {
    double result = 0;
    with_op(node.op, Fold{number(0).number, number(1).number, number(2).number, &result});
    node = {.op = Op::constant, .number = result};
  }
  Key const key{node.op, node.of, std::bit_cast<std::uint64_t>(node.number), node.which, node.at};
  auto const [known, is_new] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (!is_new) return known->second;
  if (nodes_.size() == most) throw std::length_error("formulas of more than 100000 operations");
  nodes_.push_back(node);
  return known->second;
}

}  // namespace tessera::ca::expression
