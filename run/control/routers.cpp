// SPDX-License-Identifier: Apache-2.0
#include "run/control/routers.hpp"

#include "core/comm/comm_counts.hpp"
#include "core/error.hpp"
#include "core/grid/halo.hpp"
#include "io/stream/routers.hpp"

#include <limits>
#include <set>

namespace tessera::run {

void set_routers(Session& session) {
  core::Dictionary* const dictionary = session.files.find("system/routerDict");
  core::transport() = core::Transport::automatic;
  if (dictionary == nullptr) return io::set_routers({});
  auto const transport = dictionary->get_choice("transport", {"auto", "messages", "sharedMemory"}, "auto");
  if (transport != "auto")
    core::transport() = transport == "messages" ? core::Transport::messages : core::Transport::shared_memory;
  io::RouterSettings settings;
  constexpr int most = std::numeric_limits<int>::max();
  auto const is_auto = [&](char const* key) {
    if (!dictionary->contains(key)) return true;
    auto const words = dictionary->words(key);
    return words.size() == 1 && words[0] == "auto";
  };
  if (!is_auto("radix")) settings.radix = dictionary->get_in<int>("radix", {1, most});
  if (!is_auto("levels")) settings.levels = dictionary->get_in<int>("levels", {0, most});
  if (!is_auto("chunkSize"))
    settings.chunk = dictionary->get_in<std::size_t>("chunkSize", {std::size_t{1} << 12, std::size_t{1} << 28});
  if (!is_auto("ranksPerNode")) settings.node = dictionary->get_in<int>("ranksPerNode", {1, most});
  if (!is_auto("readers")) settings.readers = dictionary->get_in<int>("readers", {1, most});
  io::set_routers(settings);
  try {
    io::routers_of(session.comm);
  } catch (core::Error const& error) {
    dictionary->fail("levels", error.what());
  }
}

void report_halos(core::Comm const& comm, core::Report& report) {
  core::HaloCounts const& mine = core::halo_counts();
  core::CommCounts const sent = core::comm_counts();
  auto const nodes = core::memory_nodes(comm);
  report["nodes"] = std::set<int>(nodes.begin(), nodes.end()).size();
  report["messages"] = {
      {"sent", comm.sum(sent.messages)}, {"bytes", comm.sum(sent.bytes)}, {"reductions", comm.max(sent.reductions)}};
  report["halo"] = {{"rounds", comm.sum(mine.rounds)},
                    {"messages", comm.sum(mine.messages)},
                    {"bytes", comm.sum(mine.bytes)},
                    {"sharedMessages", comm.sum(mine.shared_messages)},
                    {"sharedBytes", comm.sum(mine.shared_bytes)}};
}

void report_routers(core::Comm const& comm, core::Report& report) {
  io::RouterCounts const& mine = io::router_counts();
  if (comm.max(mine.streams) == 0) return;
  io::RouterTree const& tree = io::routers_of(comm);
  report["routers"] = {{"radix", tree.radix()},
                       {"levels", tree.levels()},
                       {"hops", tree.hops()},
                       {"readers", comm.max(mine.readers)},
                       {"streams", comm.max(mine.streams)},
                       {"chunks", comm.max(mine.chunks)},
                       {"bytes", comm.sum(mine.bytes)},
                       {"bytesPerRankMax", comm.max(mine.bytes)},
                       {"heldBytesPerRankMax", comm.max(mine.largest_hold)},
                       {"secondsWaitedMax", comm.max(mine.waited)}};
}

}  // namespace tessera::run
