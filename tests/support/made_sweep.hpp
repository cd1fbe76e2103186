// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "run/sweep/expression.hpp"
#include "run/sweep/rounds.hpp"

#include <functional>
#include <map>

namespace tessera::run {

inline core::Dictionary parsed(std::string const& text) { return core::Dictionary::parse(text, "sweepDict"); }

/// A sweep whose tasks are a function of the point.
struct Made {
  core::Dictionary dictionary;
  Axes axes;
  Rounds rounds;
  Results results;
  std::int64_t tasks = 0;

  explicit Made(std::string const& text) : dictionary(parsed(text)), axes(dictionary, "."), rounds(dictionary, axes) {}
  void run(std::function<core::Report::Json(std::map<std::string, double> const&)> const& f) {
    for (auto points = rounds.next(results); !points.empty(); points = rounds.next(results))
      for (Point const& point : points) {
        results.ask(point);
        std::map<std::string, double> values;
        for (std::size_t n = 0; n < point.size(); ++n) values[axes.at(n).name] = number_in(point[n]);
        Row row;
        row.found = f(values);
        row.seconds = 1;
        results.add(point, row);
        ++tasks;
      }
  }
};

/// What is wrong with a sweepDict.
inline std::string refused(std::string const& text) {
  try {
    Made const made(text);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tessera::run
