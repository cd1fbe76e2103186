// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/function1.hpp"
#include "io/foam/time_directory.hpp"
#include "run/model.hpp"
#include "run/models/heat/interfaces.hpp"
#include "run/models/heat/regions.hpp"
#include "solvers/heat.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::run::heat {

/// The names by which one equation is known.
struct EquationNames {
  char const* conductivity;
  io::foam::Dimensions conductivity_dimensions;
  char const* capacity;     ///< nullptr: 1, and there is no heat in W (laplacianFoam)
  bool of_regions = false;  ///< cases have regions, with files of their own each (chtMultiRegionFoam)
  /// What was made for OpenFOAM may name patches of other meshes.
  io::foam::StrangePatches strange_patches() const {
    return capacity && !of_regions ? io::foam::StrangePatches::refused : io::foam::StrangePatches::passed_over;
  }
};

/// Conductivity and heat capacity of a case:
///   0/NAME                                the field, whose values on patches count for the conductivity, or
///   constant/transportProperties: NAME    a number, or a Function1 of T (conductivity alone); then
///   system/setFieldsDict                  sets both where it names them, and last
///   constant/transportProperties: regions { any { cellZone Z; NAME ...; } }   both in a cellZone or cellSet.
/// A capacity that is one number takes no memory.
///
/// `interfaces exact;` in transportProperties: what is given by shapes (and cellZones made of shapes) cuts cells at its
/// surface: conductances, capacities and sources are those of the parts; the conductivity's field has that at the centre.
class Materials {
 public:
  /// Reads fields and numbers. `start` is the name of the time directory. Throws core::Error. Collective.
  Materials(Session& session, EquationNames const& names, io::foam::Mesh const& mesh, core::Layout const& layout,
            std::string start);
  /// Those of regions, by their order, in which they are constant.
  Materials(Session& session, EquationNames const& names, io::foam::Mesh const& mesh, core::Layout const& layout,
            std::vector<io::foam::Region> const& regions, std::vector<Substance> const& substances);

  /// Whether the conductivity is a field with a file of its own.
  bool conductivity_has_file() const { return conductivity_file_.has_value(); }
  /// What setFieldsDict may set.
  std::map<std::string, core::Field<double>*> fields();
  /// setFieldsDict has set the conductivity in some cells: where its field is `calculated` on the boundary, it is that of
  /// the cells behind now, as in OpenFOAM.
  void follow_cells();
  /// What setFieldsDict has done. Throws core::Error where interfaces are exact and the cells are not those of shapes.
  void drawn(io::foam::Stroke const& stroke);
  /// Whether cells are cut at interfaces.
  bool exact() const { return exact_; }
  /// The faces that are; none unless exact.
  std::vector<solvers::CutFace> cut_faces() const;
  /// Whether all was read: always, unless errors are gathered.
  bool complete() const { return complete_; }
  /// Carries out `regions`, and evaluates what depends on T. Throws core::Error, also for values that are not > 0.
  void finish(io::foam::CellSets const& sets, core::Field<double> const& t);

  /// Lays the fields out anew, where they are. The layout before must still be there. Collective.
  void move_to(core::Layout const& layout);

  /// With a halo, which is filled, where it depends on temperature.
  core::Field<double> const& conductivity() const { return conductivity_; }
  solvers::Property capacity() const;
  bool has_capacity_field() const { return capacity_.has_value(); }
  /// Conductivity at a patch's faces in a plane where its field gives one there: fixedValue, or calculated with a value.
  /// None: that of the cells behind. Throws core::Error unless the values are > 0 where heat may flow (`open`).
  std::optional<solvers::FaceValues> at_faces(io::foam::Patch const& patch, io::foam::Patch::Plane const& plane,
                                              bool open);
  /// boundaryField of the conductivity, for a file that is written.
  std::string boundary_text(io::foam::FieldFormat const& format);
  /// Whether the conductivity depends on T.
  bool depends_on_temperature() const { return depends_; }
  /// The conductivity at T. Throws core::Error where T lies outside a table. Collective.
  void fit(core::Field<double> const& t);
  /// By what part of itself the conductivity at T differs from the present one, at most; infinite where T lies outside a table.
  /// Collective.
  double apart(core::Field<double> const& t) const;

 private:
  using Mask = io::foam::CellSets::Mask;
  /// transportProperties, where the case has them and no regions.
  core::Dictionary* transport_properties() const;
  /// Without values.
  Materials(Session& session, EquationNames const& names, io::foam::Mesh const& mesh, core::Layout const& layout);
  void read(std::string const& name, io::foam::Dimensions const& dimensions, bool conductivity);
  void read_field(std::string const& name, io::foam::Dimensions const& dimensions, core::Field<double>& field);
  io::foam::Function1 read_value(core::Dictionary const& dictionary, std::string const& name,
                                 io::foam::Dimensions const& dimensions) const;
  std::optional<solvers::FaceValues> given_at_faces(io::foam::Patch const& patch, io::foam::Patch::Plane const& plane,
                                                    bool open);
  void draw_region(core::Dictionary const& region, io::foam::Solid::Part const& shape);
  void cut_cells();
  /// Throws core::Error for a source of heat among the properties, where nobody looks for it.
  void refuse_source() const;
  /// Whether the conductivity of a region is a function of T.
  bool region_depends() const;
  /// One value, or a function of T, in all cells or those of a mask.
  void set_conductivity(io::foam::Function1 const& value, Mask const* mask);
  void make_capacity();
  /// A property's name behind the file that gives it.
  std::string with_place(std::string const& name) const;
  void widen_conductivity();
  template <class F>
  void for_each_run(int slot, F const& f) const;
  /// Throws core::Error where the matrix of such a body would have numbers that overflow, or whose products do.
  void check_magnitudes() const;

  Session& session_;
  EquationNames names_;
  io::foam::Mesh const& mesh_;
  core::Layout const* layout_;
  std::string start_;
  core::Field<double> conductivity_;
  std::optional<core::Halo> halo_;  // of the conductivity
  std::optional<io::foam::FieldFile> conductivity_file_;
  std::optional<core::Field<double>> capacity_;
  double uniform_capacity_ = 1;
  bool complete_ = true;
  bool depends_ = false;                        // on T, in some region or everywhere
  std::vector<io::foam::Function1> functions_;  // of T
  std::optional<Mask> function_of_;             // 1 + number of the cell's function; 0: none
  std::map<std::string, std::string> places_;   // where the case gives a property
  bool exact_ = false;
  std::map<std::string, io::foam::Drawing> drawings_;  // where exact: of each property that is given by shapes
};

}  // namespace tessera::run::heat
