// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/study/summary.hpp"

namespace tessera::run {

/// What a study found, and where.
struct StudyResult {
  std::string name;     ///< of the case
  std::string host;     ///< host, processor, cores
  std::string program;  ///< version, commit, backend
  int cores = 0;        ///< that the runs may use
  std::vector<Summary> points;
  std::vector<std::pair<double, double>> emulated;  ///< speed that a rank was to have, and had
};

/// What a reader must know to judge the times, a sentence each.
std::vector<std::string> remarks(Design const& design, StudyResult const& result);

/// Whether the tables of a study have a column of this name, which no axis may then have.
bool is_own_column(std::string_view name);

/// The points as a table: names of the columns, then a row a point. Columns without a value in any row are left out.
std::vector<std::vector<std::string>> table(Design const& design, StudyResult const& result);

std::string markdown(Design const& design, StudyResult const& result);
/// One page of HTML with plots that needs no other file: speed-up and efficiency, seconds by part, iterations, and the ranks of
/// the largest run.
std::string page(Design const& design, StudyResult const& result);

}  // namespace tessera::run
