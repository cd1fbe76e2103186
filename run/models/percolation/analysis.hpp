// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/pores/pores.hpp"
#include "core/case/topics.hpp"
#include "core/grid/computed.hpp"
#include "core/registry.hpp"
#include "run/models/percolation/method.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::run::percolation {

/// A medium to be looked at, after its clusters were found.
struct Subject {
  Settings const& settings;
  Medium const& medium;
  core::Field<std::uint8_t> const& occupied;  ///< with its frame: what counts lies in medium.interior
  core::FieldBase const* label;               ///< of an analysis that wants labels
};

/// Something more that is found in a medium where the case says `NAME yes;`: a file of analyses/, registered by that NAME.
class Analysis {
 public:
  static constexpr char const* kind = "percolation analysis";
  virtual ~Analysis() = default;

  /// Reads its own keys, once it is asked for, and what of the medium it cannot do. Throws core::Error with file and line.
  virtual void read(core::Dictionary& properties, Settings const& settings) = 0;
  virtual bool wants_ends() const { return false; }
  virtual bool wants_labels() const { return false; }
  /// Whether bits of what it finds depend on tiles, which then must not be chosen by the ranks.
  virtual bool knows_tiles() const { return false; }
  /// Fields that it finds, for each crossing where it wants ends; kept unless the case lists others.
  virtual std::vector<std::string> fields() const { return {}; }
  virtual core::By computed_by() const { return core::By::host_threads; }
  /// Memory that it takes at most beside the medium and the fields kept [B a cell].
  virtual double bytes() const = 0;

  /// For `tessera check`: throws core::Error for what `look` would refuse, without a field of the whole medium; what it cannot look at
  /// it tells the log. Collective.
  virtual void check(Session&, Settings const&, Medium const&) {}
  /// What depends on no direction. The names of the quantities depend on the settings alone, here and below. Collective.
  virtual void look(Subject const&, Findings&) {}
  /// What lies between inlet and outlet. Collective.
  virtual void look_across(Subject const&, Crossing const&, Ends const&, Crossed&) {}
};
using Analyses = core::Registry<Analysis>;

/// Registers T, for a static variable; `tessera help NAME` tells T::help.
template <class T>
bool add_analysis(std::string const& name, std::string const& doc) {
  return Analyses::add<T>(name, doc) && core::add_topic("percolationAnalyses", name, doc, T::help);
}

/// Throws core::Error, naming the key, unless cells are cubes (squares in one layer) on lattices square or cubic.
void expect_cubes(core::Dictionary const& properties, Settings const& settings, std::string const& key);
/// Throws core::Error, naming the key, where no direction has ends.
void expect_ends(core::Dictionary const& properties, Settings const& settings, std::string const& key);

/// Its pores. Cells outside a region are walls where the case says so, and nothing elsewhere.
ca::PoreSpace pores(Subject const& subject);
/// What its cells have in the file; of random media 0 where empty, 1 where occupied. Collective.
std::unique_ptr<core::Field<double>> values(Subject const& subject);
/// Width of the first cell along an axis.
double width(Medium const& medium, int axis);
/// Diameters of balls by the squares of their radii [widths of cells]; infinite where there is no wall.
double diameter(Medium const& medium, std::int64_t square);
/// The same on each cell, as a field in the unit of the grid's axes.
std::unique_ptr<core::Field<float>> diameters(Medium const& medium, core::Field<std::int32_t> const& squares,
                                              core::FieldInfo info);

}  // namespace tessera::run::percolation
