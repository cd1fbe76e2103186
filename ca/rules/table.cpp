// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"
#include "ca/table/rule_file.hpp"

#include <string>

namespace tessera::ca::rules {

constexpr char const* table_help = R"(
constant/automatonProperties
    rule      "WireWorld";   the file WireWorld.rule, as Golly has them: beside the pattern, in the case's constant/, or in
                             Golly's folder Rules (/usr/share/golly; the environment variable GOLLY names another one)
A .rule file has a section @TABLE (neighborhood vonNeumann, Moore, hexagonal or oneDimensional; all symmetries of Golly's;
variables) or @TREE; @COLORS are those of results/state.png. Golly's help, File Formats, tells how they are written.
States: 0 .. n_states - 1. Grids of one layer: cells (nx ny 1).)";

/// Rules of any table, by a tree of choices in one array: some cells are looked up at once, `groups` of them one after the
/// other, in the order of table::Around.
template <table::Around around, int... groups>
class Table {
 public:
  static constexpr bool four = around == table::Around::four;
  static constexpr auto stencil = [] {
    if constexpr (four)
      return core::von_neumann<2>();
    else
      return core::moore<2>();
  }();
  int states;

  static double size(table::Tree const& tree) { return table::flat_size(tree, std::array{groups...}); }
  explicit Table(table::Tree const& tree) : states(tree.states()) {
    auto const flat = table::flatten(tree, std::array{groups...});
    bits_ = flat.bits;
    entries_ = Kokkos::View<int*>("table", flat.entries.size());
    auto const host = Kokkos::create_mirror_view(entries_);
    std::copy(flat.entries.begin(), flat.entries.end(), host.data());
    Kokkos::deep_copy(entries_, host);
  }

  KOKKOS_FUNCTION State operator()(State, Near<Table> near) const {
    int at = 0, cell = 0;
    ((at = entries_.data()[at + number<groups>(near, cell)]), ...);
    return static_cast<State>(at);
  }

 private:
  /// The states of the next n cells, put together.
  template <int n>
  KOKKOS_FUNCTION int number(Near<Table> const& near, int& cell) const {
    constexpr int order[9][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}, {0, 1}, {-1, 0}, {1, 0}, {0, -1}, {0, 0}};
    int result = 0;
    for (int q = 0; q < n; ++q, ++cell) {
      auto const& [i, j] = order[cell + (four ? 4 : 0)];
      result = result << bits_ | (near(i, j) & ((1 << bits_) - 1));
    }
    return result;
  }

  Kokkos::View<int*> entries_;
  int bits_ = 0;
};

/// The first of the rules, or the last one, whose entries a core's cache holds.
template <class R, class... Others>
static std::unique_ptr<Automaton> make_smallest(table::Tree const& tree, RuleContext& context) {
  constexpr double most = 1 << 16;
  if constexpr (sizeof...(Others) > 0)
    if (R::size(tree) > most) return make_smallest<Others...>(tree, context);
  return std::make_unique<Synchronous<R>>(R(tree), context);
}

static std::unique_ptr<Automaton> make_table(RuleContext& context) {
  auto const* const rule = table::rule_file(context.word);
  if (rule == nullptr) context.properties.fail("rule", "is 'table', expected the name of a .rule file in its place");
  return table::make_automaton(rule->around, rule->tree, context);
}

static bool is_table(std::string_view word) { return table::rule_file(word) != nullptr; }

[[maybe_unused]] static bool const table_added =
    add_rule_traits("table", {.matches = &is_table, .dimensions = 2}) &&
    Rules::add("table", "tables and trees of Golly's .rule files, by the file's name", &make_table, table_help);

}  // namespace tessera::ca::rules

namespace tessera::ca::table {

std::unique_ptr<Automaton> make_automaton(Around around, Tree const& tree, RuleContext& context) {
  using rules::Table, rules::make_smallest;
  if (around == Around::four)
    return make_smallest<Table<Around::four, 5>, Table<Around::four, 2, 3>, Table<Around::four, 2, 2, 1>,
                         Table<Around::four, 1, 1, 1, 1, 1>>(tree, context);
  return make_smallest<Table<Around::eight, 3, 3, 3>, Table<Around::eight, 2, 2, 2, 2, 1>,
                       Table<Around::eight, 1, 1, 1, 1, 1, 1, 1, 1, 1>>(tree, context);
}

}  // namespace tessera::ca::table
