// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/wavefront_window.hpp"

#include "core/error.hpp"

#include <cstring>
#include <map>
#include <utility>

namespace tessera::solvers {

static std::size_t edge_bytes(std::size_t values) { return core::Mailbox::bytes(values * sizeof(double)); }

std::unique_ptr<WavefrontWindow> WavefrontWindow::open(core::Node& node, std::vector<Out> const& outs,
                                                       std::vector<In> const& ins) {
  std::size_t bytes = core::SharedNumber::bytes;
  for (Out const& out : outs) bytes += edge_bytes(out.values);
  auto const piece = node.memory().allocate(bytes);
  if (!piece) return nullptr;
  std::unique_ptr<WavefrontWindow> window(new WavefrontWindow(node));
  window->piece_ = *piece;
  std::byte* const start = node.memory().address(node.rank(), piece->window, piece->at);
  std::memset(start, 0, bytes);
  window->begun_ = core::SharedNumber(start);
  window->find_others(outs, ins);
  return window;
}

void WavefrontWindow::find_others(std::vector<Out> const& outs, std::vector<In> const& ins) {
  // to every rank of the node the place of the number of rounds begun, and of the edges to it place, tag and values
  struct Place {
    std::uint64_t window, at, tag, values;
  };
  std::map<int, core::Bytes> outgoing;
  std::uint64_t const window = static_cast<std::uint64_t>(piece_.window);
  auto const address = [this](int rank, Place const& p) {
    return node_.memory().address(rank, static_cast<int>(p.window), p.at);
  };
  auto const box = [&](int rank, Place const& p) { return core::Mailbox(address(rank, p), p.values * sizeof(double)); };
  for (int r = 0; r < node_.size(); ++r) core::append(outgoing[r], Place{window, piece_.at, 0, 0});
  std::size_t at = piece_.at + core::SharedNumber::bytes;
  for (Out const& out : outs) {
    Place const place{window, at, static_cast<std::uint64_t>(out.tag), out.values};
    core::append(outgoing[node_.local(out.rank)], place);
    outs_.push_back({box(node_.rank(), place), out.values, {}});
    at += edge_bytes(out.values);
  }
  std::map<int, core::SharedNumber> begun;
  std::map<std::pair<int, int>, Edge> edges;  // by rank and tag
  for (auto const& [from, bytes] : node_.comm().exchange(outgoing)) {
    core::ByteReader reader(bytes);
    begun[from] = core::SharedNumber(address(from, reader.take<Place>()));
    while (!reader.done()) {
      Place const p = reader.take<Place>();
      edges[{from, static_cast<int>(p.tag)}] = {box(from, p), p.values, begun_};
    }
  }
  for (std::size_t n = 0; n < outs.size(); ++n) outs_[n].begun = begun.at(node_.local(outs[n].rank));
  for (In const& in : ins) {
    auto const found = edges.find({node_.local(in.rank), in.tag});
    core::expect(found != edges.end(), "a rank does not know of an edge that another waits for");
    ins_.push_back(found->second);
  }
}

std::span<double> WavefrontWindow::write(std::size_t out) const {
  outs_[out].begun.idle_until(round_ - 1);
  return values(outs_[out]);
}

std::span<double const> WavefrontWindow::read(std::size_t in) const {
  ins_[in].box.written.idle_until(round_);
  return values(ins_[in]);
}

}  // namespace tessera::solvers
