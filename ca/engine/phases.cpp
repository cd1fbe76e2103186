// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/phases.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace tessera::ca::detail {

std::int64_t read_most_repeats(core::Dictionary& properties) {
  return properties.get_in<std::int64_t>("maxRepeats", {1, std::int64_t{1} << 62}, usual_repeats);
}

void fail_to_rest(std::string const& where, int phase, std::string const& rule, std::int64_t repeats,
                  std::int64_t generation) {
  throw core::Error(fmt::format("{}: phase {} of the rule '{}' still changes cells after {} repeats in generation {}, "
                                "expected that it comes to rest, or a larger maxRepeats",
                                where, phase, rule, repeats, generation));
}

void give_up_rest(std::string const& where, int phase, std::string const& rule, std::int64_t repeats,
                  std::int64_t generation) {
  throw core::RunError(fmt::format("{}: phase {} of the rule '{}' had not come to rest after {} repeats in generation "
                                   "{} when the run was asked to end: nothing is written of that generation",
                                   where, phase, rule, repeats, generation));
}

}  // namespace tessera::ca::detail
