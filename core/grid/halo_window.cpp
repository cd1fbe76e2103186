// SPDX-License-Identifier: Apache-2.0
#include "core/grid/halo_window.hpp"

#include "core/times.hpp"

#include <array>

namespace tessera::core {

bool HaloWindow::open(std::vector<Neighbour> const& neighbours, Count cells, std::size_t element) {
  Timed const timed(Part::idle);
  SharedMemory& memory = node_.memory();
  memory.release(piece_);
  piece_ = {};
  std::size_t const size = static_cast<std::size_t>(cells) * element;
  auto const piece = memory.allocate(neighbours.empty() ? 0 : Mailbox::bytes(size));
  if (!piece) return false;
  piece_ = *piece;
  round_ = 0;
  sources_.clear();
  if (neighbours.empty()) return true;
  mine_ = Mailbox(memory.address(node_.rank(), piece_.window, piece_.at), size);
  mine_.written.set(0);

  constexpr Tag tag = Tag::halo_window;
  using Place = std::array<std::uint64_t, 4>;  // window, piece in it, size of a buffer, the receiver's first cell
  std::vector<Place> here(neighbours.size()), there(neighbours.size());
  Requests requests;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    int const rank = node_.local(neighbours[n].rank);
    here[n] = {static_cast<std::uint64_t>(piece_.window), piece_.at, size,
               static_cast<std::uint64_t>(neighbours[n].send_at)};
    node_.comm().start_receive(rank, std::as_writable_bytes(std::span(there[n])), tag, requests);
    node_.comm().start_send(rank, std::as_bytes(std::span(here[n])), tag, requests);
  }
  Comm::wait_all(requests);
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    auto const [window, at, bytes, part] = there[n];
    int const rank = node_.local(neighbours[n].rank);
    sources_.push_back({Mailbox(memory.address(rank, static_cast<int>(window), at), bytes), part});
  }
  return true;
}

unsigned char const* HaloWindow::receive(std::size_t n, std::size_t element) const {
  Source const& from = sources_[n];
  from.box.written.idle_until(round_);
  return reinterpret_cast<unsigned char const*>(from.box.buffer(round_)) + from.at * element;
}

}  // namespace tessera::core
