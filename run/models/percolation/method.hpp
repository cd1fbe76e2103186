// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/registry.hpp"
#include "run/models/percolation/findings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::run::percolation {

/// Masks of the cells where a crossing begins and ends.
struct Ends {
  std::unique_ptr<core::Field<std::uint8_t>> inlet, outlet;
  bool masks = false;  ///< given as masks, not as sides
  core::Box inlet_box, outlet_box;
};

/// What a method is to look at.
struct Query {
  Crossing const& crossing;
  Ends const* ends;                     ///< nullptr: along a periodic axis, and between sides where nobody needs them
  core::Field<std::uint8_t>& occupied;  ///< the medium; a method of the plane writes its frame
  core::Random random;                  ///< of the medium, for a random order of updates
  Findings& findings;                   ///< for what depends on no crossing
  bool first() const { return findings.crossings.empty(); }
};

/// How the clusters of a medium are found, and what spans it: `method NAME;`, a file of methods/.
class Method {
 public:
  static constexpr char const* kind = "percolation method";
  virtual ~Method() = default;

  /// Whether it is for the square lattice with 4 neighbours alone, from side to side of open axes, within a frame.
  virtual bool in_plane() const { return false; }
  /// Reads its own keys. Throws core::Error with file and line. This one refuses an order of updates.
  virtual void read(core::Dictionary& properties);
  /// Whether the path and the currents through what it finds may be asked for.
  virtual bool exact() const { return true; }
  /// Fields that it can keep; without a word of the case all but `dangling` are.
  virtual std::vector<std::string> fields() const {
    return {"occupied", "label", "spanning", "backbone", "dangling", "articulation", "red"};
  }
  /// Memory that it takes at most beside fields and the buffers for clusters [B a cell].
  virtual double bytes() const { return 0; }

  /// Before the first medium of a layout. Collective.
  virtual void start(Settings const& settings, Medium const& medium, core::Layout const& layout) = 0;
  /// What is found along one crossing of a medium. The names of the quantities depend on the settings alone. Collective.
  virtual Crossed cross(Query const& query) = 0;
};
using Methods = core::Registry<Method>;

/// Tells `tessera help` of a method.
bool tell_method(std::string const& name, std::string const& doc, std::string const& keys);

/// Registers T, for a static variable. `keys` as they stand in the case.
template <class T>
bool add_method(std::string const& name, std::string const& doc, std::string const& keys = {}) {
  return Methods::add<T>(name, doc) && tell_method(name, doc, keys);
}

}  // namespace tessera::run::percolation
