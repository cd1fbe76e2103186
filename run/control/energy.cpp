// SPDX-License-Identifier: Apache-2.0
#include "run/control/energy.hpp"

#include "core/comm/node.hpp"

#include <filesystem>
#include <fstream>

namespace tessera::run {

EnergyMeter::EnergyMeter(std::string folder) : folder_(std::move(folder)), last_(read()) {}

std::map<std::string, double> EnergyMeter::read() const {
  std::map<std::string, double> found;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(folder_, none)) {
    // intel-rapl:0 is a processor, intel-rapl:0:1 a part of it
    auto const name = entry.path().filename().string();
    if (!name.starts_with("intel-rapl:") || name.find(':') != name.rfind(':')) continue;
    double value = 0;
    if (std::ifstream(entry.path() / "energy_uj") >> value) found[name] = value;
  }
  return found;
}

std::optional<double> EnergyMeter::joules() {
  auto const now = read();
  if (now.empty() || now.size() != last_.size()) return std::nullopt;
  for (auto const& [name, value] : now) {
    auto const before = last_.find(name);
    if (before == last_.end()) return std::nullopt;
    double end = 0;
    if (value < before->second) std::ifstream(folder_ + "/" + name + "/max_energy_range_uj") >> end;
    sum_ += value - before->second + end;
  }
  last_ = now;
  return sum_ * 1e-6;
}

void report_energy(core::Comm const& comm, EnergyMeter& meter, core::Report& report) {
  bool const counts = core::memory_nodes(comm)[static_cast<std::size_t>(comm.rank())] == comm.rank();
  auto const mine = meter.joules();
  if (comm.any(counts && !mine)) return;
  double sum = 0;
  for (double joules : comm.gather(counts ? *mine : 0.0)) sum += joules;
  report["energy"] = {{"joules", sum}, {"source", "powercap"}};
}

}  // namespace tessera::run
