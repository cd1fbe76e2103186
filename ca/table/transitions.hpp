// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/table/lines.hpp"
#include "ca/table/rule_file.hpp"

namespace tessera::ca::table {

/// The section @TABLE from its second line on: its transitions as a tree. Throws core::Error with file and line.
RuleFile read_table(Lines& lines);

}  // namespace tessera::ca::table
