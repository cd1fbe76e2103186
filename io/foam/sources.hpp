// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/registry.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/function1.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// An entry of fvOptions: heat Su + Sp T in some cells, per volume and in the units of the equation that is solved, or
/// cells held at a temperature.
struct HeatSource {
  enum class Kind {
    rates,   ///< scalarSemiImplicitSource
    losses,  ///< conductorLosses: Sp comes from physics, and wants to be consistent with T
    held     ///< fixedTemperatureConstraint, scalarFixedValueConstraint
  };
  Kind kind = Kind::rates;
  std::string name;
  std::string cells;                     ///< `all`, `cellZone conductor` ...
  CellSets::Mask const* mask = nullptr;  ///< nullptr: all cells
  Solid::Part shape = nullptr;           ///< the region whose cells these are, where that is known
  /// Parts of the cells' volumes that count, where cells are cut at the region's surface; the cells are then those where
  /// they are not 0, and the mask is the source's own.
  std::shared_ptr<core::Field<double>> share = nullptr;
  std::shared_ptr<CellSets::Mask> cut_mask = nullptr;
  Function1 Su, Sp;       ///< of time: the right side gets Su + Sp T
  Function1 value;        ///< of time: the temperature of cells that are held [K]
  bool of_field = false;  ///< the value is one of the equation's field, such as h of a region, and no temperature yet
  double start = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();
  core::Count count = 0;
  double volume = 0;  ///< of the cells [m^3]
  /// Of cells that are held: how many of them sources before hold, too, by their names. The later source counts there.
  std::map<std::string, core::Count> overruled = {};
  std::string where;  ///< FILE:LINE of the rates, for messages

  /// Whether it acts in the step that ends at `time`. At start and end it does so however times are rounded.
  bool active(double time) const { return !lies_behind(start, time) && !lies_behind(time, end); }
  /// How far from `time`, up to `until`, one step may go (Function1::step_end): to the end of the source, or just before its
  /// beginning.
  double step_end(double time, double until) const;
  /// Whether anything of it changes in time.
  bool constant() const {
    return Su.constant() && Sp.constant() && value.constant() && start == -std::numeric_limits<double>::infinity();
  }
};

/// The entry of one source, with the reader of table files.
class SourceEntry {
 public:
  SourceEntry(core::Dictionary const& dictionary, std::string const& field, core::Dictionary::Reader const& reader)
      : dictionary(dictionary),
        field(field),
        reader_(reader) {}

  core::Dictionary const& dictionary;
  std::string const& field;  ///< that the equation is solved for

  Function1 function(core::Dictionary const& in, std::string_view key) const {
    return Function1::read_bare(in, key, reader_);
  }
  /// The dictionary `key` of values by field names; other fields than the one that is solved are refused. `expected`: what
  /// stands behind the field's name, for messages.
  core::Dictionary const& by_field(char const* key, char const* expected) const;

 private:
  core::Dictionary::Reader const& reader_;
};

/// A source by the name of its type in fvOptions: a file of source_types/.
class SourceType {
 public:
  static constexpr std::string_view kind = "source type";
  virtual ~SourceType() = default;
  /// Fills in what the source gives: kind, Su, Sp, value, where. Throws core::Error with file and line.
  virtual void read(SourceEntry const& entry, HeatSource& source) const = 0;
  /// Whether cells are held at a value, which has no beginning and no end.
  virtual bool holds_cells() const { return false; }
  /// Whether its rates are those of all its cells together, not of a cubic metre.
  virtual bool is_absolute(SourceEntry const& entry) const {
    (void)entry;
    return false;
  }
};
using SourceTypes = core::Registry<SourceType>;

/// Tells `tessera help` of a type: `keys`, a line each, as they stand in the entry.
bool tell_source(std::string const& name, std::string const& doc, std::string const& keys, bool holds_cells);

/// Registers T, for a static variable.
template <class T>
bool add_source(std::string const& name, std::string const& doc, std::string const& keys) {
  return SourceTypes::add<T>(name, doc) && tell_source(name, doc, keys, T().holds_cells());
}

/// Reads `constant/fvOptions` or `system/fvOptions` for the equation of `field`: entries of the types that are registered,
/// each with active yes; selectionMode all | cellZone | cellSet; cellZone NAME; cellSet NAME; timeStart; duration; the keys
/// standing in the entry or in its `TYPECoeffs`. NAME may also be a list (A B "C.*") of names and regular expressions, or
/// one in quotes: cells of any of them, which `sets` keeps then as a set of that name. timeStart < 0 means always, as in
/// OpenFOAM. Other types and modes, and sources of another field, are refused by name: core::Error with file and line. `cut`:
/// rates count for the part of a cell's volume inside the region, where the cells are those of shapes.
/// `mesh`: of cells that are no boxes. Collective (volumes are summed exactly over all ranks).
std::vector<HeatSource> read_sources(core::Dictionary& options, std::string const& field, CellSets& sets,
                                     core::Layout const& layout, core::Dictionary::Reader const& reader = {},
                                     bool cut = false, Mesh const* mesh = nullptr);

}  // namespace tessera::io::foam
