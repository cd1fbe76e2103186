// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/description.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>
#include <stdexcept>

namespace tessera::ca::expression {
namespace {

using core::Dictionary;

class DescriptionReader {
 public:
  DescriptionReader(Dictionary& rule, std::array<core::Count, 3> const& cells) : rule_(rule) {
    words_.cells = {cells[0], cells[1], cells[2]};
    words_.dimensions = cells[2] > 1 ? 3 : cells[1] > 1 ? 2 : 1;
  }

  Description read() {
    read_fields();
    read_parameters();
    if (rule_.contains("phases"))
      read_phases();
    else
      result_.phases.push_back(read_phase(rule_, true));
    read_quantities();
    for (auto const& phase : result_.phases) result_.halo = std::max(result_.halo, phase.reach);
    result_.halo = std::max(result_.halo, result_.measure.reach);
    return std::move(result_);
  }

 private:
  void read_fields() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto const add = [&](std::string const& name, std::string const& type) {
      auto const element = type == "uint8"   ? core::Element::uint8
                           : type == "int32" ? core::Element::int32
                           : type == "float" ? core::Element::float32
                                             : core::Element::float64;
      double const least = type == "uint8" ? 0 : type == "int32" ? std::numeric_limits<std::int32_t>::min() : -infinity;
      double const most = type == "uint8" ? 255 : type == "int32" ? std::numeric_limits<std::int32_t>::max() : infinity;
      result_.fields.push_back({name, element, least, most});
      words_.fields.push_back(name);
    };
    if (auto* const fields = rule_.find_sub("fields")) {
      for (auto const& name : fields->keys()) {
        check_name(*fields, name);
        std::vector<std::string> const types{"uint8", "int32", "float", "double"};
        auto const type = fields->get<std::string>(name);
        if (std::ranges::find(types, type) == types.end())
          fields->fail_entry(name, fmt::format("is '{}', expected a type: {}", type, fmt::join(types, ", ")));
        add(name, type);
      }
      if (result_.fields.empty() || result_.fields.size() > Description::most_fields)
        rule_.fail("fields", fmt::format("are {}, expected 1 .. {}: fields {{ u double; v double; }}",
                                         result_.fields.size(), Description::most_fields));
    } else {
      add("state", "uint8");
      taken_.insert("state");
    }
    if (!rule_.contains("states")) return;
    auto& only = result_.fields.front();
    if (result_.fields.size() > 1 || !only.whole())
      rule_.fail_entry("states", "is of rules with one field of uint8 or int32, expected none");
    result_.states = rule_.get_in<int>("states", {2, only.element == core::Element::uint8 ? 256 : 1 << 30});
    only.least = 0;
    only.most = result_.states - 1;
  }

  void read_parameters() {
    auto* const parameters = rule_.find_sub("parameters");
    if (parameters == nullptr) return;
    for (auto const& name : parameters->keys()) {
      check_name(*parameters, name);
      words_.parameters[name] = parameters->get<double>(name);
    }
  }

  void check_name(Dictionary const& in, std::string const& name) {
    if (!is_name(name)) in.fail_entry(name, "is no name for formulas, expected letters, digits and _, a letter first");
    if (is_reserved(name)) in.fail_entry(name, "is a name that formulas have already, expected another one");
    if (!taken_.insert(name).second)
      in.fail_entry(name, "is the name of something else of the rule, expected another one");
  }

  void read_phases() {
    for (char const* const key : {"expression", "expressions", "neighbours", "untilStill"})
      if (rule_.contains(key)) rule_.fail_entry(key, "stands beside 'phases', expected in one of them");
    for (auto const& item : rule_.items("phases")) {
      if (item.dictionary == nullptr)
        rule_.fail_entry("phases", "is a list, expected a list of { expressions { ... } }");
      result_.phases.push_back(read_phase(*item.dictionary, false));
      item.dictionary->check_all_read();
    }
    if (result_.phases.empty()) rule_.fail_entry("phases", "is an empty list, expected at least one { ... }");
    if (result_.phases.size() > 128) rule_.fail_entry("phases", "has more than 128 phases");
  }

  /// `whole`: the phase stands in the rule itself.
  Phase read_phase(Dictionary& entry, bool whole) {
    Phase phase;
    phase.until_still = entry.get_or("untilStill", false);
    result_.repeats = result_.repeats || phase.until_still;
    read_neighbours(entry);
    begin_names(phase, whole ? nullptr : &entry);
    if (auto* const several = entry.find_sub("expressions")) {
      if (entry.contains("expression"))
        entry.fail_entry("expression", "stands beside 'expressions', expected one of them");
      for (auto const& name : several->keys()) {
        auto const field = std::ranges::find(words_.fields, name);
        if (field == words_.fields.end())
          several->fail_entry(name, fmt::format("is no field, expected {}", fmt::join(words_.fields, ", ")));
        add_formula(phase, *several, name, static_cast<int>(field - words_.fields.begin()));
      }
      if (phase.nodes.empty())
        entry.fail_entry("expressions",
                         fmt::format("is empty, expected a formula for {}", fmt::join(words_.fields, ", ")));
    } else {
      if (result_.fields.size() > 1 && entry.contains("expression"))
        entry.fail_entry("expression",
                         fmt::format("is for one field, expected expressions {{ {} \"...\"; }}", words_.fields[0]));
      add_formula(phase, entry, "expression", 0);
    }
    finish(phase, entry);
    return phase;
  }

