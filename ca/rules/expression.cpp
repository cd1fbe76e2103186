// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/finite.hpp"
#include "ca/expression/stepper.hpp"

namespace tessera::ca::rules {

constexpr char const* expression_help = R"help(
constant/automatonProperties
    rule
    {
        expression  "count(state == 1) == 3 || (state == 1 && count(state == 1) == 2)";     what becomes of a cell, or
        expressions { u "..."; v "..."; }     of its fields, all at once; a field without one keeps its value
        neighbours  moore;                    those that sum and the like go over: moore | vonNeumann | ((1 0) (-1 0) ...)
        fields      { u double; v uint8; }    of a cell: uint8 int32 float double; default: { state uint8; }
        states      2;                        of the only field, 0 .. 1; default: all that its type holds
        parameters  { feed 0.035; }           numbers that formulas name
        let         { lap "sum(u) - 4 * u"; } parts that formulas name; one may use those before it
        phases      ( { neighbours ...; let { ... } expressions { ... } } ... );     one after the other within a generation
        untilStill  yes;                      of a phase, or the rule: taken again within the generation until it changes no cell
        quantities  { energy "..."; }         sums over the cells, for the series and the report
    }
    seed 1;                                   of uniform() and common()
    maxRepeats 1000000;                       of what is untilStill, in a generation: more end the run
Formulas: u is the cell's field, u(1, 0) that of the cell to its right;
    sum(E) mean(E) smallest(E) largest(E) count(E)    over the neighbours: in E, u is the neighbour's and centre(u) the cell's own;
                                                      count: for how many E holds
    uniform() uniform(k)            random numbers of the cell in [0, 1), k = 0 .. 1023
    common() common(k)              those that all cells share
    x y z nx ny nz step pi          the cell's position, the grid's cells, the generation
    + - * / ^ %   < <= > >= == !=   && || !   a ? b : c
    abs floor ceil round sqrt exp log sin cos tanh, min max of two or more
All are numbers of double precision; what compares is 1 or 0, and all but 0 is true. What a field of whole numbers cannot hold ends
the run with the cell. Rules of one field in the plane that say their states become a rulestring or a table where they can.)help";

static std::unique_ptr<Automaton> make_expression(RuleContext& context) {
  if (!context.properties.is_dictionary("rule"))
    context.properties.fail("rule", "is 'expression', expected the rule itself: rule { expression \"...\"; }");
  auto const cells = context.grid().cells();
  auto rule = expression::Description::read(context.properties.sub("rule"), cells);
  auto const finite = expression::as_finite(rule, cells);
  if (!finite) return expression::make_stepper(std::move(rule), context);
  if (finite->tree) return table::make_automaton(finite->around, *finite->tree, context);
  return make_automaton(finite->rulestring, context.properties, context.layout);
}

[[maybe_unused]] static bool const expression_added = Rules::add(
    "expression", "formulas that stand in the case: rule { expression \"...\"; }", &make_expression, expression_help);

}  // namespace tessera::ca::rules
