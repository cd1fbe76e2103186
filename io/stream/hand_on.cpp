// SPDX-License-Identifier: Apache-2.0
#include "io/stream/hand_on.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tessera::io::detail {
namespace {

void wait_for(core::Requests& requests) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  core::Comm::wait_all(requests);
  router_counts().waited += std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Bytes of a message that carries so many.
std::size_t with_header(std::size_t bytes) { return bytes == 0 ? 0 : sizeof(Header) + bytes; }

}  // namespace

void Outgoing::begin(std::int64_t chunk, std::vector<int> const& to, std::vector<std::size_t> const& bytes) {
  wait();
  messages_.clear();
  std::size_t end = 0;
  for (std::size_t n = 0; n < to.size(); ++n) {
    std::size_t const begin = end;
    end += with_header(bytes[n]);
    messages_.push_back({to[n], begin, begin + std::min(end - begin, sizeof(Header)), end});
  }
  if (buffer_.size() < end) buffer_.resize(end);
  Header const header{chunk};
  for (auto const& m : messages_)
    if (m.end > m.begin) std::memcpy(buffer_.data() + m.begin, &header, sizeof header);
}

void Outgoing::put(std::size_t n, void const* from, std::size_t bytes) {
  std::memcpy(buffer_.data() + messages_[n].filled, from, bytes);
  messages_[n].filled += bytes;
}

void Outgoing::start(Message const& m, std::size_t bytes) {
  comm_.start_handing(m.to, std::span(buffer_).subspan(m.begin, bytes), core::Tag::chunks, requests_);
  router_counts().bytes += static_cast<std::int64_t>(bytes);
}

void Outgoing::send() {
  for (auto const& m : messages_) {
    core::expect(m.filled == m.end, "a message is as long as was said");
    if (m.end > m.begin) start(m, m.end - m.begin);
  }
}

void Outgoing::send_empty() {
  for (auto const& m : messages_) {
    if (m.end == m.begin) continue;
    std::int64_t const nothing = 0;
    std::memcpy(buffer_.data() + m.begin + offsetof(Header, whole), &nothing, sizeof nothing);
    start(m, sizeof(Header));
  }
}

void Outgoing::wait() { wait_for(requests_); }

void Incoming::begin(std::vector<int> const& from, std::vector<std::size_t> const& bytes) {
  messages_.clear();
  std::size_t end = 0;
  for (std::size_t n = 0; n < from.size(); ++n) {
    std::size_t const begin = end;
    end += with_header(bytes[n]);
    messages_.push_back({begin, begin + sizeof(Header), end});
  }
  if (buffer_.size() < end) buffer_.resize(end);
  for (std::size_t n = 0; n < from.size(); ++n)
    if (auto const& m = messages_[n]; m.end > m.begin)
      comm_.start_receive(from[n], std::span(buffer_).subspan(m.begin, m.end - m.begin), core::Tag::chunks, requests_);
}

void Incoming::wait() { wait_for(requests_); }

Header Incoming::header(std::size_t n) const {
  Header header;
  std::memcpy(&header, buffer_.data() + messages_[n].begin, sizeof header);
  return header;
}

std::byte const* Incoming::take(std::size_t n, std::size_t bytes) {
  std::byte const* const at = buffer_.data() + messages_[n].taken;
  messages_[n].taken += bytes;
  core::expect(messages_[n].taken <= messages_[n].end, "a message holds what was said");
  return at;
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
