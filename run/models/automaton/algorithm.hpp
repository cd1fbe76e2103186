// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/plane.hpp"
#include "core/case/dictionary.hpp"
#include "core/report.hpp"

#include <memory>

namespace tessera::run::automaton {

/// How a plane without end is kept and computed, of constant/automatonProperties:
///   algorithm  tiles | hash;   tiles: ca::unbounded::TiledPlane; hash: HashPlane
///   memory     8e9;            of hash [B]; default: half of what the machine has
class Algorithm {
 public:
  Algorithm(core::Dictionary& properties, core::Comm comm);

  bool hashes() const { return hashes_; }
  double memory() const { return memory_; }  ///< 0 of tiles
  /// Throws core::Error for a rule that it is not for.
  std::unique_ptr<ca::unbounded::Plane> make(std::string const& rule) const;

  std::string text() const;                                          ///< for the log
  std::string text(ca::unbounded::Plane const& plane) const;         ///< what the plane keeps. Collective
  void report(core::Report& to, ca::unbounded::Plane const&) const;  ///< population, and what it keeps. Collective

 private:
  core::Dictionary& properties_;
  core::Comm comm_;
  bool hashes_;
  double memory_ = 0;
};

}  // namespace tessera::run::automaton
