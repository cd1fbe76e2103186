// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/expression/graph.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ca::expression {

/// What words of a formula stand for.
struct Vocabulary {
  std::vector<std::string> fields;
  std::map<std::string, double, std::less<>> parameters;
  std::map<std::string, int, std::less<>> names;  ///< nodes that are computed already
  std::vector<Offset> neighbours;
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< of the grid
  int dimensions = 2;                          ///< numbers of an offset
};

/// How far a formula may look.
inline constexpr int farthest_offset = 64;

/// Adds what a formula computes to the graph; returns the node of its result.
///
///   u, u(1, 0)            a field of the cell; of the one to the right (offsets are whole numbers)
///   sum(E) mean(E) smallest(E) largest(E)     over the neighbours, in whose place a field's name in E is the neighbour's; centre(u) is
///   count(E)                                  the cell's own there; count: for how many E is true
///   uniform() uniform(k)  the cell's draws in [0, 1)
///   common() common(k)    draws that all cells share
///   x y z, nx ny nz, step, pi                 position in the grid, its cells, the generation
///   + - * / ^ %   < <= > >= == !=   && || !   a ? b : c
///   abs floor ceil round sqrt exp log sin cos tanh, min max of two or more
/// a % b has the sign of b; round goes up from a half; both sides of && || ? : are computed. All in double.
///
/// Throws std::invalid_argument, `column N: found WHAT, expected WHAT`, for what is no formula.
int read_formula(std::string_view text, Vocabulary const& words, Graph& graph);

/// Whether a word means something in every formula, and may be no name of a field or parameter.
bool is_reserved(std::string_view word);
/// Whether it is made of letters, digits and _, the first no digit.
bool is_name(std::string_view word);

}  // namespace tessera::ca::expression
