// SPDX-License-Identifier: Apache-2.0
#include "io/stream/routers.hpp"

#include "core/comm/attachment.hpp"
#include "core/comm/node.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace tessera::io {
namespace {

/// Members of a tree filled level by level: who stands above the n-th of them, and how far down it is.
std::size_t above(std::size_t n, int radix) { return (n - 1) / static_cast<std::size_t>(radix); }
int depth(std::size_t n, int radix) {
  int hops = 0;
  for (; n > 0; n = above(n, radix)) ++hops;
  return hops;
}

/// The ranks of each node, in the order of the nodes' lowest ranks; `root` and its node come first.
std::vector<std::vector<int>> by_node(std::vector<int> const& nodes, int root) {
  std::map<int, std::size_t> place;
  std::vector<std::vector<int>> members;
  auto const add = [&](int rank) {
    auto const [at, is_new] = place.try_emplace(nodes[rank], members.size());
    if (is_new) members.emplace_back();
    members[at->second].push_back(rank);
  };
  add(root);
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank)
    if (rank != root) add(rank);
  return members;
}

int hops_with(std::vector<std::vector<int>> const& members, int radix) {
  int most = 0;
  for (std::size_t node = 0; node < members.size(); ++node)
    most = std::max(most, depth(node, radix) + depth(members[node].size() - 1, radix));
  return most;
}

int chosen_radix(std::vector<std::vector<int>> const& members, int ranks, RouterSettings const& settings) {
  int const most = std::max(1, ranks - 1);
  if (settings.levels < 0) return std::min(settings.radix > 0 ? settings.radix : RouterTree::usual_radix, most);
  // the depth falls with the radix: bisection finds the smallest that will do
  int no = 0, yes = most;
  if (hops_with(members, yes) > settings.levels + 1)
    throw core::Error(fmt::format("routers of no radix reach {} ranks on {} nodes in {} levels, expected at least {}",
                                  ranks, members.size(), settings.levels, hops_with(members, yes) - 1));
  while (yes - no > 1) {
    int const middle = no + (yes - no) / 2;
    (hops_with(members, middle) <= settings.levels + 1 ? yes : no) = middle;
  }
  if (settings.radix > 0 && settings.radix < yes)
    throw core::Error(
        fmt::format("routers of radix {} do not reach {} ranks on {} nodes in {} levels, expected a radix "
                    "of at least {}",
                    settings.radix, ranks, members.size(), settings.levels, yes));
  return settings.radix > 0 ? std::min(settings.radix, most) : yes;
}

}  // namespace

RouterTree::RouterTree(std::vector<int> const& nodes, RouterSettings const& settings, int root)
    : nodes_(nodes),
      parent_(nodes.size(), -1),
      hops_(nodes.size()),
      reach_(nodes.size(), 1),
      children_(nodes.size()) {
  core::expect(!nodes.empty(), "a tree has a root");
  auto const members = by_node(nodes, root);
  radix_ = chosen_radix(members, ranks(), settings);
  auto const hang = [&](int rank, int below) {
    parent_[rank] = below;
    children_[below].push_back(rank);
  };
  // leaders first: what leaves the node goes first on its way
  for (std::size_t node = 1; node < members.size(); ++node)
    hang(members[node].front(), members[above(node, radix_)].front());
  for (auto const& ranks : members)
    for (std::size_t n = 1; n < ranks.size(); ++n) hang(ranks[n], ranks[above(n, radix_)]);

  std::vector<int> order{root};  // parents before children
  for (std::size_t n = 0; n < order.size(); ++n)
    for (int const child : children(order[n])) {
      hops_[child] = hops(order[n]) + 1;
      order.push_back(child);
    }
  for (std::size_t n = order.size() - 1; n > 0; --n) reach_[parent(order[n])] += reach(order[n]);
  most_hops_ = *std::max_element(hops_.begin(), hops_.end());
}

std::vector<int> RouterTree::ways(int from) const {
  std::vector<int> way(parent_.size(), -1);
  way[from] = 0;
  auto const& below = children(from);
  for (std::size_t c = 0; c < below.size(); ++c) {
    std::vector<int> open{below[c]};
    while (!open.empty()) {
      int const rank = open.back();
      open.pop_back();
      way[rank] = static_cast<int>(c) + 1;
      open.insert(open.end(), children(rank).begin(), children(rank).end());
    }
  }
  return way;
}

namespace {

RouterSettings& settings_in_use() {
  static RouterSettings settings;
  return settings;
}

/// What a communicator carries.
struct Kept {
  RouterSettings settings;
  RouterTree tree;
};

}  // namespace

std::vector<int> nodes_of(core::Comm const& comm) {
  std::vector<int> nodes(comm.size());
  if (int const size = router_settings().node; size > 0) {
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) nodes[rank] = static_cast<int>(rank) / size * size;
    return nodes;
  }
  return core::memory_nodes(comm);
}

