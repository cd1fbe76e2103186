// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::run {

/// A text with values in it: `{NAME}` becomes the value of that name as it stands, `{2 * L + 1}` the number that the
/// expression over the names gives (muParser: + - * / ^, comparisons, a ? b : c, sqrt, exp, log, sin, min, max ...), written
/// with as few digits as read back to the same value. Names whose values are no numbers cannot be in expressions.
/// Throws core::Error with `origin` in front for what cannot be computed.
std::string fill_in(std::string_view text, std::vector<std::pair<std::string, std::string>> const& values,
                    std::string const& origin);

/// The number that an expression over names gives: as in fill_in, and logic too, && || ==, which give 0 or 1. Throws
/// core::Error with `origin` in front for what cannot be computed or is not finite.
double compute(std::string_view expression, std::vector<std::pair<std::string, double>> const& values,
               std::string const& origin);

/// The number that a text is, from its first character to its last; NaN where it is none.
double number_in(std::string_view text);

/// As few digits as read back to the same value; whole numbers without a point.
std::string text_of_number(double x);

}  // namespace tessera::run
