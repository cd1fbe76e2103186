// SPDX-License-Identifier: Apache-2.0
#include "core/case/expression.hpp"

#include "core/error.hpp"

#include <cmath>
#include <muParser.h>
#include <numbers>

namespace tessera::core {
namespace {

double pi() { return std::numbers::pi; }
double radians(double x) { return x * (std::numbers::pi / 180); }
double degrees(double x) { return x * (180 / std::numbers::pi); }
double square(double x) { return x * x; }
double magnitude(double x) { return std::abs(x); }
double decimal(double x) { return std::log10(x); }
double natural(double x) { return std::log(x); }
double cube_root(double x) { return std::cbrt(x); }
double power(double x, double y) { return std::pow(x, y); }
double below(double x) { return std::floor(x); }
double above(double x) { return std::ceil(x); }
double nearest_whole(double x) { return std::round(x); }

}  // namespace

double evaluate(std::string const& expression) {
  double x = 0;
  try {
    mu::Parser parser;
    parser.DefineFun("pi", pi);
    parser.DefineFun("degToRad", radians);
    parser.DefineFun("radToDeg", degrees);
    parser.DefineFun("sqr", square);
    parser.DefineFun("mag", magnitude);
    parser.DefineFun("log", natural);
    parser.DefineFun("log10", decimal);
    parser.DefineFun("cbrt", cube_root);
    parser.DefineFun("pow", power);
    parser.DefineFun("floor", below);
    parser.DefineFun("ceil", above);
    parser.DefineFun("round", nearest_whole);
    parser.SetExpr(expression);
    x = parser.Eval();
  } catch (mu::ParserError const& error) {
    throw Error(error.GetMsg());
  }
  if (!std::isfinite(x)) throw Error("the result is no finite number");
  return x;
}

}  // namespace tessera::core
