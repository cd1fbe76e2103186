// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/model.hpp"

#include <string>
#include <vector>

namespace tessera::run::automaton {

/// The folder that Golly keeps its rules in: that of its package, or Rules in the one which the environment variable GOLLY
/// names.
std::string golly_rules();
/// The file RULE.rule in the first of the folders that has one; empty where none has, or where RULE is no name of a file.
std::string find_rule_file(std::string const& rule, std::vector<std::string> const& folders);

/// Adds the rule that RULE.rule holds, in one of the folders, in the case's constant/ or with Golly's, unless a registered rule
/// has the name or takes the rulestring; colours and icons that it lacks come from NAME-shared.rule, where RULE is NAME-...
/// Returns what to say where there is no such file, and nothing otherwise. Throws core::Error for what is wrong in the file.
/// Collective.
std::string load_rule_file(Session& session, std::string const& rule, std::vector<std::string> folders);

}  // namespace tessera::run::automaton
