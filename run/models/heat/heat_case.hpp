// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "io/foam/function_object.hpp"
#include "io/foam/mesh.hpp"
#include "io/foam/sources.hpp"
#include "io/foam/time_directory.hpp"
#include "io/snapshot.hpp"
#include "run/balance/decompose.hpp"
#include "run/driver.hpp"
#include "run/models/heat/materials.hpp"
#include "run/models/heat/side_conditions.hpp"
#include "run/restart/restart.hpp"
#include "solvers/heat/stepper.hpp"

#include <deque>
#include <optional>

namespace tessera::run::heat {

class HeatRecords;

/// Heat conduction in an OpenFOAM case directory. What OpenFOAM does with blockMesh, setFields, topoSet, decomposePar, the
/// solver and reconstructPar happens here in memory in one command.
class HeatCase : public SteppedModel {
 public:
  HeatCase(Session& session, EquationNames names);
  ~HeatCase() override;

  void prepare() override;
  Memory memory() const override;

  Start begin() override;
  Moment step(Moment const& now, Stepping& stepping) override;
  double steps_to_come(Moment const& now) const override;
  void after_step(Moment const& now, bool writes, bool stops, bool by_signal) override;
  std::vector<core::FieldBase const*> saved(bool in_memory) const override;
  io::State state() const override;
  void write(Moment const& now) override;
  std::vector<io::insitu::Shown> shown() const override;
  std::string name(Moment const& now) const override;
  std::string stamp(Moment const& now) const override;
  Decomposition const& parts() const override { return parts_; }
  double setup_seconds() const override;
  void move_to(std::unique_ptr<core::Layout> layout) override;
  Outcome finish(Moment const& now, std::string const& reason, core::Report& report) override;

 private:
  // reading, in this order
  /// controlDict, and where to begin.
  void read_start();
  void find_start();
  void read_mesh();
  void read_time_scheme();
  /// Fields and sets. `ready`: it is known where to begin.
  void read_fields(bool ready);
  void load_snapshot();
  /// What a time directory keeps for the time scheme, as OpenFOAM writes it: uniform/time, T_0, ddt0(T).
  void load_directory();
  /// topoSetDict and setFieldsDict.
  void set_cells_and_fields();
  void read_boundaries(io::foam::FieldFile& file);
  void read_sources();
  void read_solution();
  /// Gives the boundary conditions the conductivity at their faces, where its field has one.
  void take_conductivity_at_faces();
  void assemble();
  /// What assemble finds wrong with the solver's entries, without the grid's matrix.
  void check_solver() const;
  /// The matrix for a time weight (0: steady), and the stepper with its solver.
  void build(double time_weight);
  void make_functions();
  void resume();
  /// Refuses a start after the end; says what has changed in the case since the snapshot.
  void check_goes_on() const;

