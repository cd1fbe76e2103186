// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/wedge.hpp"
#include "solvers/heat/boundary.hpp"
#include "solvers/heat/cells.hpp"
#include "solvers/heat/time_scheme.hpp"
#include "solvers/linear_solver.hpp"

#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace tessera::solvers {

namespace heat {
class FixedCells;
class Geometry;
class SideFaces;
}  // namespace heat

/// How lambda comes from two cells P, N to the face between them, with OpenFOAM's weight w of P (the distance of N to
/// the face over the distance between the centres):
///   harmonic: lambda_f = 1 / ((1 - w) / lambda_P + w / lambda_N)   the resistances of two half cells in series, exact
///             across a jump on any grid, as OpenFOAM's `harmonic` (which exchanges w and 1 - w, too: reverseLinear)
///   linear:   lambda_f = w lambda_P + (1 - w) lambda_N
enum class Interpolation { harmonic, linear };

/// A property of a body: one number, or a field, which must outlive it.
class Property {
 public:
  Property(double value) : value_(value) {}
  Property(core::Field<double> const& field) : field_(&field) {}
  core::Field<double> const* field() const { return field_; }
  double value() const { return value_; }

  struct View {
    double value;
    core::FieldView<double const> field;  // or none
    KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
      return field.first ? field(slot, k, j, i) : value;
    }
  };
  View view() const { return {value_, field_ ? field_->view() : core::FieldView<double const>{}}; }

 private:
  double value_ = 0;
  core::Field<double> const* field_ = nullptr;
};

/// Heat Su + Sp T produced in some cells [W/m^3].
struct Source {
  heat::Cells cells;
  double Su = 0, Sp = 0;
  bool implicit = true;  ///< Sp T at the new temperature, through the diagonal; otherwise at a T that is given
  core::Field<double> const* share = nullptr;  ///< parts of the cells' volumes that count, 0 to 1; none: all of it
  core::FieldView<double const> share_view() const { return share ? share->view() : core::FieldView<double const>{}; }
};

/// Cells held at one temperature [K].
struct HeldCells {
  heat::Cells cells;
  double value = 0;
};

/// Faces of one side of the grid that have a boundary condition of their own, those of the cells in some boxes: a heater
/// in the middle of the bottom. Or faces on that side of cells inside the grid, towards cells that do not exist: then the
/// boxes are one cell thick.
struct SidePart {
  core::Side side;
  std::vector<core::Box> cells;  ///< behind the faces; no cell lies in two boxes of a side
  Boundary boundary;             ///< values one a face are those of the whole side, of which the others are not used
  std::string name;              ///< for messages
};

/// A conductivity between a cell and the one below it on an axis, instead of what the two cells' own give: of a face near
/// which a surface lies that is no face of cells.
struct CutFace {
  int axis, slot, k, j, i;
  double lambda;  ///< the distance of the centres over the resistance of 1 m^2 between them [W/(m K)]
};

/// A resistance in the face between a cell and the one below it on an axis, in series with what lies between their centres.
struct ResistiveFace {
  int axis, slot, k, j, i;
  double resistance;  ///< of 1 m^2 [m^2 K/W]
};

/// What a body is made of and what happens to it. The fields live on one layout and must outlive the Heat; their
/// halos are not needed.
struct HeatProperties {
  core::Field<double> const& lambda;  ///< conductivity [W/(m K)]
  Property rho_c;                     ///< heat capacity [J/(m^3 K)]; for laplacianFoam's equation 1, with lambda = DT
  Property q;                         ///< heat source [W/m^3]; may change between steps
  std::array<Boundary, 6> sides;      ///< by core::Side
  Interpolation interpolation = Interpolation::harmonic;
  std::vector<Source> sources = {};
  std::vector<HeldCells> held = {};
  bool may_be_singular = false;      ///< a steady body that nothing ties to a temperature is let through
  std::vector<SidePart> parts = {};  ///< on sides that are zero_gradient themselves
  std::vector<CutFace> cut_faces = {};
  std::vector<ResistiveFace> resistive_faces = {};
  std::optional<heat::Cells> absent = {};  ///< cells that do not exist: closed faces, T = 0, no part of any sum
  std::optional<core::Wedge> wedge = {};   ///< the grid stands for one; without cut faces
  bool lambda_has_halo = false;            ///< of at least 1, which its owner keeps filled: no copy is made to have one
};

