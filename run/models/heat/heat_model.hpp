// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "io/foam/function_object.hpp"
#include "run/driver.hpp"
#include "run/models/heat/gradient.hpp"
#include "run/models/heat/heat_body.hpp"
#include "run/models/heat/heat_records.hpp"
#include "run/models/heat/heat_steps.hpp"

#include <deque>
#include <functional>
#include <optional>

namespace tessera::run::heat {

/// Heat conduction in an OpenFOAM case directory. What OpenFOAM does with blockMesh, setFields, topoSet, decomposePar, the
/// solver and reconstructPar happens here in memory in one command.
class HeatModel : public SteppedModel {
 public:
  HeatModel(Session& session, EquationNames names) : SteppedModel(session), names_(names) {}

  void prepare() override;
  Memory memory() const override;
  bool may_be_called_back() const override { return !case_->steady(); }

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
  Decomposition const& parts() const override { return case_->mesh.parts; }
  double setup_seconds() const override { return body_->setup_seconds(); }
  void move_to(std::unique_ptr<core::Layout> layout) override;
  Outcome finish(Moment const& now, std::string const& reason, core::Report& report) override;

 private:
  /// The function objects of controlDict, and what they see.
  struct Functions {
    io::foam::FunctionContext seen;
    io::foam::FunctionList list;
    Functions(io::foam::Control const& control, io::foam::FunctionContext context)
        : seen(std::move(context)),
          list(control, seen) {}
  };
  /// Finishes materials and boundaries, and makes the body; where cells are not looked at, checks its solver by `check`.
  void assemble(std::function<void()> const& check);
  std::unique_ptr<Functions> make_functions(MeshPart const& mesh, Fields& fields, Begin const& begin);
  io::foam::TimeDirectories directories_for_functions(Begin const& begin);
  /// gradTx, gradTy and gradTz of laplacianFoam, those that a function object names.
  void add_gradients(MeshPart const& mesh, Fields& fields, std::map<std::string, io::foam::FunctionField>& known);
  /// What holds at the face of a cell; heat into the body, temperature and conductivity there.
  struct Face {
    double flux, t, lambda;
  };
  Face face(core::Side side, int slot, int k, int j, int i) const;
  /// boundaryField of T of each region after a step. Collective.
  std::vector<std::string> boundaries_written(Step const& step) const;
  /// Hands over what an earlier run left.
  void resume(Continuation& earlier);
  /// Refuses a start after the end; says what has changed in the case since the snapshot.
  void check_goes_on() const;
  /// Says so where no step is taken; refuses that of a steady state.
  void check_steps() const;
  /// Refuses temperatures below 0 K at the start.
  void check_temperatures() const;

  Steps steps() const {
    return {control_, case_->begin, [this](double time, double until) { return case_->step_end(time, until); }};
  }
  /// Takes the step, with its lines in log and tables. Throws core::RunError where T is not finite any more.
  solvers::StepResult advance(Step& step, Stepping& stepping);
  /// Takes a step, repeated with a smaller dt as long as its error is too large; `step` then says what was done. The
  /// first one begins anew when its iterations show that tiles should lie on other ranks.
  solvers::StepResult solve(Step& step, Stepping& stepping);
  void log_solves(solvers::StepResult const& result);
  /// Says once a run where losses drive T up from step to step, and in each step that finds no temperature for them.
  void log_runaway(solvers::StepResult const& result);
  /// The function objects look at the state after a step; `writes`: results are written.
  void observe(Step const& step, solvers::StepResult const& result, bool writes);
  /// The time directory of a step.
  void write_directory(Step const& step);
  /// uniform/time of it.
  void write_time(Step const& step) const;
  /// A field that a function object asks for, into the time directory of the step taken last.
  void write_object(std::string const& name, io::foam::FunctionField const& field, bool with_time) const;
  /// Files of a time directory that this run may write.
  std::vector<std::string> files_of_directories() const;
  /// The time directory of the snapshot that a run goes on from, where a file of it is missing.
  void complete_directory();
  /// Range of T in each region, where the case has several.
  void report_regions(core::Report& report) const;
  /// Raises the precision of names where that of the step's time would not tell it from others.
  void make_room_for_name(Step const& step, bool writes);
  /// Rows of tables up to there belong to the steps before this run [s].
  double keep_rows_before() const;

  EquationNames names_;
  std::vector<std::string> regions_{""};
  io::foam::Control& control_ = schedule_.control;
  // what `prepare` makes
  std::unique_ptr<HeatCase> case_;
  std::unique_ptr<Body> body_;                        ///< none in a large case that is only checked
  std::vector<std::unique_ptr<Gradient>> gradients_;  ///< that function objects look at
  std::unique_ptr<Flux> flux_;
  std::unique_ptr<Functions> functions_;
  std::optional<Restart> from_;          ///< the snapshot or checkpoint that the run goes on from
  std::deque<std::string> directories_;  ///< time directories written, which purgeWrite may delete
  // of the run
  std::unique_ptr<HeatRecords> records_;
  Step at_;                     ///< the step taken last
  double wanted_ = 0;           ///< length of the next one, where dt is adjusted [s]
  solvers::StepResult result_;  ///< of the last one
  struct {
    bool rounding = false, acceleration = false;
  } told_;  ///< what the log says once
};

}  // namespace tessera::run::heat
