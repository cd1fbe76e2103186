// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/stop.hpp"

#include <fmt/ranges.h>
#include <sstream>

namespace tessera::ca {

Stop::Stop(core::Dictionary& stop) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (stop.contains("generations")) generations_ = stop.get_in<std::int64_t>("generations", {0, most});
  if (stop.contains("stable")) {
    stop.stream("stable").no_value();
    stable_ = true;
  }
  if (stop.contains("period")) {
    bool const bare = stop.stream("period").done();
    longest_ = bare ? 2 : stop.get_in<std::int64_t>("period", {1, 1000});
  }
  if (generations_ < 0 && !stable_ && longest_ == 0 && !stop.contains("when"))
    stop.fail("generations", "no reason to stop is given, expected generations N, stable, period or when");
}

std::string Stop::history() const { return fmt::format("{}", fmt::join(hashes_, " ")); }

void Stop::resume(std::string const& history) {
  std::istringstream words(history);
  for (std::string word; words >> word && hashes_.size() < static_cast<std::size_t>(longest_);) hashes_.push_back(word);
}

bool Stop::done(Automaton& automaton, std::int64_t changed) {
  return done(automaton.generation(), changed, [&] {
    std::string all;
    for (auto const* field : automaton.look_at_fields()) all += core::hash(*field);
    return all;
  });
}

bool Stop::done(std::int64_t generation, std::int64_t changed, std::function<std::string()> const& hash) {
  if ((stable_ || longest_ > 0) && changed == 0) {
    reason_ = stable_ ? "stable" : "period";
    period_ = 1;
    return true;
  }
  if (longest_ > 0) {
    std::string const now = hash();
    for (std::size_t q = 0; q < hashes_.size(); ++q)
      if (hashes_[q] == now) {
        reason_ = "period";
        period_ = static_cast<std::int64_t>(q) + 1;
        return true;
      }
    hashes_.push_front(now);
    if (hashes_.size() > static_cast<std::size_t>(longest_)) hashes_.pop_back();
  }
  if (generations_ >= 0 && generation >= generations_) {
    reason_ = "generations";
    return true;
  }
  return false;
}

}  // namespace tessera::ca
