// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"
#include "core/registry.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::ca {

/// What a rule is made from: constant/automatonProperties, the rule's word in the case (a name such as `life`, or a
/// rulestring such as `B3/S23`), and the layout it runs on.
struct RuleContext {
  core::Dictionary& properties;
  std::string word;
  core::Layout const& layout;
  std::string field = "state";  ///< what the field is called where a cell has one number
  core::Grid const& grid() const { return layout.grid(); }
};

/// A rule at work on a field. Plugins register rules (ca/rule.hpp); the virtual call is once a step, never once a cell.
class Automaton {
 public:
  static constexpr std::string_view kind = "rule";
  explicit Automaton(std::string rule) : rule_(std::move(rule)) {}
  virtual ~Automaton() = default;
  Automaton(Automaton const&) = delete;
  Automaton& operator=(Automaton const&) = delete;

  /// Computes the next generation from this one. Returns the number of cells that changed on all ranks; the same states
  /// on any number of ranks, tile shape and owner table. Collective.
  virtual std::int64_t step() = 0;

  /// Asked on each rank between the repeats of a phase that goes on until nothing changes, with the phase and how often it was taken so
  /// far: where a rank says no, step() throws core::RunError on all of them, in the middle of the generation.
  using GoesOn = std::function<bool(int phase, std::int64_t repeats)>;
  void ask_between_repeats(GoesOn goes_on) { goes_on_ = std::move(goes_on); }

  /// From now on step() may put generations off, do up to `depth` of them at once (0: as many as pay), and return -1: how
  /// many cells changed is then not known. Only before the first state is set. Returns the depth, 1 if nothing changes:
  /// where the rule, its sides or the device do not allow it. Results do not change.
  virtual int work_ahead([[maybe_unused]] int depth) { return 1; }
  /// Whether generations are put off that state() would have to do.
  virtual bool behind() const { return false; }

  /// The states of this generation. May be written between steps (initial state, restart); halos need not be set. The field is
  /// there until the next step.
  virtual core::FieldBase& state() = 0;
  /// The same to look at: what is written meanwhile may be lost.
  virtual core::FieldBase const& look() { return state(); }
  /// The fields of a state of several, in the order of its members, the first of which state() is; as state() otherwise.
  virtual std::vector<core::FieldBase*> fields() { return {&state()}; }
  /// The same to look at.
  std::vector<core::FieldBase const*> look_at_fields();
  /// Fields of numbers that the rule computes from the states, to look at: `derived` of its names, such as the velocity of a fluid. They
  /// hold what it is now, until the next call. Collective.
  virtual std::vector<core::FieldBase const*> derived() { return {}; }
  /// What of this generation is for people: fields of which each number says something, and what the rule derives.
  std::vector<core::FieldBase const*> shown();
  /// The fields of words that are computed with, a bit of 64 cells' states in each, one field a bit, where state() is but made
  /// from them; none otherwise.
  virtual std::vector<core::FieldBase const*> words() const { return {}; }

  /// States of a cell are 0 .. states() - 1; 0: whatever the type of the state holds.
  virtual std::int64_t states() const { return 0; }

  /// Names of the rule's own numbers, sums over all cells, and these of this generation, without rounding but for one at the end:
  /// the same bits on any ranks and tiles. measure is collective.
  virtual std::vector<std::string> quantities() const { return {}; }
  virtual std::vector<double> measure() { return {}; }

  /// That of the rule's random numbers, where it draws any.
  virtual std::optional<std::uint64_t> seed() const { return std::nullopt; }

  std::int64_t generation() const { return generation_; }
  void set_generation(std::int64_t generation) { generation_ = generation; }  ///< restart
  std::string const& rule() const { return rule_; }                           ///< as the case spells it

 protected:
  std::int64_t generation_ = 0;
  GoesOn goes_on_;

 private:
  std::string rule_;
};

/// Rules by name.
using Rules = core::Registry<Automaton, RuleContext&>;

/// Red, green, blue of states that have a colour of their own.
using Colours = std::map<int, std::array<std::uint8_t, 3>>;

/// What is known of a rule without making it.
struct RuleTraits {
  bool (*matches)(std::string_view) = nullptr;           ///< whether a rulestring is its own; nullptr: it has none
  std::string (*canonical)(std::string_view) = nullptr;  ///< one spelling for all that mean the same; nullptr: as it is
  int dimensions = 0;                                    ///< axes of its grids; 0: any
  int (*bits)(std::string_view) = nullptr;   ///< so many a cell may hold its states (entry `storage`); 0, nullptr: none
  int (*range)(std::string_view) = nullptr;  ///< how many cells far it looks; nullptr: 1
  Colours (*colours)() = nullptr;            ///< of its states; nullptr: none of its own
};
/// Registers them by the rule's name. Returns true.
bool add_rule_traits(std::string_view name, RuleTraits const& traits);

/// What a word such as `life`, `B3/S23` or `23/3` stands for.
struct KnownRule {
  std::string name;       ///< in the registry
  std::string canonical;  ///< equal for words that mean the same: B3/S23 for these three
  int dimensions = 0;     ///< axes of its grids; 0: any
  int bits = 0;           ///< so many a cell may hold its states; 0: it takes what its type does
  int range = 1;          ///< how many cells far it looks
  Colours colours = {};   ///< of its states, where it has some of its own
};
/// Nothing where no rule has the name or accepts the rulestring. Names may be written as in pattern files, Life for life.
std::optional<KnownRule> known_rule(std::string_view word);
/// The one spelling of all words for the same rule; a word that stands for none as it is.
std::string canonical_rule(std::string const& word);

/// What the field of a rule whose cells have one number is called: `state`, or as formulas of the case call their only field.
std::string one_field(core::Dictionary& properties);

/// The automaton for a rule's name or rulestring, all states zero. Throws core::Error at the entry `rule` of
/// `properties`, listing the names and the nearest one, if no rule has the name or accepts the rulestring.
std::unique_ptr<Automaton> make_automaton(std::string const& word, core::Dictionary& properties,
                                          core::Layout const& layout);

}  // namespace tessera::ca
