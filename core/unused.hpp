// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

namespace tessera::core {

/// Lines for the log, `FILE:LINE: 'W' is used by nobody: taken for a variable`: what Dictionary::check_all_read let pass.
///
/// OpenFOAM's users define variables for `$NAME` in their dictionaries, and some are used by none of the entries. So in a
/// file that OpenFOAM has too, a value at the top that nobody reads is a variable, unless its name is near a word that was
/// asked for there, or is one that was asked for in a block of the file: these are misspelt or misplaced entries, errors
/// as everywhere else.
std::set<std::string>& unused_variables();

}  // namespace tessera::core