void set_routers(RouterSettings const& settings) { settings_in_use() = settings; }
RouterSettings const& router_settings() { return settings_in_use(); }

RouterTree const& routers_of(core::Comm const& comm) {
  using Attached = core::Attachment<Kept>;
  if (auto const* kept = Attached::of(comm); kept != nullptr && kept->settings == router_settings()) return kept->tree;
  return Attached::put(comm,
                       std::make_unique<Kept>(Kept{router_settings(), RouterTree(nodes_of(comm), router_settings())}))
      .tree;
}

RouterCounts& router_counts() {
  static RouterCounts counts;
  return counts;
}

core::Link measure_link(core::Comm const& comm) {
  if (comm.size() == 1) return {};
  using Clock = std::chrono::steady_clock;
  constexpr core::Tag tag = core::Tag::link;
  int const last = comm.size() - 1;
  // the time of one way is half of there and back; the best of several rounds is the least disturbed. As in a stream,
  // what is packed and unpacked lies in ever other memory, not in the cache.
  constexpr std::size_t places = 16;
  auto const one_way = [&](std::size_t bytes, int rounds) {
    core::Bytes message(bytes), cells(places * bytes);
    std::size_t place = 0;
    double best = 1e300;
    core::Requests request;
    auto const send = [&](int to) {
      std::memcpy(message.data(), cells.data() + place++ % places * bytes, bytes);
      comm.start_send(to, message, tag, request);
      core::Comm::wait_all(request);
    };
    auto const receive = [&](int from) {
      comm.start_receive(from, message, tag, request);
      core::Comm::wait_all(request);
      std::memcpy(cells.data() + place++ % places * bytes, message.data(), bytes);
    };
    for (int round = 0; round < rounds; ++round) {
      auto const begin = Clock::now();
      if (comm.root()) {
        send(last);
        receive(last);
      } else {
        receive(0);
        send(0);
      }
      best = std::min(best, 0.5 * std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
  };
  core::Link link;
  comm.barrier();
  if (comm.root() || comm.rank() == last) {
    std::size_t const chunk = router_settings().chunk;
    link.latency = one_way(1, 200);
    link.bandwidth = static_cast<double>(chunk) / std::max(1e-9, one_way(chunk, 48) - link.latency);
  }
  // the others have zeros
  double const latency = comm.root() ? link.latency : 0, bandwidth = comm.root() ? link.bandwidth : 0;
  return {comm.max(latency), comm.max(bandwidth)};
}

double predict_load(RouterTree const& tree, double bytes, core::Link const& link, double source_rate, int cores) {
  core::expect(link.bandwidth > 0 || tree.ranks() == 1, "a link has a bandwidth");
  double const chunk = std::min(bytes, static_cast<double>(router_settings().chunk));
  double const chunks = chunk > 0 ? std::ceil(bytes / chunk) : 0;
  auto const message = [&](int to) { return link.latency + chunk * tree.reach(to) / tree.ranks() / link.bandwidth; };
  double const read = source_rate > 0 ? chunk / source_rate : 0;
  double busiest = 0, work = 0, farthest = 0;
  std::vector<double> arrival(tree.ranks(), read);
  std::vector<int> order{0};
  for (std::size_t n = 0; n < order.size(); ++n) {
    int const rank = order[n];
    double const received = rank == 0 ? read : 0.5 * message(rank);
    double busy = received, at = arrival[rank];
    for (int const child : tree.children(rank)) {
      busy += 0.5 * message(child);
      at += message(child);
      arrival[child] = at;
      order.push_back(child);
    }
    busiest = std::max(busiest, busy);
    work += busy;
    farthest = std::max(farthest, at);
  }
  double const pace = cores > 0 ? std::max(busiest, work / cores) : busiest;
  return chunks > 0 ? (chunks - 1) * pace + std::max(farthest, pace) : 0;
}

double CellRouters::reach() const { return neighbours * std::pow(radix, levels + 1); }

CellRouters cell_routers(double cells, int neighbours, int radix, int levels) {
  if (!(cells >= 1) || neighbours < 1 || radix < 0 || levels < -1)
    throw core::Error(
        fmt::format("routers over {} cells of {} neighbours: expected positive numbers", cells, neighbours));
  CellRouters routers{neighbours, radix, levels};
  if (radix == 0) {
    if (levels < 0) routers.levels = 1;
    // the smallest r with d r^(p+1) >= cells; the root is exact but for rounding
    double const guess = std::pow(cells / neighbours, 1.0 / (routers.levels + 1));
    routers.radix = std::max(1, static_cast<int>(std::floor(guess)) - 1);
    while (!routers.reaches(cells)) ++routers.radix;
  } else if (levels < 0) {
    if (radix < 2)
      throw core::Error(fmt::format("routers of radix {}: expected 2 or more, or a number of levels", radix));
    for (routers.levels = 0; !routers.reaches(cells);) ++routers.levels;
  }
  return routers;
}

}  // namespace tessera::io
