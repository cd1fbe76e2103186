// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a case says, as values, and the functions that read them. Each takes what must have been read before it, throws
// core::Error with file and line, and is collective.
#include "io/foam/sources.hpp"
#include "run/balance/decompose.hpp"
#include "run/driver.hpp"
#include "run/models/heat/contacts.hpp"
#include "run/models/heat/materials.hpp"
#include "run/models/heat/side_conditions.hpp"
#include "run/restart/restart.hpp"
#include "solvers/heat/stepper.hpp"

#include <functional>
#include <optional>

namespace tessera::run::heat {

/// What all of them use.
struct Reading {
  Session& session;
  EquationNames names;
  std::vector<std::string> const& regions;  ///< by their names; one without a name where the case has none
  io::foam::Control const& control;
  core::Dictionary::Reader reader() const {
    return [&files = session.files](std::string const& path) { return files.read_text(path); };
  }
  io::foam::FieldFormat format() const {
    return {control.write_format == "binary", control.write_precision, control.write_packed};
  }
};

/// Where a run begins.
struct Begin {
  std::string directory = "0", first = "0";  ///< names of the time directory to read, and of the first one there is
  bool from_snapshot = false, goes_on = false;
  std::int64_t step = 0, base_step = 0;
  double time = 0, dt = 0, base_time = 0;  ///< time n is base_time + (n - base_step) dt where dt is constant [s]
};
/// Reads controlDict, and finds the directory, snapshot or checkpoint in memory that startFrom asks for. The start time is
/// then that of the first of the runs that go on from each other.
Begin read_begin(Session& session, Schedule& schedule, EquationNames const& names,
                 std::vector<std::string> const& regions);

struct MeshPart {
  std::shared_ptr<io::foam::Mesh const> mesh;  ///< has one address, also when this is moved
  std::vector<io::foam::Region> regions;       ///< that it is made of
  Decomposition parts;
  bool looks_at_cells = true;  ///< fields are laid out: always in a run, for grids of some size where a case is checked
  core::Layout const& layout() const { return *parts.layout; }
};
MeshPart read_mesh(Session& session, EquationNames const& names, std::vector<std::string> const& regions);

/// What fvSchemes says.
struct Schemes {
  solvers::StepSettings settings = {};  ///< as far as they follow from it
  solvers::Interpolation interpolation = solvers::Interpolation::harmonic;
};
Schemes read_schemes(Reading const& in);

/// What has a value a cell.
struct Fields {
  Materials materials;
  core::Field<double> temperature;
  io::foam::CellSets sets;
  std::vector<Contact> contacts = {};  ///< between zones
  /// Of a case with regions: 1 + the number of a cell's region; the substances, and the sets of each.
  std::optional<core::Field<std::uint8_t>> region = {};
  std::vector<Substance> substances = {};
  std::vector<io::foam::CellSets> sets_of_regions = {};
};
/// Materials as far as they can be read (Materials::complete); T = 0; the zones of the mesh's blocks.
std::unique_ptr<Fields> read_fields(Reading const& in, MeshPart const& mesh, Begin const& begin);

/// The file T of each region.
std::vector<io::foam::FieldFile> read_temperatures(Reading const& in, MeshPart const& mesh, Begin const& begin);
/// Gives each region the values of its file.
void set_cells(std::vector<io::foam::FieldFile> const& files, MeshPart const& mesh, core::Field<double>& field);

/// What holds on the boundary.
struct Boundaries {
  std::array<SideCondition, 6> sides;  ///< closed where patches hold parts of the side
  struct Part {
    solvers::SidePart part;
    SideCondition condition;
  };
  std::vector<Part> parts;
  std::vector<Joint> joints;  ///< where regions touch
  std::string kind;           ///< a hash of boundaryField of T, for a restart
  /// boundaryField of T by regions and their patches, for files that are written; of those that are coupled all but `value`.
  std::vector<std::vector<std::string>> texts;
  /// The `value` of these where it is a function of time alone, and not in the text.
  std::vector<std::vector<std::optional<io::foam::Function1>>> values_in_time;
  /// Whether it follows from the cells, and is not in the text (SideCondition::follows).
  std::vector<std::vector<bool>> follow_cells;

