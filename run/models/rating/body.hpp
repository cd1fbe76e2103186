// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/heat/shells.hpp"
#include "run/models/rating/site.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::run::rating {

/// What the ground and its cables are made of, on the cells of a grid. Layers of metal thinner than two thirds of the cells are
/// shells (run/models/heat/shells.hpp), unless they share cells with others.
class Body {
 public:
  /// dry: all soil that may dry out has.
  enum class State { wet, dry };
  Body(Site const& site, core::Layout const& layout, State state = State::wet);

  /// At the cells' centres [W/(m K)].
  core::Field<double> const& conductivity() const { return lambda_; }
  core::Field<double>& conductivity() { return lambda_; }
  /// Of faces that circles, boxes and shells are near.
  std::vector<solvers::CutFace> const& cuts() const { return cuts_; }
  /// rho c, means over the cells [J/(m3 K)].
  core::Field<double> capacity() const;
  /// The number of the shell that a layer of a cable is; none: its cells are those that it covers.
  std::optional<std::size_t> shell(std::size_t cable, std::size_t layer) const;
  heat::Shells const& shells() const { return *shells_; }

  /// Layers as thin as shells that are none, since another passes the same cells.
  std::vector<std::pair<std::size_t, std::size_t>> const& crowded() const { return crowded_; }

 private:
  void make_shells();

  Site const& site_;
  core::Layout const& layout_;
  core::Field<double> lambda_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> number_;  // of shells, by cable and layer
  std::vector<std::pair<std::size_t, std::size_t>> crowded_;           // cable and layer
  std::unique_ptr<heat::Shells> shells_;
  std::vector<solvers::CutFace> cuts_;
};

/// The circle of a radius round a cable, and a ring of it.
io::foam::Solid::Part disc(std::array<double, 2> const& at, double radius);
io::foam::Solid::Part ring(std::array<double, 2> const& at, double inner, double outer);

}  // namespace tessera::run::rating
