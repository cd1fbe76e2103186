// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/foam/mesh.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace tessera::run::heat {

/// A component of grad T, as OpenFOAM's Gauss linear forms it: values at faces between those of the cells, by distance.
/// Where the mesh ends T at the face counts, and the component across it there is the difference to the cell over the
/// distance.
class Gradient {
 public:
  using FaceValue = std::function<double(core::Side side, int slot, int k, int j, int i)>;
  /// Along an axis. The mesh must outlive the object.
  Gradient(core::Layout const& layout, io::foam::Mesh const& mesh, int axis);

  core::Field<double> const& cells() const { return cells_; }
  /// From T and its values at faces where the mesh ends. Exchanges the halo of T. Collective. Cost: two passes.
  void update(core::Field<double>& t, FaceValue const& t_face);
  /// On the boundary face of an own cell; `t` and `t_face` as in `update`.
  double at_face(core::Field<double> const& t, FaceValue const& t_face, core::Side side, int slot, int k, int j,
                 int i) const;
  /// Goes on upon another layout, without values.
  void move_to(core::Layout const& layout);

 private:
  io::foam::Mesh const& mesh_;
  int axis_;
  core::Field<double> cells_;
};

/// DT grad T, which OpenFOAM's laplacianFoam calls flux (heat flows against it).
class Flux {
 public:
  explicit Flux(core::Layout const& layout) {
    cells_.reserve(3);
    move_to(layout);
  }
  core::Field<double> const& cells(int axis) const { return cells_[static_cast<std::size_t>(axis)]; }
  /// From gradients along x, y and z. Cost: a pass for each.
  void update(core::Field<double> const& diffusivity, std::vector<std::unique_ptr<Gradient>> const& gradients);
  /// Goes on upon another layout, without values.
  void move_to(core::Layout const& layout);

 private:
  std::vector<core::Field<double>> cells_;
};

}  // namespace tessera::run::heat
