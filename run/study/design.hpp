// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/emulation.hpp"
#include "run/sweep/axes.hpp"

#include <optional>

namespace tessera::run {

/// The machine that a study times its ranks on: the first ranks of a run have the first entries. None: the machine at hand.
struct StudyMachine {
  std::vector<int> nodes;  ///< the node of each rank
  core::EmulatedCluster cluster;
  bool emulated() const { return !nodes.empty(); }
};

/// What a study measures: system/studyDict.
struct Design {
  /// Throws core::Error.
  Design(core::Dictionary& dictionary, std::string const& directory);

  int ranks(Point const& point) const { return number(point, "ranks"); }
  int threads(Point const& point) const { return number(point, "threads"); }
  int workers(Point const& point) const { return ranks(point) * threads(point); }
  /// The point without its values of `axes`: equal for those that differ in them alone.
  Point without(Point point, std::vector<std::string> const& axes) const;
  /// `solver=PCG cells=512` of the axes that have several values, those of `axes` left out; empty where none is left.
  std::string label(Point const& point, std::vector<std::string> const& axes = {}) const;

  Axes axes;
  std::string along;                        ///< the axis along which speed-ups count; empty: there is none
  bool grows = false;                       ///< the work grows along it (weak scaling)
  std::vector<std::string> alike;           ///< axes that must not change the answer
  std::vector<std::string> proofs;          ///< names in the report that make up the answer
  std::string measure;                      ///< what is measured: `run`, or the name of a number of the report [s]
  std::string measure_place, proofs_place;  ///< where studyDict says them
  int repeats = 0;
  StudyMachine machine;

 private:
  int number(Point const& point, std::string const& axis) const;
};

}  // namespace tessera::run