  // running
  struct Step {
    long number = 0;
    double before = 0, time = 0, dt = 0;  ///< [s]
    bool last = false;
  };
  /// Names of the patches through which heat may flow, by boundary condition; empty for the others.
  std::vector<std::string> open_patches() const;
  /// Number of the last step where dt is constant.
  long last_step() const;
  bool at_end(Step const& step) const;
  /// The step after another, `wanted` long where dt is adjusted.
  Step after(Step const& step, double wanted) const;
  /// Takes the step, with its lines in log and tables. Throws core::RunError where T is not finite any more.
  solvers::StepResult advance(Step& step, Stepping& stepping);
  /// Boundaries and sources at a time.
  void set_time(double time);
  /// Takes a step, repeated with a smaller dt as long as its error is too large; `step` then says what was done. The
  /// first one begins anew when its iterations show that tiles should lie on other ranks.
  solvers::StepResult solve(Step& step, Stepping& stepping);
  /// How many steps follow another, where the next ones are `wanted` long.
  double steps_after(Step const& step, double wanted) const;
  /// The step to take where dt is adjusted: so that a whole number of equal ones meets the next time that must be met.
  double fitted(double time, double dt) const;
  void log_solves(solvers::StepResult const& result);
  /// Says once a run where losses drive T up from step to step, and in each step that finds no temperature for them.
  void log_runaway(solvers::StepResult const& result);
  /// Whether Sp T of a source stands on the diagonal: OpenFOAM's SuSp on the right side is implicit where heat rises with
  /// T, and laplacianFoam does what OpenFOAM does; heatConduction is so where that is stable.
  bool takes_implicitly(io::foam::HeatSource const& source, double time) const;
  /// Of this matrix; a preconditioner that refuses it names the sources that may have spoilt it.
  std::unique_ptr<solvers::LinearSolver> make_solver(solvers::StencilMatrix const& matrix);
  /// The function objects look at the state after a step; `writes`: results are written.
  void observe(Step const& step, solvers::StepResult const& result, bool writes);
  /// The time directory of a step.
  void write_directory(Step const& step);
  /// Whether time directories hold T of the step before.
  bool directory_has_old() const;
  /// The time directory of the snapshot that a run goes on from, where a file of it is missing.
  void complete_directory();
  /// Raises the precision of names where that of the step's time would not tell it from others.
  void make_room_for_name(Step const& step, bool writes);
  /// Files of a time directory that a run may write.
  std::vector<std::string> directory_fields() const;
  /// Rows of tables up to there belong to the steps before this run [s].
  double keep_rows_before() const;

  io::foam::FieldFormat format() const {
    return {control_.write_format == "binary", control_.write_precision, control_.write_packed};
  }
  core::Dictionary::Reader reader() const {
    return [this](std::string const& path) { return session_.files.read_text(path); };
  }

  EquationNames names_;
  io::foam::Control& control_ =
      schedule_.control;       ///< start_time is that of the first of the runs that go on from each other
  std::string start_, first_;  ///< names of the time directory to read, and of the first one there is
  struct Begin {
    bool from_snapshot = false, goes_on = false;
    std::int64_t step = 0, base_step = 0;
    double time = 0, dt = 0, base_time = 0;  ///< time n is base_time + (n - base_step) dt where dt is constant [s]
    std::string functions;                   ///< state of the function objects
    std::optional<Restart> from;             ///< the snapshot or checkpoint, where there is one
  } begin_;
  solvers::HeatStepper::Memory memory_;  ///< from a snapshot, until the stepper has it
  std::deque<std::string> directories_;  ///< time directories written, which purgeWrite may delete
  std::optional<io::foam::Mesh> mesh_;
  Decomposition parts_;
  std::optional<Materials> materials_;
  std::optional<core::Field<double>> temperature_;
  io::foam::CellSets sets_;
  std::array<SideCondition, 6> conditions_;
  struct PartCondition {
    solvers::SidePart part;
    SideCondition condition;
  };
  std::vector<PartCondition> part_conditions_;  ///< of patches that hold a part of a side
  std::string boundary_text_;
  std::string boundary_kind_;                  ///< a hash of the boundary conditions of T, for a restart
  std::vector<io::foam::HeatSource> sources_;  ///< those that give heat, as in the body
  std::vector<io::foam::HeatSource> held_;
  solvers::Interpolation interpolation_ = solvers::Interpolation::harmonic;
  solvers::StepSettings settings_;
  core::Dictionary* solver_entry_ = nullptr;
  std::optional<solvers::Heat> heat_;
  std::unique_ptr<solvers::HeatStepper> stepper_;
  std::optional<io::foam::FunctionContext> seen_;
  std::optional<io::foam::FunctionList> functions_;
  std::unique_ptr<HeatRecords> records_;
  Step at_;                     ///< the step taken last
  double wanted_ = 0;           ///< length of the next one, where dt is adjusted [s]
  solvers::StepResult result_;  ///< of the last one
  double assembly_seconds_ = 0;
  bool must_converge_ = false;
  bool looks_at_cells_ =
      true;  ///< fields are laid out: always in a run, for grids of some size where a case is checked
  struct {
    bool rounding = false, acceleration = false;
  } told_;  ///< what the log says once
};

}  // namespace tessera::run::heat
