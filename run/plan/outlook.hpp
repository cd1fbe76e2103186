// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "run/plan/samples.hpp"

namespace tessera::run {

/// What a plan found, as tables, a report and a page.
struct Outlook {
  std::string case_name, machine;
  int capacity = 0;  ///< ranks of the machine
  Sampled sampled;
  std::vector<Prediction> all;  ///< by ranks
  double deadline = 0;          ///< [s]; 0: none
  int by_tiles = 0;             ///< most ranks over which the case's tiles were shared; beyond, equal blocks
  // judge
  std::size_t fastest = 0;         ///< the limit of strong scaling
  std::vector<std::size_t> front;  ///< of time and node-hours
  std::size_t best = 0;            ///< of these that with the least time times node-hours
};

/// Finds the rows that stand out.
void judge(Outlook& outlook);
std::vector<std::string> lines(Outlook const& outlook);
core::Report::Json json(Outlook const& outlook);
std::string page(Outlook const& outlook);

}  // namespace tessera::run
