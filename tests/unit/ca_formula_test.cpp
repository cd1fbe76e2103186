// SPDX-License-Identifier: Apache-2.0
// Formulas of rules, against muParser and numbers checked by hand.
#include "ca/expression/description.hpp"
#include "ca/expression/finite.hpp"
#include "core/case/expression.hpp"
#include "core/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tessera::tests {
namespace {

using namespace ca::expression;

/// Cells that hold a + 10 b of their offset in field 0, and 7 in field 1.
struct Plane {
  void load(Step const& step, double* to, int cells) const {
    for (int n = 0; n < cells; ++n)
      to[n] = step.op == Op::value      ? (step.which == 0 ? step.at[0] + 10 * step.at[1] + 100.0 * n : 7)
              : step.op == Op::uniform  ? 0.25 * (step.which + 1)
              : step.op == Op::common   ? 0.125 * (step.which + 1)
              : step.op == Op::position ? 3 + step.which
                                        : 42;
  }
};

Vocabulary words() {
  return {.fields = {"u", "v"},
          .parameters = {{"p", 0.5}},
          .names = {},
          .neighbours = {{0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}},
          .cells = {20, 30, 1},
          .dimensions = 2};
}
/// Of the first cell and of the third.
std::array<double, 2> values(std::string const& text) {
  Graph graph;
  std::array const node{read_formula(text, words(), graph)};
  Program const program(graph, node);
  constexpr int width = 4;
  std::vector<double> registers(Program::most_registers * width);
  Machine<width> const machine{registers.data()};
  machine.run(program.steps.data(), program.steps.data() + program.once, width, Plane());
  machine.run(program.steps.data() + program.once, program.steps.data() + program.steps.size(), 3, Plane());
  return {machine.at(program.results[0])[0], machine.at(program.results[0])[2]};
}
double value(std::string const& text) { return values(text)[0]; }
std::string fault(std::string const& text) {
  try {
    value(text);
  } catch (std::invalid_argument const& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(Formula, KnowsTheCellItsNeighboursAndTheGrid) {
  EXPECT_EQ(values("u"), (std::array{0.0, 200.0}));
  EXPECT_EQ(values("u(1, 0)"), (std::array{1.0, 201.0}));
  EXPECT_EQ(value("u(-2,+3) + v"), 28 + 7);
  EXPECT_EQ(value("sum(u)"), 0);
  EXPECT_EQ(value("sum(u * u)"), 2 * 100 + 2);
  EXPECT_EQ(value("mean(u * u + p)"), 202.0 / 4 + 0.5);
  EXPECT_EQ(value("smallest(u)"), -10);
  EXPECT_EQ(value("largest(u + v)"), 17);
  EXPECT_EQ(value("count(u > centre(u))"), 2);
  EXPECT_EQ(value("count(abs(u) == 10 && v == 7)"), 2);
  EXPECT_EQ(value("uniform() + uniform(2)"), 1);
  EXPECT_EQ(value("common() + common(2)"), 0.5);
  EXPECT_EQ(value("sum(u + common())"), 0.5) << "the same for a neighbour";
  EXPECT_EQ(value("x + 10*y + 100*z + nx + ny + nz + step"), 3 + 40 + 500 + 20 + 30 + 1 + 42);
  EXPECT_EQ(value("u + p"), 0.5);
}

TEST(Formula, BindsAsMathematicsDoes) {
  EXPECT_EQ(value("2 + 3 * 4 - 6 / 2"), 11);
  EXPECT_EQ(value("-2 ^ 2"), -4);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("2 ^ -1"), 0.5);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("24 / 4 / 2"), 3);
  EXPECT_EQ(value("-7 % 3"), 2) << "the sign of the second";
  EXPECT_EQ(value("round(2.5) + round(-2.5)"), 3 - 2);
  EXPECT_EQ(value("(1 < 2) == 0 ? 1 : 2"), 2);
}

TEST(Formula, OfTruthGivesOneOrZero) {
  EXPECT_EQ(value("!0 + !5"), 1);
  EXPECT_EQ(value("0.5 && -3"), 1);
  EXPECT_EQ(value("0 || 0"), 0);
  EXPECT_EQ(value("1 || 0 && 0"), 1);
  EXPECT_EQ(value("v >= 7 && v <= 7 && v != 8"), 1);
  EXPECT_EQ(value("u > 0 ? 1 : u == 0 ? 2 : 3"), 2);
}

TEST(Formula, ThatIsNoneIsToldWithItsColumn) {
  std::map<std::string, std::string> const faults{
      {"", "column 1: found the end, expected a number, a name or '('"},
      {"u +", "column 4: found the end, expected a number, a name or '('"},
      {"u = 1", "column 3: found '=', expected an operator or the end"},
      {"u & v", "column 3: found '&', expected an operator or the end"},
      {"0 < u < 1", "column 7: found '<', expected no second comparison: a < b && b < c"},
      {"u(1.5)", "column 3: found '1', expected a whole number -64 .. 64"},
      {"u(65)", "column 3: found '65', expected a whole number -64 .. 64"},
      {"u(p)", "column 3: found 'p', expected a whole number -64 .. 64"},
      {"u(0, 0, 1)", "column 9: found '1', expected ')': the grid has 2 axes"},
      {"sum(u(1,0))", "column 5: found 'u', expected u alone, or centre(u): offsets cannot be told from a neighbour"},
      {"sum(x)", "column 5: found 'x', expected x outside of what is over the neighbours: it is of the cell itself"},
      {"sum(uniform())", "column 5: found 'uniform', expected uniform outside of"},
      {"sum(count(u))", "column 5: found 'count', expected no count inside another one over the neighbours"},
      {"centre(u)",
       "column 1: found 'centre', expected centre(...) inside sum, mean, smallest, largest or count alone"},
      {"sum(centre(p))", "column 12: found 'p', expected a field: u, v"},
      {"max(u)", "column 6: found ')', expected ',': max is of two numbers or more; over the neighbours: largest(...)"},
      {"uniform(1024)", "column 9: found '1024', expected a whole number 0 .. 1023"},
      {"cuont(u)", "column 1: unknown name 'cuont'"},
      {"w + 1", "column 1: unknown name 'w'"},
      {"sqrt", "column 1: found 'sqrt', expected '(' behind the function sqrt"},
      {"2 u", "column 3: found 'u', expected an operator or the end"},
      {"2u", "column 2: found 'u', expected an operator behind the number"},
      {"(u", "column 3: found the end, expected ')'"},
      {"u ? 1", "column 6: found the end, expected ':' and what holds otherwise"}};
  for (auto const& [text, expected] : faults) EXPECT_EQ(fault(text).substr(0, expected.size()), expected) << text;
  EXPECT_NE(fault("cuont(u)").find("count"), std::string::npos) << "the nearest name";
  EXPECT_NE(fault(std::string(5000, '(')).find("at most 200 brackets"), std::string::npos);
  EXPECT_NE(fault(std::string(5000, '-') + "1").find("at most 200 brackets"), std::string::npos);
}

/// A random formula of numbers and v, which is 7, in words that muParser has too.
std::string random_formula(std::mt19937& random, int depth) {
  auto const pick = [&](unsigned n) { return random() % n; };
  if (depth == 0) return pick(3) == 0 ? "v" : fmt::format("{}", static_cast<double>(pick(40)) / 4);
  auto const part = [&] { return random_formula(random, depth - 1); };
  switch (pick(6)) {
  case 0:
    return fmt::format("({} ? {} : {})", part() + " < " + part(), part(), part());
  case 1:
    return fmt::format("{}({}, {})", pick(2) == 0 ? "min" : "max", part(), part());
  case 2:
    return fmt::format("{}({})", std::array{"abs", "floor", "sin", "cos", "tanh"}[pick(5)], part());
  case 3:
    return fmt::format("(-{})", part());
  default:
    return fmt::format("({} {} {})", part(), std::array{"+", "-", "*", "<=", ">", "==", "!="}[pick(7)], part());
  }
}

TEST(Formula, GivesWhatMuParserGives) {
  std::mt19937 random(5);
  int compared = 0;
  for (int n = 0; n < 400; ++n) {
    auto const text = random_formula(random, 1 + n % 5);
    auto plain = text;  // as the dictionary's expressions have it
    for (std::size_t at = 0; (at = plain.find('v', at)) != std::string::npos; ++at) plain.replace(at, 1, "7");
    for (std::size_t at = 0; (at = plain.find("abs", at)) != std::string::npos; ++at) plain.replace(at, 3, "mag");
    double const expected = core::evaluate(plain);
    EXPECT_EQ(value(text), expected) << text;
    compared += std::isfinite(expected);
  }
  EXPECT_GT(compared, 350);
}

TEST(Formula, IsComputedOnceWhereItStandsTwice) {
  Graph graph;
  std::array const nodes{read_formula("sum(u) / 4 + sum(u) * 2", words(), graph),
                         read_formula("sum(u) + 0", words(), graph)};
  Program const program(graph, nodes);
  int loads = 0;
  for (auto const& step : program.steps) loads += step.op == Op::value;
  EXPECT_EQ(loads, 4);
  EXPECT_LE(program.registers, 3 + 4) << "constants, and what is needed at once";
}

std::string form_of(std::string const& rule, std::array<core::Count, 3> const& cells = {64, 64, 1}) {
  auto properties = core::Dictionary::parse("rule {" + rule + "}", "p");
  return form(properties, cells);
}

TEST(RuleOfACase, BecomesTheFastestFormThatItHas) {
  EXPECT_EQ(form_of("states 2; expression \"count(state) == 3 || (state && count(state) == 2)\";"), "B3/S23");
  EXPECT_EQ(form_of("states 2; neighbours vonNeumann; expression \"count(state == 1) == 1 ? 1 : state\";"),
            "B1/S01234V");
  EXPECT_EQ(form_of("states 2; expression \"state(0, 1)\";"), "a table of 2 states and 5 cells");
  EXPECT_EQ(form_of("states 3; expression \"state == 1 ? 2 : state == 2 ? 0 : count(state == 1) == 2\";"),
            "a table of 3 states and 9 cells");
  EXPECT_EQ(form_of("states 2; expression \"count(state) == 3\"; quantities { n \"state\"; }").substr(0, 8),
            "formulas");
  EXPECT_EQ(form_of("expression \"count(state) == 3\";").substr(0, 8), "formulas") << "256 states";
  EXPECT_EQ(form_of("states 2; expression \"uniform() < 0.5\";").substr(0, 8), "formulas");
  EXPECT_EQ(form_of("states 2; expression \"state > common()\";").substr(0, 8), "formulas");
  EXPECT_EQ(form_of("states 2; untilStill yes; expression \"count(state) > 3\";").substr(0, 8), "formulas");
  EXPECT_EQ(form_of("states 2; expression \"x % 2\";").substr(0, 8), "formulas");
  EXPECT_EQ(form_of("states 2; expression \"step % 2\";").substr(0, 8), "formulas");
  EXPECT_EQ(form_of("states 2; expression \"state(2, 0)\";").substr(0, 8), "formulas");
  EXPECT_EQ(form_of("states 2; expression \"state + 1\";").substr(0, 8), "formulas") << "2 may come of it";
  EXPECT_EQ(form_of("states 2; expression \"count(state) == 3\";", {9, 9, 9}).substr(0, 8), "formulas");
}

TEST(RuleOfACase, ThatIsWrongIsToldByItsEntry) {
  std::map<std::string, std::string> const faults{
      {"", "entry 'expression'"},
      {"expression \"u\";", "entry 'expression' is 'u', column 1: unknown name 'u'"},
      {"fields { u double; } expression \"u +\";", "is 'u +', column 4: found the end"},
      {"fields { u double; v double; } expression \"u\";", "is for one field, expected expressions { u"},
      {"fields { u double; v double; } expressions { w \"u\"; }", "is no field, expected u, v"},
      {"fields { sum double; } expression \"1\";", "is a name that formulas have already"},
      {"fields { u real; } expression \"1\";", "is 'real', expected a type: uint8, int32, float, double"},
      {"parameters { a 1; } let { a \"1\"; } expression \"1\";", "entry 'a' cannot be the name of a part"},
      {"let { state \"1\"; } expression \"1\";", "entry 'state' cannot be the name of a part"},
      {"parameters { state 1; } expression \"state\";", "is the name of something else of the rule"},
      {"fields { u double; } parameters { u 1; } expression \"1\";", "is the name of something else of the rule"},
      {"fields { u double; } states 2; expression \"1\";", "entry 'states' is of rules with one field"},
      {"neighbours ((1 0) (1 0)); expression \"1\";", "each offset once"},
      {"neighbours ((1)); expression \"1\";", "offsets of 2 whole numbers each"},
      {"neighbours ((0 0 1)); expression \"1\";", "along the 2 axes of the grid"},
      {"neighbours hexagonal; expression \"1\";", "moore"},
      {"phases (); ", "is an empty list"},
      {"phases ({ expression \"1\"; }); expression \"1\";", "stands beside 'phases'"},
      {"phases ({ expression \"1\"; }); untilStill yes;", "'untilStill' stands beside 'phases'"},
      {"untilStill maybe; expression \"1\";", "untilStill"},
      {"fields { common double; } expression \"1\";", "is a name that formulas have already"},
      {"expression \"1\"; expressions { state \"1\"; }", "stands beside 'expressions'"}};
  for (auto const& [text, expected] : faults) {
    auto properties = core::Dictionary::parse("rule {" + text + "}", "p");
    std::string what;
    try {
      Description::read(properties.sub("rule"), {9, 9, 1});
    } catch (core::Error const& error) {
      what = error.what();
    }
    EXPECT_EQ(what.substr(0, 4), "p:1:") << text;
    EXPECT_NE(what.find(expected), std::string::npos) << text << " -> " << what;
  }
}

TEST(RuleOfACase, HasNumbersAtOnceForLongFormulasOnly) {
  std::string sum = "state(0,0)";
  for (int n = 1; n < 60; ++n) sum = fmt::format("(state({},0) * {})", n, sum);
  auto properties = core::Dictionary::parse("rule { expression \"" + sum + " >= 0\"; }", "p");
  EXPECT_NO_THROW(Description::read(properties.sub("rule"), {99, 99, 1}));
}

}  // namespace
}  // namespace tessera::tests
