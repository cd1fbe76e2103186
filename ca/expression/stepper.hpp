// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/expression/description.hpp"

#include <memory>

namespace tessera::ca::expression {

/// The automaton of any rule that stands in a case: formulas are computed for pieces of rows, one operation after the other.
/// step throws core::Error where a formula gives a field of whole numbers what it cannot hold.
///
/// Cost: a pass over the fields a phase, and a load, an operation and a store from the innermost cache for each operation of a
/// formula and cell; two fields of memory for each field.
std::unique_ptr<Automaton> make_stepper(Description description, RuleContext& context);

}  // namespace tessera::ca::expression
