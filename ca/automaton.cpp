// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"

#include "ca/rulestrings.hpp"

#include <fmt/format.h>
#include <map>
#include <vector>

namespace tessera::ca {
namespace {

using Matches = bool (*)(std::string_view);

std::map<std::string, Matches, std::less<>>& rulestrings() {
  static std::map<std::string, Matches, std::less<>> tests;
  return tests;
}

}  // namespace

bool add_rulestring(std::string_view name, Matches matches) {
  rulestrings().emplace(std::string(name), matches);
  return true;
}

std::vector<std::string> rules_accepting(std::string_view word) {
  std::vector<std::string> accepting;
  for (auto const& [name, matches] : rulestrings())
    if (matches(word)) accepting.push_back(name);
  return accepting;
}

std::unique_ptr<Automaton> make_automaton(std::string const& word, core::Dictionary& properties,
                                          core::Layout const& layout) {
  RuleContext context{properties, word, layout};
  if (Rules::contains(word)) return Rules::make(word, context);

  auto const accepting = rules_accepting(word);
  if (accepting.empty()) properties.fail("rule", core::unknown_name("rule", word, Rules::names()));
  if (accepting.size() > 1)
    properties.fail("rule", fmt::format("rulestring '{}' is accepted by more than one rule: {} and {}", word,
                                        accepting[0], accepting[1]));
  return Rules::make(accepting.front(), context);
}

}  // namespace tessera::ca
