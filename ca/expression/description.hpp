// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/expression/formula.hpp"
#include "ca/expression/program.hpp"
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"

#include <string>
#include <vector>

namespace tessera::ca::expression {

/// One of a rule's phases: which fields it sets, by which formulas.
struct Phase {
  Graph graph;
  std::vector<int> nodes;           ///< of the formulas' results
  std::vector<int> fields;          ///< that they are of
  std::vector<int> looks_at;        ///< fields of whose other cells formulas take values
  std::vector<int> spread;          ///< those of them that the phase sets
  std::vector<std::string> places;  ///< FILE:LINE of the formulas, in errors
  Program program;
  int reach = 0;             ///< how many cells far it looks
  bool corners = false;      ///< along more than one axis at once
  bool until_still = false;  ///< taken again and again within a generation, until it changes no cell
};

/// A rule that stands in a case, as `rule { ... }` of constant/automatonProperties.
struct Description {
  struct OfField {
    std::string name;
    core::Element element;
    double least, most;  ///< of whole numbers; infinite for others
    bool whole() const { return element == core::Element::uint8 || element == core::Element::int32; }
  };
  std::vector<OfField> fields;
  int states = 0;  ///< of the only field, 0 .. states - 1; 0: not said
  std::vector<Phase> phases;
  std::vector<std::string> quantities;
  Phase measure;         ///< the formulas of the quantities, of none of the fields
  bool random = false;   ///< whether numbers are drawn
  bool repeats = false;  ///< whether a phase goes on until nothing changes
  int halo = 1;          ///< cells: how far the phases look, the farthest, and at least 1

  static constexpr std::size_t most_fields = 16;

  /// Reads `rule`; `cells`: of the grid. Throws core::Error at the entry that is wrong.
  static Description read(core::Dictionary& rule, std::array<core::Count, 3> const& cells);
};

}  // namespace tessera::ca::expression
