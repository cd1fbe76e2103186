// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/hash_plane.hpp"
#include "run/restart/restart.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::run::automaton {

/// Snapshots of a plane without end in results/: NNNNNN.h5 of cells, as other runs have them, and NNNNNN.mc, HashLife's tree, which holds
/// any number of cells.
class PlaneSnapshots {
 public:
  explicit PlaneSnapshots(Session& session) : session_(session) {}

  /// All, or those of one generation: the last generation first, and of one the file that was written last. Collective.
  std::vector<std::string> find(std::optional<std::int64_t> only) const;

  /// What a file says of itself: on the root its rule, where it names one, and everywhere the state of the run, with the `hash` that
  /// its cells are to have, if any, and where they lie, if it says so.
  struct Said {
    Restart from;
    std::string rule;
    std::optional<core::Index> corner;
  };
  /// Throws core::Error for a file that is none. Collective.
  Said look_at(std::string const& file) const;
  static bool is_tree(std::string const& file) { return file.ends_with(".mc"); }

  /// Writes the tree, with its rule as pattern files name it and the state of the run, and keeps the last `keep` trees of the run (0:
  /// all). Returns the file. Collective.
  std::string write_tree(ca::unbounded::HashPlane const& plane, std::string const& rule, std::int64_t generation,
                         io::State const& state, int keep);
  /// The run goes on from the tree of this generation: those up to it are trees of the run. Collective.
  void go_on_from(std::int64_t generation);

 private:
  std::string tree_of(std::int64_t generation) const;

  Session& session_;
  std::set<std::int64_t> trees_;  // generations of those of the run; on the root
};

}  // namespace tessera::run::automaton