  void read_quantities() {
    auto* const quantities = rule_.find_sub("quantities");
    if (quantities == nullptr) return;
    read_neighbours(rule_);  // none there where phases have theirs: all eight
    begin_names(result_.measure, nullptr);
    for (auto const& name : quantities->keys()) {
      if (!is_name(name)) quantities->fail_entry(name, "is no name, expected letters, digits and _, a letter first");
      result_.quantities.push_back(name);
      add_formula(result_.measure, *quantities, name, -1);
    }
    finish(result_.measure, *quantities);
  }

  void read_neighbours(Dictionary& entry) {
    auto& all = words_.neighbours;
    all.clear();
    int const d = words_.dimensions;
    auto const stream = entry.contains("neighbours") ? entry.stream("neighbours") : core::TokenStream({}, "", "", 0);
    if (!stream.done() && stream.at('(')) {
      for (auto const& at : entry.get<std::vector<std::vector<int>>>("neighbours")) {
        if (at.size() < static_cast<std::size_t>(d) || at.size() > 3)
          entry.fail_expected("neighbours", fmt::format("offsets of {} whole numbers each", d));
        Offset offset{};
        for (std::size_t a = 0; a < at.size(); ++a) {
          if (std::abs(at[a]) > farthest_offset || (a >= static_cast<std::size_t>(d) && at[a] != 0))
            entry.fail_expected("neighbours",
                                fmt::format("offsets up to {} along the {} axes of the grid", farthest_offset, d));
          offset[a] = at[a];
        }
        if (std::ranges::find(all, offset) != all.end()) entry.fail_expected("neighbours", "each offset once");
        all.push_back(offset);
      }
      if (all.empty()) entry.fail_expected("neighbours", "at least one offset");
      return;
    }
    bool const moore = entry.get_choice("neighbours", {"moore", "vonNeumann"}, "moore") == "moore";
    for (int k = d > 2 ? -1 : 0; k <= (d > 2 ? 1 : 0); ++k)
      for (int j = d > 1 ? -1 : 0; j <= (d > 1 ? 1 : 0); ++j)
        for (int i = -1; i <= 1; ++i) {
          int const far = std::abs(i) + std::abs(j) + std::abs(k);
          if (far == 1 || (far > 1 && moore)) all.push_back({i, j, k});
        }
  }

  /// Names for parts of formulas, those of the rule first; each may use those before it.
  void begin_names(Phase& phase, Dictionary* entry) {
    words_.names.clear();
    std::set<std::string> here;
    for (auto* const from : {&rule_, entry}) {
      auto* const parts = from != nullptr ? from->find_sub("let") : nullptr;
      if (parts == nullptr) continue;
      for (auto const& name : parts->keys()) {
        if (!is_name(name) || is_reserved(name) || taken_.contains(name) || !here.insert(name).second)
          parts->fail_entry(
              name, "cannot be the name of a part, expected letters, digits and _, a letter first, and none that "
                    "the rule or formulas have already");
        words_.names[name] = formula(*parts, name, phase.graph);
      }
    }
  }

  void add_formula(Phase& phase, Dictionary& in, std::string const& key, int field) {
    phase.nodes.push_back(formula(in, key, phase.graph));
    phase.fields.push_back(field);
    phase.places.push_back(in.location(key));
  }
  int formula(Dictionary& in, std::string const& key, Graph& graph) {
    // a number needs no quotes
    auto const text = fmt::format("{}", fmt::join(in.words(key), " "));
    try {
      return read_formula(text, words_, graph);
    } catch (std::invalid_argument const& wrong) {
      in.fail_entry(key, fmt::format("is '{}', {}", text, wrong.what()));
    } catch (std::length_error const& wrong) {
      in.fail_entry(key, fmt::format("asks for {}", wrong.what()));
    }
  }

  void finish(Phase& phase, Dictionary& entry) {
    try {
      phase.program = Program(phase.graph, phase.nodes);
    } catch (std::length_error const& wrong) {
      entry.fail("", fmt::format("formulas ask for {}", wrong.what()));
    }
    for (auto const& step : phase.program.steps) {
      result_.random = result_.random || step.op == Op::uniform || step.op == Op::common;
      if (step.op != Op::value) continue;
      int axes = 0;
      for (int const x : step.at) {
        phase.reach = std::max(phase.reach, std::abs(x));
        axes += x != 0;
      }
      phase.corners = phase.corners || axes > 1;
      if (axes > 0 && std::ranges::find(phase.looks_at, step.which) == phase.looks_at.end())
        phase.looks_at.push_back(step.which);
    }
    for (int const field : phase.fields)
      if (std::ranges::find(phase.looks_at, field) != phase.looks_at.end()) phase.spread.push_back(field);
  }

  Dictionary& rule_;
  Vocabulary words_;
  Description result_;
  std::set<std::string> taken_;
};

}  // namespace

Description Description::read(core::Dictionary& rule, std::array<core::Count, 3> const& cells) {
  return DescriptionReader(rule, cells).read();
}

}  // namespace tessera::ca::expression
