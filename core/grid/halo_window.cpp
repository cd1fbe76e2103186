// SPDX-License-Identifier: Apache-2.0
#include "core/grid/halo_window.hpp"

#include "core/times.hpp"

#include <array>
#include <cstring>

namespace tessera::core {

bool HaloWindow::open(std::vector<Neighbour> const& neighbours, Count cells, std::size_t element) {
  Timed const timed(Part::idle);
  SharedMemory& memory = node_.memory();
  memory.release(mine_);
  mine_ = {};
  stride_ = (static_cast<std::size_t>(cells) * element + line - 1) / line * line;
  auto const piece = memory.allocate(neighbours.empty() ? 0 : line + 2 * stride_);
  if (!piece) return false;
  mine_ = *piece;
  round_ = 0;
  sources_.clear();
  if (neighbours.empty()) return true;
  mine_start_ = memory.address(node_.rank(), mine_.window, mine_.at);
  std::memset(mine_start_, 0, line);

  constexpr Tag tag = Tag::halo_window;
  using Place = std::array<std::uint64_t, 4>;  // window, piece in it, size of a buffer, the receiver's first cell
  std::vector<Place> here(neighbours.size()), there(neighbours.size());
  Requests requests;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    int const rank = node_.local(neighbours[n].rank);
    here[n] = {static_cast<std::uint64_t>(mine_.window), mine_.at, stride_,
               static_cast<std::uint64_t>(neighbours[n].send_at)};
    node_.comm().start_receive(rank, std::as_writable_bytes(std::span(there[n])), tag, requests);
    node_.comm().start_send(rank, std::as_bytes(std::span(here[n])), tag, requests);
  }
  Comm::wait_all(requests);
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    auto const [window, at, stride, part] = there[n];
    sources_.push_back({memory.address(node_.local(neighbours[n].rank), static_cast<int>(window), at), stride, part});
  }
  return true;
}

unsigned char const* HaloWindow::receive(std::size_t n, std::size_t element) const {
  Source const& from = sources_[n];
  Node::idle_until(reinterpret_cast<std::uint64_t const*>(from.start), round_);
  return buffer(from.start, round_, from.stride) + from.at * element;
}

}  // namespace tessera::core
