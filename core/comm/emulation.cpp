// SPDX-License-Identifier: Apache-2.0
#include "core/comm/emulation.hpp"

#include "core/comm/attachment.hpp"
#include "core/comm/node.hpp"
#include "core/comm/waiting.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sstream>

namespace tessera::core {
namespace {

[[noreturn]] void refuse(std::string const& word) {
  throw Error(fmt::format("environment: TESSERA_EMULATE '{}', expected speeds=S,S,... above 0 and "
                          "network=LATENCY,BANDWIDTH[,OVERHEAD], memory= the same",
                          word));
}

std::vector<double> numbers(std::string const& word, std::size_t from) {
  std::istringstream items(word.substr(from));
  std::vector<double> all;
  for (std::string item; std::getline(items, item, ',');) {
    std::istringstream in(item);
    double x = 0;
    if (!(in >> x) || in.peek() != std::istringstream::traits_type::eof() || !(x >= 0) || !std::isfinite(x))
      refuse(word);
    all.push_back(x);
  }
  return all;
}

int& made() {
  static int emulations = 0;
  return emulations;
}

}  // namespace

EmulatedCluster read_emulation(std::string const& text, int ranks) {
  EmulatedCluster cluster;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    auto const key = word.substr(0, word.find('='));
    auto const values = numbers(word, std::min(word.size(), key.size() + 1));
    if (key == "speeds")
      cluster.speeds = values;
    else if ((key == "network" || key == "memory") && (values.size() == 2 || values.size() == 3))
      (key == "network" ? cluster.network : cluster.memory) = {values[0], values[1],
                                                               values.size() == 3 ? values[2] : 0};
    else
      refuse(word);
  }
  if (std::find(cluster.speeds.begin(), cluster.speeds.end(), 0.0) != cluster.speeds.end()) refuse(text);
  if (cluster.speeds.size() != static_cast<std::size_t>(ranks))
    throw Error(fmt::format("environment: TESSERA_EMULATE has {} speeds, expected one for each of {} ranks",
                            cluster.speeds.size(), ranks));
  return cluster;
}

std::string text_of(EmulatedCluster const& cluster) {
  auto const link = [](char const* name, Link const& of) {
    if (!(of.step() > 0) && !(of.bandwidth > 0)) return std::string();
    return fmt::format(" {}={},{}{}", name, of.latency, of.bandwidth,
                       of.overhead > 0 ? fmt::format(",{}", of.overhead) : "");
  };
  return fmt::format("speeds={}{}{}", fmt::join(cluster.speeds, ","), link("network", cluster.network),
                     link("memory", cluster.memory));
}

std::unique_ptr<Emulation>& emulation() {
  static std::unique_ptr<Emulation> one;
  return one;
}

void refuse_emulation(std::string const& what) {
  if (emulation())
    throw Error(fmt::format("environment: TESSERA_EMULATE times Tessera's own messages and reductions, but {}", what));
}

/// Times of arrival on their way, by the requests that they travel with.
struct Emulation::Stamps {
  struct Stamp {
    double arrival = 0;
    bool comes = false;
  };
  std::map<MPI_Request, std::unique_ptr<Stamp>> all;
};

Emulation::Emulation(EmulatedCluster cluster, Comm const& world)
    : cluster_(std::move(cluster)),
      number_(++made()),
      nodes_(static_cast<std::size_t>(world.size())),
      stamps_(std::make_unique<Stamps>()) {
  auto const nodes = memory_nodes(world), numbers = launched_ranks(world);
  for (std::size_t r = 0; r < nodes.size(); ++r) nodes_[static_cast<std::size_t>(numbers[r])] = nodes[r];
  auto const mine = static_cast<std::size_t>(numbers[static_cast<std::size_t>(world.rank())]);
  beside_ = static_cast<int>(std::count(nodes_.begin(), nodes_.end(), nodes_[mine]));
  emulated_clock().start(cluster_.speeds[mine]);
}

Emulation::~Emulation() { emulated_clock().stop(); }

Emulation::Group const& Emulation::group(Comm const& comm) {
  if (auto const* known = Attachment<Group>::of(comm); known != nullptr && known->of == number_) return *known;
  auto group = std::make_unique<Group>();
  group->of = number_;
  std::map<int, int> ranks;
  for (int const number : launched_ranks(comm)) {
    group->nodes.push_back(nodes_[static_cast<std::size_t>(number)]);
    ++ranks[group->nodes.back()];
  }
  int fullest = 1;
  for (auto const& [node, n] : ranks) fullest = std::max(fullest, n);
  group->meeting = reduction_seconds(cluster_.memory, fullest, cluster_.network, static_cast<int>(ranks.size()));
  return Attachment<Group>::put(comm, std::move(group));
}

void Emulation::meet(Comm const& comm) {
  if (comm.size() == 1) return;
  ClockStands const stands;
  double latest = emulated_clock().seconds();
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, &latest, 1, MPI_DOUBLE, MPI_MAX, comm.handle(), &request);
  wait_politely(1, &request);
  emulated_clock().not_before(latest + group(comm).meeting);
}

void Emulation::sent(Comm const& comm, int to, std::size_t bytes, Tag tag, Requests& requests) {
  auto const& nodes = group(comm).nodes;
  bool const beyond = nodes[static_cast<std::size_t>(to)] != nodes[static_cast<std::size_t>(comm.rank())];
  auto const& link = beyond ? cluster_.network : cluster_.memory;
  double const share = beyond ? link.bandwidth / beside_ : link.bandwidth;
  emulated_clock().not_before(emulated_clock().seconds() + std::max(0.0, link.overhead));
  double& free = beyond ? network_free_ : memory_free_;
  free = std::max(free, emulated_clock().seconds());
  if (share > 0) free += static_cast<double>(bytes) / share;
  auto stamp = std::make_unique<Stamps::Stamp>(Stamps::Stamp{free + link.latency, false});
  MPI_Isend(&stamp->arrival, 1, MPI_DOUBLE, to, static_cast<int>(tag), comm.handle(), &requests.emplace_back());
  stamps_->all[requests.back()] = std::move(stamp);
}

void Emulation::awaited(Comm const& comm, int from, Tag tag, Requests& requests) {
  auto stamp = std::make_unique<Stamps::Stamp>(Stamps::Stamp{0, true});
  MPI_Irecv(&stamp->arrival, 1, MPI_DOUBLE, from, static_cast<int>(tag), comm.handle(), &requests.emplace_back());
  stamps_->all[requests.back()] = std::move(stamp);
}

void Emulation::wait_all(Requests& requests) {
  ClockStands const stands;
  std::vector<std::unique_ptr<Stamps::Stamp>> ours;
  for (MPI_Request const request : requests)
    if (auto const found = stamps_->all.find(request); found != stamps_->all.end()) {
      ours.push_back(std::move(found->second));
      stamps_->all.erase(found);
    }
  wait_politely(static_cast<int>(requests.size()), requests.data());
  for (auto const& stamp : ours)
    if (stamp->comes) emulated_clock().not_before(stamp->arrival);
}

}  // namespace tessera::core
