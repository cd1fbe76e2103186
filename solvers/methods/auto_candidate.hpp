// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/linear_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <istream>
#include <limits>
#include <memory>
#include <ostream>
#include <string>

namespace tessera::solvers::methods {

/// A method that may be chosen, and what is known of it.
struct Candidate {
  std::string name;
  core::Dictionary settings;
  std::unique_ptr<LinearSolver> solver = {};  // made when it is tried
  bool usable = true;
  // in the solve that is running
  double spent = 0, decades = 0;
  int iterations = 0;
  // kept: cost of a fall of the residual to a tenth, the fall it was measured on, and cost of an iteration; most
  // iterations of a solve
  double cost = std::numeric_limits<double>::infinity(), fall = 0, cost_of_iteration = 0;
  int most = 0;
  std::string learned = {};  // by its solver, where that is still to be made

  void begin() {
    spent = decades = 0;
    iterations = 0;
  }
  void record(double more_spent, double more_decades, int more_iterations) {
    if (more_iterations == 0) return;
    spent += more_spent;
    decades += std::clamp(more_decades, -16.0, 16.0);
    iterations += more_iterations;
    most = std::max(most, iterations);
    cost_of_iteration = spent / iterations;
    // half a decade at least, or nothing better is known
    if (decades < 0.5 && !std::isinf(cost)) return;
    cost = spent / std::max(decades, 0.01);
    fall = decades;
  }

  /// What is kept, for a run that goes on; what its solver had learned follows, after its length.
  void write(std::ostream& out) const {
    std::string const words = solver ? solver->learned() : learned;
    out << fmt::format("{} {:a} {:a} {:a} {} {} {}\n", name, cost, fall, cost_of_iteration, most, words.size(), words);
  }
  /// False where the text holds something else.
  bool read(std::istream& in) {
    std::array<std::string, 3> numbers;
    std::size_t length = 0;
    std::string found;
    if (!(in >> found >> numbers[0] >> numbers[1] >> numbers[2] >> most >> length) || found != name) return false;
    cost = std::strtod(numbers[0].c_str(), nullptr);
    fall = std::strtod(numbers[1].c_str(), nullptr);
    cost_of_iteration = std::strtod(numbers[2].c_str(), nullptr);
    bool const sane = cost >= 0 && std::isfinite(fall) && std::isfinite(cost_of_iteration) && most >= 0;
    in.get();  // the blank
    // a length beyond the text is damage, not a wish for memory
    if (!sane || static_cast<std::streamsize>(length) < 0 ||
        static_cast<std::streamsize>(length) > in.rdbuf()->in_avail())
      return false;
    learned.resize(length);
    in.read(learned.data(), static_cast<std::streamsize>(length));
    if (solver) solver->learn(learned);
    return in.good();
  }
};

}  // namespace tessera::solvers::methods
