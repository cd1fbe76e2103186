// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/rule_file.hpp"

#include "ca/automaton.hpp"
#include "ca/table/rule_file.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::run::automaton {

namespace {

/// What is wrong with a word that is no rule: that it would be a rulestring with another number in the place of one, or without a
/// character; otherwise the names that there are.
std::string fault_of(std::string const& rule) {
  auto const told = [&](std::size_t at, std::size_t length, char const* with, char const* how) -> std::string {
    auto const other = std::string(rule).replace(at, length, with);
    auto const known = ca::known_rule(other);
    if (!known || ca::Rules::contains(other)) return {};
    return fmt::format("unknown rule '{}': {} '{}' it would be a rulestring of `tessera help {}`", rule, how,
                       rule.substr(at, length), known->name);
  };
  constexpr char const* digits = "0123456789";
  for (auto at = rule.find_first_of(digits); at != std::string::npos;) {
    auto const end = std::min(rule.find_first_not_of(digits, at), rule.size());
    for (char const* const number : {"1", "2", "5", "9"})
      if (auto const text = told(at, end - at, number, "with another number for"); !text.empty()) return text;
    at = rule.find_first_of(digits, end);
  }
  for (std::size_t at = 0; at < rule.size(); ++at)
    if (auto const text = told(at, 1, "", "without"); !text.empty()) return text;
  return core::unknown_name("rule", rule, ca::Rules::names());
}

}  // namespace

std::string golly_rules() {
  char const* const golly = std::getenv("GOLLY");
  return std::string(golly != nullptr ? golly : "/usr/share/golly") + "/Rules";
}

std::string find_rule_file(std::string const& rule, std::vector<std::string> const& folders) {
  if (rule.empty() || rule[0] == '.' || rule.find_first_of("/\n") != std::string::npos) return {};
  for (auto const& folder : folders) {
    auto const file = std::filesystem::path(folder) / (rule + ".rule");
    if (std::error_code none; std::filesystem::exists(file, none)) return file.string();
  }
  return {};
}

std::string load_rule_file(Session& session, std::string const& rule, std::vector<std::string> folders) {
  if (ca::known_rule(rule)) return {};
  for (auto const& folder : {session.files.path("constant"), golly_rules()})
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  auto const read = [&](std::string const& name) {
    std::pair<std::string, std::string> found;  // file, text
    io::on_root(session.comm, [&] {
      found.first = find_rule_file(name, folders);
      if (!found.first.empty()) found.second = core::read_file(found.first);
    });
    session.comm.broadcast(found.first);
    session.comm.broadcast(found.second);
    return found;
  };
  auto const [file, text] = read(rule);
  if (file.empty()) return fmt::format("{}, and no {}.rule in {}", fault_of(rule), rule, fmt::join(folders, ", "));
  ca::table::add_rule_file(rule, text, file);
  session.log.line("Rule {}: {}", rule, file);
  // relatives share what they look like
  auto const* const added = ca::table::rule_file(rule);
  auto const hyphen = rule.rfind('-');
  if (hyphen == std::string::npos || !(added->colours.empty() || added->icons.empty())) return {};
  auto const [shared, looks] = read(rule.substr(0, hyphen) + "-shared");
  if (shared.empty()) return {};
  ca::table::share_looks(rule, looks, shared);
  session.log.line("Colours and icons of {}: {}", rule, shared);
  return {};
}

}  // namespace tessera::run::automaton
