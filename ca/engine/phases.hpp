// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/near.hpp"
#include "core/case/dictionary.hpp"

#include <string>

namespace tessera::ca {

/// Rules in sequence within a generation, each with its own stencil: what one has made is what the next one reads. All have the
/// same State; one rule may stand there more than once, and near.phase() tells it which time it is.
///   add_rule<Phases<Collide, Stream>>("hpp", "a lattice gas")
/// A phase may go on until nothing changes any more, within one generation: static constexpr bool until_still = true;
template <Rule First, Rule... Rest>
struct Phases {
  static_assert((std::is_same_v<StateOf<First>, StateOf<Rest>> && ...), "phases have one State");
  static_assert(((First::stencil.dimensions == Rest::stencil.dimensions) && ...), "phases have grids of one dimension");
  using State = StateOf<First>;
  First first;
  Phases<Rest...> rest;
};
template <Rule Last>
struct Phases<Last> {
  using State = StateOf<Last>;
  Last first;
};

namespace detail {

/// The phases of a rule that is one.
template <class R>
struct PhasesOf {
  static constexpr int count = 1;
  static constexpr int radius[count] = {R::stencil.radius};
  static constexpr bool random = draws<R>();
  static constexpr bool repeats = until_still<R>();
  template <int q>
  using at = R;
  template <int q, class That>
  KOKKOS_FUNCTION static That& get(That& rule) {
    return rule;
  }
};
template <class... Stage>
struct PhasesOf<Phases<Stage...>> {
  static constexpr int count = sizeof...(Stage);
  static constexpr int radius[count] = {Stage::stencil.radius...};
  static constexpr bool random = (draws<Stage>() || ...);
  static constexpr bool repeats = (until_still<Stage>() || ...);
  template <int q>
  using at = std::tuple_element_t<static_cast<std::size_t>(q), std::tuple<Stage...>>;
  template <int q, class Those>
  KOKKOS_FUNCTION static auto& get(Those& those) {
    if constexpr (q == 0)
      return those.first;
    else
      return get<q - 1>(those.rest);
  }
};

/// How often a phase until nothing changes is taken within a generation, unless the case says `maxRepeats`: one that never comes to rest
/// ends the run, and not nobody knows when.
inline constexpr std::int64_t usual_repeats = 1'000'000;
/// The `maxRepeats` of automatonProperties.
std::int64_t read_most_repeats(core::Dictionary& properties);
/// Throws core::Error: a phase has been taken so often and goes on. `where`: file and line of the rule.
[[noreturn]] void fail_to_rest(std::string const& where, int phase, std::string const& rule, std::int64_t repeats,
                               std::int64_t generation);
/// Throws core::RunError: the run was asked to end and would not wait.
[[noreturn]] void give_up_rest(std::string const& where, int phase, std::string const& rule, std::int64_t repeats,
                               std::int64_t generation);

/// How far the phases q and following of a generation look, all together.
template <class R>
constexpr int reach_from(int q) {
  int sum = 0;
  for (; q < PhasesOf<R>::count; ++q) sum += PhasesOf<R>::radius[q];
  return sum;
}
/// The farthest of one phase.
template <class R>
constexpr int farthest() {
  int most = 0;
  for (int const radius : PhasesOf<R>::radius) most = radius > most ? radius : most;
  return most;
}
template <class R>
inline constexpr int dimensions_of = PhasesOf<R>::template at<0>::stencil.dimensions;

/// Calls f.operator()<q>() for each phase.
template <class R, class F, int... q>
void for_phases(F const& f, std::integer_sequence<int, q...>) {
  (f.template operator()<q>(), ...);
}
template <class R, class F>
void for_phases(F const& f) {
  for_phases<R>(f, std::make_integer_sequence<int, PhasesOf<R>::count>());
}

}  // namespace detail

/// A rule, or phases of rules: what add_rule takes.
template <class R>
concept RuleOrPhases = Rule<typename detail::PhasesOf<R>::template at<0>>;

}  // namespace tessera::ca
