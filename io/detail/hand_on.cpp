// SPDX-License-Identifier: Apache-2.0
#include "io/detail/hand_on.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tessera::io::detail {
namespace {

constexpr int chunk_tag = 7101, text_tag = 7102;

void wait_for(std::vector<MPI_Request>& requests) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  core::Comm::wait_all(requests);
  router_counts().waited += std::chrono::duration<double>(Clock::now() - begin).count();
}

std::size_t total(std::vector<core::Bytes> const& messages) {
  std::size_t bytes = 0;
  for (auto const& m : messages) bytes += m.size();
  return bytes;
}

}  // namespace

Outgoing::Outgoing(core::Comm const& comm, std::vector<int> to)
    : comm_(comm),
      to_(std::move(to)),
      message_(to_.size()),
      filled_(to_.size()) {}

void Outgoing::begin(std::int64_t chunk, std::vector<std::size_t> const& bytes) {
  wait();
  Header const header{chunk};
  for (std::size_t n = 0; n < to_.size(); ++n) {
    message_[n].resize(bytes[n] == 0 ? 0 : sizeof header + bytes[n]);
    if (bytes[n] > 0) std::memcpy(message_[n].data(), &header, sizeof header);
    filled_[n] = sizeof header;
  }
}

void Outgoing::put(std::size_t n, void const* from, std::size_t bytes) {
  std::memcpy(message_[n].data() + filled_[n], from, bytes);
  filled_[n] += bytes;
}

void Outgoing::send() {
  for (std::size_t n = 0; n < to_.size(); ++n) {
    if (message_[n].empty()) continue;
    core::expect(filled_[n] == message_[n].size(), "a message is as long as was said");
    MPI_Issend(message_[n].data(), static_cast<int>(message_[n].size()), MPI_BYTE, to_[n], chunk_tag, comm_.handle(),
               &requests_.emplace_back());
    router_counts().bytes += static_cast<std::int64_t>(message_[n].size());
  }
}

void Outgoing::wait() { wait_for(requests_); }
std::size_t Outgoing::held() const { return total(message_); }

Incoming::Incoming(core::Comm const& comm, std::vector<int> from)
    : comm_(comm),
      from_(std::move(from)),
      message_(from_.size()),
      taken_(from_.size()) {}

void Incoming::begin(std::vector<std::size_t> const& bytes) {
  for (std::size_t n = 0; n < from_.size(); ++n) {
    message_[n].resize(bytes[n] == 0 ? 0 : sizeof(Header) + bytes[n]);
    taken_[n] = sizeof(Header);
    if (bytes[n] > 0) comm_.start_receive(from_[n], message_[n], chunk_tag, requests_);
  }
}

void Incoming::wait() { wait_for(requests_); }

Header Incoming::header(std::size_t n) const {
  Header header;
  std::memcpy(&header, message_[n].data(), sizeof header);
  return header;
}

std::byte const* Incoming::take(std::size_t n, std::size_t bytes) {
  std::byte const* const at = message_[n].data() + taken_[n];
  taken_[n] += bytes;
  core::expect(taken_[n] <= message_[n].size(), "a message holds what was said");
  return at;
}

std::size_t Incoming::held() const { return total(message_); }

void conclude(core::Comm const& comm, Failure const& mine, Header const* come) {
  RouterTree const& tree = routers_of(comm);
  Header header{mine ? Header::at_failure : Header::at_end, mine.kind, static_cast<std::int64_t>(mine.text.size())};
  Failure failure = mine;
  std::vector<MPI_Request> requests;
  auto const bytes_of = [](Header& h) { return std::as_writable_bytes(std::span(&h, 1)); };
  if (!comm.root()) {
    int const parent = tree.parent(comm.rank());
    if (come != nullptr) {
      header = *come;
    } else {
      comm.start_receive(parent, bytes_of(header), chunk_tag, requests);
      wait_for(requests);
    }
    failure = {static_cast<Failure::Kind>(header.kind), std::string(static_cast<std::size_t>(header.text), ' ')};
    comm.receive(parent, std::as_writable_bytes(std::span(failure.text)), text_tag);
  }
  for (int const child : tree.children(comm.rank())) {
    comm.start_send(child, bytes_of(header), chunk_tag, requests);
    comm.start_send(child, std::as_bytes(std::span(failure.text)), text_tag, requests);
  }
  wait_for(requests);
  if (failure) failure.raise();
}

void count_stream(std::int64_t chunks) {
  ++router_counts().streams;
  router_counts().chunks += chunks;
}

void count_held(std::size_t bytes) {
  auto& most = router_counts().largest_hold;
  most = std::max(most, static_cast<std::int64_t>(bytes));
}

}  // namespace tessera::io::detail
