// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tessera::core {

/// The number that an expression of `#eval` gives: + - * / ^, comparisons, a ? b : c, and of v1912's functions pi(),
/// degToRad, radToDeg, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, log10, sqrt, cbrt, sqr, pow, mag, min,
/// max, floor, ceil, round. All of it in double, as there. Throws core::Error, without a place, for what cannot be computed.
double evaluate(std::string const& expression);

}  // namespace tessera::core
