// SPDX-License-Identifier: Apache-2.0
#include "core/comm/slowdown.hpp"

#include "core/error.hpp"

#include <fmt/format.h>
#include <sstream>
#include <string>

namespace tessera::core {

Slowdown& slowdown() {
  static Slowdown one;
  return one;
}

Slowdown read_slowdown(char const* text, int rank) {
  Slowdown mine;
  if (text == nullptr) return mine;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    std::istringstream in(item);
    int for_rank = -1;
    double factor = 0, after = 0;
    char colon = 0, second = ':';
    in >> for_rank >> colon >> factor;
    bool good = !in.fail() && colon == ':';
    if (good && in.peek() == ':') good = static_cast<bool>(in >> second >> after);
    if (!good || in.peek() != std::istringstream::traits_type::eof() || for_rank < 0 || factor < 1 || after < 0)
      throw Error(
          fmt::format("environment: TESSERA_SLOWDOWN '{}', expected RANK:FACTOR[:AFTER],... with FACTOR >= 1", item));
    if (for_rank == rank) {
      mine.factor = factor;
      mine.after = after;
    }
  }
  return mine;
}

void Sweep::wait() const {
  auto const now = Clock::now();
  Slowdown const& s = slowdown();
  if (std::chrono::duration<double>(now - s.begin).count() < s.after) return;
  auto const until = now + std::chrono::duration_cast<Clock::duration>((now - begin_) * (s.factor - 1));
  while (Clock::now() < until) {
  }
}

}  // namespace tessera::core
