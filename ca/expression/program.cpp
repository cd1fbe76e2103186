// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/program.hpp"

#include <stdexcept>

namespace tessera::ca::expression {

Program::Program(Graph const& graph, std::span<int const> nodes) {
  auto const& all = graph.nodes();
  auto const at = [](int n) { return static_cast<std::size_t>(n); };
  // by node: the last one that needs it; the end for those asked for
  std::vector<int> needed(all.size(), -1);
  int const end = static_cast<int>(all.size());
  for (int const node : nodes) needed[at(node)] = end;
  for (int n = end - 1; n >= 0; --n)
    if (needed[at(n)] >= 0)
      for (int q = 0; q < operands(all[at(n)].op); ++q) {
        auto& last = needed[at(all[at(n)].of[at(q)])];
        if (last < n) last = n;
      }

  std::vector<int> place(all.size(), -1), free;
  auto const take = [&] {
    if (!free.empty()) {
      int const number = free.back();
      free.pop_back();
      return number;
    }
    return registers++;
  };
  auto const add = [&](int n) {
    Node const& node = all[at(n)];
    auto const of = [&](int q) { return q < operands(node.op) ? place[at(node.of[at(q)])] : 0; };
    steps.push_back({node.op, place[at(n)], of(0), of(1), of(2), node.number, node.which, node.at});
  };
  auto const same_for_all = [&](int n) {
    auto const op = all[at(n)].op;
    return op == Op::constant || op == Op::step || op == Op::common;
  };
  for (int n = 0; n < end; ++n)
    if (needed[at(n)] >= 0 && same_for_all(n)) {
      place[at(n)] = take();
      add(n);
    }
  once = static_cast<int>(steps.size());
  for (int n = 0; n < end; ++n) {
    if (needed[at(n)] < 0 || same_for_all(n)) continue;
    // what nobody needs any more gives its register to the result
    Node const& node = all[at(n)];
    for (int q = 0; q < operands(node.op); ++q) {
      int const of = node.of[at(q)];
      bool const before = (q > 0 && node.of[0] == of) || (q > 1 && node.of[1] == of);
      if (needed[at(of)] == n && !same_for_all(of) && !before) free.push_back(place[at(of)]);
    }
    place[at(n)] = take();
    add(n);
  }
  if (registers > most_registers) throw std::length_error("more than 96 numbers a cell that are needed at once");
  for (int const node : nodes) results.push_back(place[at(node)]);
}

}  // namespace tessera::ca::expression
