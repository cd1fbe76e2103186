// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/rule_file.hpp"

#include "ca/automaton.hpp"
#include "ca/table/rule_file.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::run::automaton {

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
  folders.push_back(session.files.path("constant"));
  folders.push_back(golly_rules());
  std::string file, text;
  io::on_root(session.comm, [&] {
    file = find_rule_file(rule, folders);
    if (!file.empty()) text = core::read_file(file);
  });
  session.comm.broadcast(file);
  if (file.empty())
    return fmt::format("{}, and no {}.rule in {}", core::unknown_name("rule", rule, ca::Rules::names()), rule,
                       fmt::join(folders, ", "));
  session.comm.broadcast(text);
  ca::table::add_rule_file(rule, text, file);
  session.log.line("Rule {}: {}", rule, file);
  return {};
}

}  // namespace tessera::run::automaton
