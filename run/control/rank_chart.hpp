// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "io/pictures/bar_chart.hpp"

namespace tessera::run {

/// Where time went: parts with their colours, in the order in which all charts have them; no values, no title.
io::BarChart parts_chart();

/// `time.ofRanks` of a report as a chart, a row a rank. Parts that it has not are 0.
io::BarChart rank_chart(core::Report::Json const& of_ranks);

}  // namespace tessera::run
