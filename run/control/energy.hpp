// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/report.hpp"

#include <map>
#include <optional>
#include <string>

namespace tessera::run {

/// Energy of the processors of this host, as the system counts it (powercap, intel-rapl): all that they do, also for others.
class EnergyMeter {
 public:
  explicit EnergyMeter(std::string folder = "/sys/class/powercap");
  /// Since the meter was made [J]; nothing where the system does not show it, or not to this user. Counters begin anew at their
  /// ends: once between two calls is counted.
  std::optional<double> joules();

 private:
  std::map<std::string, double> read() const;  ///< of each processor [uJ]
  std::string folder_;
  std::map<std::string, double> last_;
  double sum_ = 0;  ///< [uJ]
};

/// `energy` of the report, where all nodes show theirs: joules of the run, by the lowest rank of each node. Collective.
void report_energy(core::Comm const& comm, EnergyMeter& meter, core::Report& report);

}  // namespace tessera::run
