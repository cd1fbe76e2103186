// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/shard.hpp"

#include "core/case/wrong_command.hpp"

#include <charconv>
#include <fmt/format.h>

namespace tessera::run {

Shard Shard::read(std::string const& text) {
  if (text.empty()) return {};
  Shard shard{-1, 0};
  char const* const end = text.data() + text.size();
  auto const [slash, number_error] = std::from_chars(text.data(), end, shard.number);
  if (number_error == std::errc() && slash != end && *slash == '/') {
    auto const [last, of_error] = std::from_chars(slash + 1, end, shard.of);
    if (of_error == std::errc() && last == end && shard.number >= 0 && shard.number < shard.of) return shard;
  }
  throw core::WrongCommand(fmt::format("--shard is '{}', expected I/N with I = 0 .. N - 1, such as 3/8", text));
}

std::vector<Point> Shard::points(std::vector<Point> const& all) const {
  std::vector<Point> some;
  for (auto n = number; n < std::ssize(all); n += of) some.push_back(all[static_cast<std::size_t>(n)]);
  return some;
}

std::string Shard::mark() const { return whole() ? "" : fmt::format("{}of{}.", number, of); }

bool Shard::reads(std::string const& rest) const {
  return whole() || rest.find("of") == std::string::npos || rest.starts_with(mark());
}

}  // namespace tessera::run
