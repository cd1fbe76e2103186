// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/stream/hand_on.hpp"
#include "io/stream/stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace tessera::io::detail {

/// Sums over all ranks, element by element, on the root: every router adds what comes from below it and hands the sums up
/// the tree, chunk by chunk, so that the root takes messages from its children alone. Elsewhere `values` hold partial sums
/// afterwards. Chunks of zeros, as of a rank that sees little of a picture, travel as a header. Sums of int64 are the same
/// on any ranks, those of doubles depend on the tree. Memory: four chunks. Collective.
template <class T>
void sum_up(core::Comm const& comm, std::span<T> values) {
  if (comm.size() == 1) return;
  Place const place(routers_of(comm), 0, comm.rank());
  std::size_t const size = std::max<std::size_t>(1, router_settings().chunk / sizeof(T));
  std::size_t const chunks = (values.size() + size - 1) / size, children = place.children.size();
  auto const part = [&](std::size_t n) { return values.subspan(n * size, std::min(size, values.size() - n * size)); };
  std::array in{Incoming(comm), Incoming(comm)};
  std::array out{Outgoing(comm), Outgoing(comm)};
  // the children's messages one after the other, the next on its way while one is added
  auto const ask = [&](std::size_t message) {
    if (message < chunks * children)
      in[message % 2].begin({place.children[message % children]}, {part(message / children).size_bytes()});
  };
  ask(0);
  for (std::size_t n = 0; n < chunks; ++n) {
    std::span<T> const sums = part(n);
    for (std::size_t message = n * children; message < (n + 1) * children; ++message) {
      ask(message + 1);
      Incoming& from = in[message % 2];
      from.wait();
      if (from.header(0).whole == 0) continue;
      std::byte const* const theirs = from.take(0, sums.size_bytes());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        T value;
        std::memcpy(&value, theirs + i * sizeof(T), sizeof(T));
        sums[i] += value;
      }
    }
    count_held(in[0].held() + in[1].held() + out[0].held() + out[1].held());
    if (comm.root()) continue;
    Outgoing& to = out[n % 2];
    to.begin(static_cast<std::int64_t>(n), place.parent, std::vector{sums.size_bytes()});
    if (std::ranges::all_of(sums, [](T x) { return x == T{0}; })) {
      to.send_empty();
    } else {
      to.put(0, sums.data(), sums.size_bytes());
      to.send();
    }
  }
  for (auto& to : out) to.wait();
  count_stream(static_cast<std::int64_t>(chunks));
}

}  // namespace tessera::io::detail
