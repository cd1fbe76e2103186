// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/model.hpp"

#include <memory>

namespace tessera::run::automaton {

/// Whether a case's constant/automatonProperties has `boundary { unbounded; }`. Collective.
bool is_unbounded(Session& session);

/// An automaton on a plane without end (ca/unbounded). constant/automatonProperties has
///   rule, initial    as on a grid; starts are patterns, snapshots, and `random` in a box
///   algorithm        tiles | hash; memory: of hash, in bytes
///   stop             as on a grid
///   series           columns generation, population, state_1 ..., left, right, bottom, top: the box of what is not 0
/// Snapshots hold the smallest box, with its place as the grid's origin, or as results/NNNNNN.mc the tree of `algorithm hash;`, where the box has
/// more than 10^9 cells or controlDict has `writeFormat macrocell;`. Previews show the box and some cells round it.
std::unique_ptr<Model> make_unbounded(Session& session);

}  // namespace tessera::run::automaton