/// Heat balance of a body at the new time [W]: in + produced + from_held = stored, to the tolerance of the solver.
/// Cells that are held at a temperature do not belong to the body.
struct HeatBalance {
  std::vector<double> in = std::vector<double>(6);  ///< through each side, by core::Side, then through each part
  double produced = 0;                              ///< sum (q + Su + Sp T) V
  double from_held = 0;                             ///< from cells held at a temperature into their neighbours
  double stored = 0;  ///< sum rho c V dT/dt, the derivative as the time scheme forms it; 0 when steady
  double total_in() const { return std::accumulate(in.begin(), in.end(), 0.0); }
  double error() const { return total_in() + produced + from_held - stored; }
};

struct Range;

/// Heat conduction by cell-centred finite volumes on a rectilinear grid:
///
///   rho c dT/dt = div(lambda grad T) + q + Su + Sp T
///
/// Row i of A T = b, each term in W, with m = rho c V:
///   m (now T - old T_old + past H) = sum over faces f (T_neighbour - T) + sum over sides (inflow - g T) + (q + Su + Sp T) V
/// f = lambda_f area / distance of centres; now, old, past, H: TimeScheme; inflow and g: Boundary. Sp T stands on the
/// diagonal where the source is implicit. The matrix is kept until something it depends on changes; b is formed each
/// step in one pass (T_old, b and the properties that are fields: 16 to 40 B a cell) and a pass over sides and sources.
/// Memory of its own: the matrix.
///
/// Throws core::Error naming cell and value if lambda or rho c is not > 0; if nothing ties a steady body to a temperature
/// (T is then known up to a constant only); if deltaT is negative or not a number; if cyclic sides and periodic axes
/// disagree; if a boundary value is not finite, or a heat transfer coefficient is negative.
class Heat {
 public:
  /// The matrix of Euler's scheme with the step `delta_t` [s]; 0: steady. Collective.
  Heat(HeatProperties const& properties, double delta_t);
  ~Heat();
  Heat(Heat&&) noexcept;

  StencilMatrix const& matrix() const { return *matrix_; }
  core::Layout const& layout() const { return properties_.lambda.layout(); }
  /// Range of a field on the cells that exist.
  Range range(core::Field<double> const& field) const;
  /// What holds at the face of a cell on a side.
  Boundary const& boundary(core::Side side, core::Index const& cell) const;

  // What follows changes the body and returns whether the matrix is another one now: solvers must then be made anew.
  // All are collective.

  /// The derivative's weight of T at the new time [1/s]; 0: steady.
  bool set_time_weight(double now);
  bool set_side(core::Side side, Boundary const& boundary);
  /// Of the part n of a side.
  bool set_part(std::size_t n, Boundary const& boundary);
  bool set_source(std::size_t n, double Su, double Sp, bool implicit);
  /// Cells that are held take another temperature; the matrix stays.
  void set_held(std::size_t n, double value);
  /// The values of the field lambda were changed, and are > 0.
  bool lambda_changed();

  /// A text that differs where the matrices of two bodies of the same cells, conductivity and held cells do, which are those
  /// of two times: the time's weight, what boundaries conduct, Sp of sources.
  std::string matrix_key() const;

