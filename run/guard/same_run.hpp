// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tessera::run {

/// Checks at the start of a run that all ranks are the same version of the program with the same case: `version` and
/// `hash` as this rank has them (the hash of its command line and of the case as it sees it; empty where it does not see
/// the directory, which the root alone reads). Throws core::Error on all ranks, naming the first rank and host that
/// differs from most others; `what` it has then, and what is `expected` of it. Collective.
void require_same_run(core::Comm const& comm, std::string const& version, std::string const& hash,
                      std::string const& what = "another case", std::string const& expected = "the files and settings");

/// The folders of a case whose files make up its hash.
constexpr std::array<char const*, 3> hashed_folders{"system", "constant", "0"};

/// Digits that depend on the text of all files in the folders system, constant and 0 of a case (names and contents) and
/// on the settings; empty where this process cannot see the directory. Files over 1 MiB count by name and size: other hosts
/// may have copies of them, of other times. Folders below these that are links are not looked into.
std::string case_hash(std::string const& directory, std::vector<std::string> const& settings);

/// The same of a case that results are kept of: files over 1 MiB count by the time of their change, too, and so do all files in
/// folders that are links. Files that `passed_over` names (such as "system/sweepDict") do not count.
std::string lasting_case_hash(std::string const& directory, std::vector<std::string> const& settings,
                              std::function<bool(std::string const& file)> const& passed_over);

}  // namespace tessera::run
