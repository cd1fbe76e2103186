// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "core/random.hpp"
#include "run/input/mask_input.hpp"
#include "run/model.hpp"
#include "run/models/automaton/bounds.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::ca::unbounded {
class Plane;
}

namespace tessera::run::automaton {

/// The entry `initial` of constant/automatonProperties: one start { ... }, or a list ( { ... } { ... } ) of which each lies
/// over those before it. Cells that none covers are 0.
///   random    0 or 1 by draws for (seed, sample, cell), everywhere
///   uniform   one value, everywhere
///   ball      one value, in the cells whose middle is not farther than `radius` from `centre`
///   picture   1 where its pixels are occupied, else 0 (MaskInput)
///   pattern   the values of a file as they are, with the file's own rule and size where the case says none
///   snapshot  those of a field in a snapshot
/// Of a rule with several fields each has its own: initial { u { ... } v ( { ... } { ... } ) }. `random` may draw values from
/// `low` to `high`; `random` and `uniform` may have a `box` of cells.
class InitialState {
 public:
  /// Reads the entries; of files, their sizes and rules. Throws core::Error with the place: for a rule that is not known, too.
  /// What bounds the plane behind a rule (Bounds) becomes the properties' `boundary`. Collective.
  InitialState(Session& session, core::Dictionary& properties);

  /// The rule of the case, or else that of the first pattern that names one, or Conway's where no pattern file does; without
  /// its bounds.
  std::string const& rule() const { return rule_; }
  /// Sets `cells` where gridDict has none: those of the rule's bounds, or the box of the first pattern and its margin on all
  /// sides, along the axes of the rule. Returns false where there is no pattern to tell.
  bool size_grid(core::Dictionary& grid) const;
  /// Finds the places in the grid. Throws core::Error for what does not fit into it, for a pattern of another rule, and for
  /// a value that the rule has not. Where the session checks, files are read to their ends.
  void place(core::Grid const& grid, ca::Automaton& automaton);
  /// Whether fill() makes a field of bytes on its way.
  bool needs_mask(ca::Automaton& automaton) const;
  /// Throws core::Error naming file, value and cell for what the rule cannot hold. Collective.
  void fill(ca::Automaton& automaton) const;

  /// On a plane without end: throws core::Error for starts that it cannot have; where the session checks, files are read, too. Collective.
  void check_unbounded(ca::unbounded::Plane const& plane) const;
  /// Sets its cells. A pattern without `position` lies where its file says, or with its upper left cell below and right of
  /// the corner (0 0). Throws core::Error for a state that the rule has not. Collective.
  void fill(ca::unbounded::Plane& plane) const;
  /// The same from a snapshot of the plane, which lies where the file says if there is no `corner`. Collective.
  void fill(ca::unbounded::Plane& plane, std::string const& file, std::optional<core::Index> const& corner) const;
  /// Those of their boxes.
  double cells_of_patterns() const;

  static constexpr core::Count default_margin = 70;

 private:
  enum class Type { random, uniform, picture, pattern, snapshot, ball };
  struct Layer {
    core::Dictionary* entry;
    Type type;
    std::string field = {};  ///< "": the only one
    std::size_t number = 0;  ///< of the field among the rule's
    core::Random random{};
    double value = 0;                                   ///< or probability
    std::optional<std::array<double, 2>> between = {};  ///< values that are drawn
    std::optional<core::Box> box = {};
    std::array<double, 3> centre{};  ///< of a ball, in cells
    double radius = 0;
    std::optional<MaskInput> picture = {};
    std::string file = {}, rule = {};  ///< as readers take it; as the file spells it
    core::Grid::Shape cells{};
    bool centred = false;
    /// Where the file says it: the lower left corner of a pattern that is for a bounded plane, from its middle; of a plane's snapshot.
    std::optional<std::array<core::Count, 2>> corner = {};
    core::Index position{};
    std::optional<core::Count> margin = {};
    bool any_rule = false;
    bool conway = false;  ///< a format of patterns, whose files mean Conway's Life where they name no rule

    bool has_place() const { return type == Type::picture || type == Type::pattern || type == Type::snapshot; }
    char const* what() const {
      return type == Type::picture ? "picture" : type == Type::pattern ? "pattern" : "snapshot";
    }
  };

  void read_starts(core::Dictionary& from, std::string const& key, std::string const& field);
  void read(core::Dictionary& entry, std::string const& field);
  void read_box(Layer& layer);
  void read_picture(Layer& layer);
  void read_pattern(Layer& layer);
  void read_snapshot(Layer& layer);
  void read_position(Layer& layer, bool centred);
  void find_size(Layer& layer);
  void choose_rule(core::Dictionary& properties);
  void find_field(Layer& layer, std::vector<core::FieldBase const*> const& fields, std::string const& rule) const;
  void check_values(Layer const& layer, core::FieldBase const& field, ca::Automaton const& automaton,
                    core::Grid const& grid) const;
  void check_rows(Layer const& layer, core::FieldBase const& field, ca::Automaton const& automaton) const;
  void find_place(Layer& layer, core::Grid::Shape const& n) const;
  void compare_rule(Layer const& layer, std::string const& rule) const;
  template <class T>
  void fill(core::Field<T>& state, Layer const& layer, ca::Automaton const& automaton) const;

  Session& session_;
  std::vector<Layer> layers_;
  std::string rule_;
  Bounds bounds_;
  int dimensions_ = 0;
};

/// The dictionary system/gridDict of an automaton's case, `cells` in it as the case's pattern has them where it says none;
/// nullptr where the case has neither gridDict nor a pattern. Collective.
core::Dictionary* grid_dictionary(Session& session, InitialState const& initial);

}  // namespace tessera::run::automaton