  /// Whether some source wants Sp T at a given T.
  bool has_explicit_sources() const;
  /// Whether a side that conducts, held cells or a source with Sp < 0 give the temperature of a steady body.
  bool tied() const;
  /// sum |q| V and, of each source, |sum Su V| and |sum Sp T V| [W].
  double exchanged(core::Field<double> const& t) const;
  /// sum Sp T V of explicit sources [W].
  double explicit_heat(core::Field<double> const& t) const;
  /// sqrt(sum |Sp| V (T - T_before)^2) over them. Where Sp > 0 and the body is linear, outer iterations change T
  /// by d_k+1 = A^-1 S d_k, which is symmetric in this norm: |d_k+1| / |d_k| never falls, and tends from below to the
  /// spectral radius of A^-1 S. Above 1 there is no temperature that its own losses keep. [(J/(m^3 s) K)^1/2]
  double feedback(core::Field<double> const& t, core::Field<double> const& before) const;
  /// sqrt(sum rho c V (T - T_old)^2), in which the change of T in a step of Euler's scheme behaves alike where boundaries
  /// and sources do not change: once it grows it grows for ever.
  double stored_norm(core::Field<double> const& t, core::Field<double> const& t_old) const;
  /// T = value in the cells that are held, 0 in those that do not exist.
  void impose(core::Field<double>& t) const;

  /// b of a step with the weights w [W]. `history` is needed where w.past is not 0; `t` is what explicit sources see.
  void right_side(TimeWeights const& w, core::Field<double> const& t_old, core::Field<double> const* history,
                  core::Field<double> const& t, core::Field<double>& b) const;
  /// The same for Euler's scheme with the present weight, explicit sources at T_old.
  void right_side(core::Field<double> const& t_old, core::Field<double>& b) const;

  /// One step of Euler's scheme: T holds the old temperature, which is also the first guess, and gets the new one.
  Performance advance(LinearSolver& solver, core::Field<double>& t);

  /// At the temperature T; `explicit_heat` as of the T that right_side saw. One pass. Collective.
  HeatBalance balance(TimeWeights const& w, core::Field<double> const& t, core::Field<double> const& t_old,
                      core::Field<double> const* history, double explicit_heat) const;
  /// The same after a step of Euler's scheme with the present weight.
  HeatBalance balance(core::Field<double> const& t, core::Field<double> const& t_old) const;

 private:
  /// Boundary conditions by one number: the sides, then the parts.
  std::size_t conditions() const { return 6 + properties_.parts.size(); }
  Boundary& condition(std::size_t n) { return n < 6 ? properties_.sides[n] : properties_.parts[n - 6].boundary; }
  void make_faces(std::size_t n);
  bool set_condition(std::size_t n, Boundary const& boundary);
  void check_side(core::Side side, Boundary const& boundary) const;
  void check_part(SidePart const& part, Boundary const& boundary) const;
  void check_values(core::Side side, std::string const& name, Boundary const& boundary) const;
  void check_tied() const;
  void assemble(Coefficients& a, core::Halo& halo) const;
  void assemble_faces(Coefficients& a, int axis, core::Field<double> const& lambda) const;
  void form_diagonal(Coefficients& a) const;
  bool renew_diagonal();
  double heat_of(Source const& source, double constant, double factor, core::Field<double> const& t) const;
  double source_heat(core::Field<double> const& t, bool implicit) const;
  core::Field<std::uint8_t> const* mask() const;

  HeatProperties properties_;
  double now_;
  std::unique_ptr<heat::Geometry> geometry_;
  std::unique_ptr<heat::FixedCells> held_;
  std::vector<std::unique_ptr<heat::SideFaces>> faces_;  // of each condition; none where closed
  std::unique_ptr<StencilMatrix> matrix_;
};

/// Smallest and largest value, and the mean weighted by cell volume, of the cells that exist: those where `mask`, if given,
/// is not `absent`. Two passes, two reductions. Collective.
struct Range {
  double min, max, mean;
};
Range range(core::Field<double> const& field, heat::Cells::Mask const* mask = nullptr, std::uint8_t absent = 1);

}  // namespace tessera::solvers
