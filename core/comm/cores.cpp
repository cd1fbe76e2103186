// SPDX-License-Identifier: Apache-2.0
#include "core/comm/cores.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <numeric>
#include <sched.h>
#include <set>
#include <string>

namespace tessera::core {
namespace {

/// Cores that the scheduler may run this process on.
std::vector<int> own_cores() {
  constexpr std::size_t bits = 8 * sizeof(unsigned long), most = std::size_t{1} << 20;
  for (std::size_t cores = 1024; cores <= most; cores *= 2) {
    std::vector<unsigned long> words(cores / bits);
    if (sched_getaffinity(0, cores / 8, reinterpret_cast<cpu_set_t*>(words.data())) == 0) {
      std::vector<int> result;
      for (std::size_t n = 0; n < cores; ++n)
        if ((words[n / bits] >> (n % bits)) & 1U) result.push_back(static_cast<int>(n));
      return result;
    }
    if (errno != EINVAL) break;  // EINVAL: the machine has more cores than there is room for
  }
  return {};
}

/// A number in this file of /sys for a core; -1 where it is not there. Read once.
int topology(int core, std::string const& what) {
  static std::map<std::pair<int, std::string>, int> known;
  auto const [place, is_new] = known.emplace(std::pair(core, what), -1);
  if (is_new)
    std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/" + what) >> place->second;
  return place->second;
}

}  // namespace

std::vector<double> crowding(std::vector<CoreUse> const& processes) {
  std::vector<std::size_t> group(processes.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  auto const find = [&](std::size_t n) {
    while (group[n] != n) n = group[n];
    return n;
  };
  std::map<int, std::size_t> first_on;  // core -> a process on it
  for (std::size_t n = 0; n < processes.size(); ++n)
    for (int core : processes[n].cores) group[find(n)] = find(first_on.try_emplace(core, n).first->second);
  std::map<std::size_t, std::set<int>> cores;
  std::map<std::size_t, int> threads;
  for (std::size_t n = 0; n < processes.size(); ++n) {
    cores[find(n)].insert(processes[n].cores.begin(), processes[n].cores.end());
    threads[find(n)] += processes[n].threads;
  }
  std::vector<double> result;
  for (std::size_t n = 0; n < processes.size(); ++n) {
    double const room = static_cast<double>(std::max<std::size_t>(cores[find(n)].size(), 1));
    // a process on no known core stands alone
    result.push_back(processes[n].cores.empty() ? 1 : std::max(1.0, threads[find(n)] / room));
  }
  return result;
}

std::vector<int> socket_domains(std::vector<int> const& nodes, std::vector<int> const& sockets) {
  std::set<int> unbound;
  for (std::size_t r = 0; r < nodes.size(); ++r)
    if (sockets[r] < 0) unbound.insert(nodes[r]);
  std::map<std::pair<int, int>, int> number;
  std::vector<int> result;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    std::pair const place(nodes[r], unbound.contains(nodes[r]) ? 0 : sockets[r]);
    result.push_back(number.try_emplace(place, static_cast<int>(number.size())).first->second);
  }
  return result;
}

int own_socket() {
  int socket = -1;
  for (int core : own_cores()) {
    int const here = topology(core, "physical_package_id");
    if (here < 0 || (socket >= 0 && here != socket)) return -1;
    socket = here;
  }
  return socket;
}

HostCores host_cores() {
  std::set<std::pair<int, int>> cores;
  std::set<int> sockets;
  for (int core : own_cores()) {
    int const socket = topology(core, "physical_package_id"), number = topology(core, "core_id");
    cores.emplace(socket, number < 0 ? core : number);
    sockets.insert(socket);
  }
  return {std::max(1, static_cast<int>(cores.size())), std::max(1, static_cast<int>(sockets.size()))};
}

double measure_crowding(Comm const& comm) {
  if (comm.size() == 1) return crowding({{own_cores(), Kokkos::DefaultHostExecutionSpace().concurrency()}}).front();
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &handle);
  double result = 1;
  {
    Comm const machine(handle);
    auto const cores = own_cores();
    Bytes mine;
    append(mine, Kokkos::DefaultHostExecutionSpace().concurrency());
    append(mine, std::span<int const>(cores));
    std::vector<CoreUse> processes;
    for (auto const& bytes : machine.gather_to_root(mine)) {
      ByteReader reader(bytes);
      CoreUse use;
      use.threads = reader.take<int>();
      use.cores.resize(bytes.size() / sizeof(int) - 1);
      reader.take(std::span<int>(use.cores));
      processes.push_back(std::move(use));
    }
    std::vector<double> all;
    if (machine.root()) all = crowding(processes);
    machine.broadcast(all);
    result = all[machine.rank()];
  }
  MPI_Comm_free(&handle);
  return result;
}

}  // namespace tessera::core
