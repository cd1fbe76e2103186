// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/wavefront_window.hpp"

#include "core/error.hpp"

#include <cstring>
#include <map>
#include <utility>

namespace tessera::solvers {

std::unique_ptr<WavefrontWindow> WavefrontWindow::open(core::Node& node, std::vector<Out> const& outs,
                                                       std::vector<In> const& ins) {
  std::size_t bytes = line;
  for (Out const& out : outs) bytes += line + 2 * buffer_bytes(out.values);
  auto const piece = node.memory().allocate(bytes);
  if (!piece) return nullptr;
  std::unique_ptr<WavefrontWindow> window(new WavefrontWindow(node));
  window->mine_ = *piece;
  window->board_ = node.memory().address(node.rank(), piece->window, piece->at);
  std::memset(window->board_, 0, bytes);
  window->find_others(outs, ins);
  return window;
}

void WavefrontWindow::find_others(std::vector<Out> const& outs, std::vector<In> const& ins) {
  // to each rank its edges: tag, values and place of each; to every rank of the node the place of the counter
  struct Place {
    std::uint64_t window, at, tag, values;
  };
  std::map<int, core::Bytes> outgoing;
  std::uint64_t const window = static_cast<std::uint64_t>(mine_.window);
  for (int r = 0; r < node_.size(); ++r) core::append(outgoing[r], Place{window, mine_.at, 0, 0});
  std::size_t at = line;
  for (Out const& out : outs) {
    core::append(outgoing[node_.local(out.rank)],
                 Place{window, mine_.at + at, static_cast<std::uint64_t>(out.tag), out.values});
    outs_.push_back({board_ + at, out.values, nullptr});
    at += line + 2 * buffer_bytes(out.values);
  }
  std::map<int, std::byte*> boards;
  std::map<std::pair<int, int>, Edge> edges;  // by rank and tag
  for (auto const& [from, bytes] : node_.comm().exchange(outgoing)) {
    core::ByteReader reader(bytes);
    auto const address = [&, rank = from](Place const& p) {
      return node_.memory().address(rank, static_cast<int>(p.window), p.at);
    };
    boards[from] = address(reader.take<Place>());
    while (!reader.done()) {
      Place const p = reader.take<Place>();
      edges[{from, static_cast<int>(p.tag)}] = {address(p), p.values, board_};
    }
  }
  for (std::size_t n = 0; n < outs.size(); ++n) outs_[n].reader = boards.at(node_.local(outs[n].rank));
  for (In const& in : ins) {
    auto const found = edges.find({node_.local(in.rank), in.tag});
    core::expect(found != edges.end(), "a rank does not know of an edge that another waits for");
    ins_.push_back(found->second);
  }
}

std::span<double> WavefrontWindow::write(std::size_t out) const {
  core::Node::idle_until(number(outs_[out].reader), round_ - 1);
  return values(outs_[out]);
}

std::span<double const> WavefrontWindow::read(std::size_t in) const {
  core::Node::idle_until(number(ins_[in].start), round_);
  return values(ins_[in]);
}

}  // namespace tessera::solvers
