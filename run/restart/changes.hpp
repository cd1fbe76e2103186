// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/snapshot.hpp"

#include <map>
#include <string>
#include <vector>

namespace tessera::run {

/// The entries of a dictionary as `Dictionary::text` writes it, `solvers.T.tolerance` -> `1e-6`.
std::map<std::string, std::string> entries_of(std::string const& text);

/// How the dictionaries that results were made with differ from those of the case now, in what makes results: `FILE: PATH
/// BEFORE -> NOW`, in the order of files and paths. Files that only one side has are left out, and what says where the
/// work is done, when the run ends and what is written: of controlDict only the time step counts.
std::vector<std::string> changes(io::Provenance const& before, io::Provenance const& now);

}  // namespace tessera::run
