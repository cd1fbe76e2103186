// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"

#include "core/comm/runtime.hpp"
#include "core/grid/computed.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace tessera::ca {
namespace {

std::map<std::string, RuleTraits, std::less<>>& traits_of_rules() {
  static std::map<std::string, RuleTraits, std::less<>> all;
  return all;
}

std::vector<std::string> accepting(std::string_view word) {
  std::vector<std::string> names;
  for (auto const& [name, traits] : traits_of_rules())
    if (traits.matches != nullptr && traits.matches(word)) names.push_back(name);
  return names;
}

std::optional<KnownRule> look_up(std::string_view word) {
  std::string name(word);
  if (!Rules::contains(name))
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string spelling = name;
  if (!Rules::contains(name)) {
    auto const names = accepting(word);
    if (names.empty()) return std::nullopt;
    name = names.front();
    spelling = word;
  }
  auto const traits = traits_of_rules().find(name);
  if (traits == traits_of_rules().end()) return KnownRule{.name = name, .canonical = spelling};
  auto const [matches, canonical, dimensions, bits, range, colours] = traits->second;
  return KnownRule{name,
                   canonical != nullptr ? canonical(spelling) : spelling,
                   dimensions,
                   bits != nullptr ? bits(spelling) : 0,
                   range != nullptr ? range(spelling) : 1,
                   colours != nullptr ? colours() : Colours{}};
}

}  // namespace

std::vector<core::FieldBase const*> Automaton::look_at_fields() {
  if (!words().empty()) return {&look()};
  auto const all = fields();
  return {all.begin(), all.end()};
}

std::vector<core::FieldBase const*> Automaton::shown() {
  auto all = look_at_fields();
  std::erase_if(all, [](core::FieldBase const* field) { return !field->info().output; });
  for (auto const* field : derived()) all.push_back(field);
  return all;
}

bool add_rule_traits(std::string_view name, RuleTraits const& traits) {
  traits_of_rules().emplace(std::string(name), traits);
  return true;
}

std::optional<KnownRule> known_rule(std::string_view word) {
  // a run asks for its own rule again and again, and a sweep runs many of one rule: all kinds of rules parse the word
  thread_local std::string last;
  thread_local std::size_t kinds = 0;
  thread_local std::optional<KnownRule> known;
  if (!known || word != last || kinds != traits_of_rules().size()) {
    known = look_up(word);
    last = word;
    kinds = traits_of_rules().size();
  }
  return known;
}

std::string canonical_rule(std::string const& word) {
  auto const known = known_rule(word);
  return known ? known->canonical : word;
}

std::string one_field(core::Dictionary& properties) {
  constexpr char const* usual = "state";
  if (!properties.contains("rule") || !properties.is_dictionary("rule")) return usual;
  auto const* const fields = properties.sub("rule").find_sub("fields");
  return fields != nullptr && fields->keys().size() == 1 ? fields->keys().front() : usual;
}

/// What a plugin throws itself is told by the entry that asks for its rule.
static std::unique_ptr<Automaton> made_by(std::string const& rule, RuleContext& context) {
  try {
    return Rules::make(rule, context);
  } catch (std::exception const& error) {
    if (!core::is_of_plugin(error)) throw;
    context.properties.fail("rule", fmt::format("'{}' ends with an error of its own: {}", context.word, error.what()));
  }
}

std::unique_ptr<Automaton> make_automaton(std::string const& word, core::Dictionary& properties,
                                          core::Layout const& layout) {
  core::note_computed("rule", core::By::sweeps);
  RuleContext context{properties, word, layout, one_field(properties)};
  if (Rules::contains(word)) return made_by(word, context);

  auto const names = accepting(word);
  if (names.empty()) properties.fail("rule", core::unknown_name("rule", word, Rules::names()));
  if (names.size() > 1)
    properties.fail(
        "rule", fmt::format("rulestring '{}' is accepted by more than one rule: {} and {}", word, names[0], names[1]));
  return made_by(names.front(), context);
}

}  // namespace tessera::ca