  using AtFace = std::function<double(core::Side, int slot, int k, int j, int i)>;
  /// boundaryField of T of each region, as it is written at a time; `at_face`: T at a face of an own cell. Collective.
  std::vector<std::string> written(MeshPart const& mesh, core::Field<double> const& temperature, double time,
                                   AtFace const& at_face, io::foam::FieldFormat const& format) const;
  bool vary() const;
  /// How far from `time`, up to `until`, one step may go (Function1::step_end).
  double step_end(double time, double until) const;
  /// Names of the patches through which heat may flow, by boundary condition; empty for the others.
  std::vector<std::string> open_patches(io::foam::Mesh const& mesh, double time) const;
  /// Gives the conditions the conductivity at their faces, where its field has one.
  void take_conductivity(Materials& materials, io::foam::Mesh const& mesh, double time);
};
Boundaries read_boundaries(Reading const& in, MeshPart const& mesh, std::vector<Substance> const& substances,
                           std::vector<io::foam::FieldFile>& temperatures);

/// Carries out topoSetDict and setFieldsDict.
void set_cells_and_fields(Reading const& in, MeshPart const& mesh, Begin const& begin, Fields& fields);

/// What a run that goes on has besides T.
struct Continuation {
  Begin begin;
  solvers::HeatStepper::Memory memory = {};
  std::string functions = {};        ///< state of the function objects
  std::optional<Restart> from = {};  ///< the snapshot or checkpoint, where there is one
};
/// Reads T and what the time scheme keeps: from the snapshot, with start time, deltaT and the precision of names as they
/// were, and the fields that function objects keep; or beside T's file, from what OpenFOAM writes: uniform/time, T_0,
/// ddt0(T).
Continuation read_continuation(Reading const& in, Schedule& schedule, Begin const& begin, MeshPart const& mesh,
                               solvers::StepSettings const& settings, core::Field<double>& temperature,
                               std::vector<core::FieldBase*> const& of_functions);

/// What fvOptions says. `cut`: rates count inside shapes, and for parts of the cells at their surface.
struct Sources {
  std::vector<io::foam::HeatSource> rates;  ///< those that give heat, as in the body
  std::vector<io::foam::HeatSource> held;
};
Sources read_sources(Reading const& in, MeshPart const& mesh, Fields& fields, double start);

/// The entry `T` of the solvers in fvSolution, or what regions say in its place.
core::Dictionary& read_solver(Reading const& in);

struct Solution {
  solvers::StepSettings settings;
  bool must_converge = false;
  std::string mean_place = {};  ///< of TMean, where it is given
};
/// Whether steps begin with T extrapolated in time, for which a run that goes on wants the T of the two steps before. `fitted`:
/// conductivities depend on T.
bool extrapolates(Reading const& in, Schemes const& schemes, bool fitted);
/// What else fvSolution says. What outer iterations are for is asked of the materials (none: they could not be read),
/// boundaries and sources.
Solution read_solution(Reading const& in, Schemes const& schemes, Materials const* materials,
                       Boundaries const& boundaries, Sources const& sources);
/// Checks the solver's entry on a grid of a few cells with the dimensions of the mesh, if there is one.
void check_solver(Reading const& in, io::foam::Mesh const* mesh, solvers::Interpolation interpolation,
                  core::Dictionary& solver);

/// All of it.
struct HeatCase {
  Reading in;
  MeshPart mesh;
  solvers::Interpolation interpolation;
  std::unique_ptr<Fields> fields;
  Boundaries boundaries;
  Sources sources;
  core::Dictionary& solver;
  Solution solution;
  Begin begin;

  /// How far from `time`, up to `until`, one step may go without passing by what boundaries and sources do meanwhile.
  double step_end(double time, double until) const;
  bool steady() const { return solution.settings.scheme.type == solvers::TimeScheme::Type::steady; }
};

/// Whether time directories hold T of the step before.
inline bool directory_has_old(io::foam::Control const& control, solvers::StepSettings const& settings) {
  return control.write_format && settings.scheme.has_history();
}
/// Files of a time directory that a run may write.
std::vector<std::string> directory_fields(EquationNames const& names);

}  // namespace tessera::run::heat
