// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/insitu/in_situ.hpp"
#include "io/pictures/preview.hpp"
#include "run/balance/load_balance.hpp"
#include "run/control/run_control.hpp"
#include "run/model.hpp"
#include "run/restart/checkpoint.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::run {

/// What a case wants written, kept and shown while it runs, and when: system/controlDict and system/inSituDict.
struct Schedule {
  io::foam::Control control;
  std::optional<io::PreviewStyle> preview;
  std::optional<Checkpoints> checkpoints;
  std::unique_ptr<io::InSitu> in_situ;

  /// controlDict with `preview` and `checkpoint`. `otherwise`: of what `preview` does not say. Throws core::Error.
  void read_control(Session& session, io::foam::ControlNeeds const& needs, io::PreviewStyle const& otherwise = {});
  /// inSituDict, where there is one. Throws core::Error.
  void read_in_situ(Session& session);
};

/// Where a run in steps stands.
struct Moment {
  std::int64_t step = 0;
  double time = 0;    ///< [s], or steps
  bool last = false;  ///< no step follows
};

/// Where a run in steps begins.
struct Start {
  Moment moment;
  bool goes_on = false;  ///< from results of an earlier run
  /// It is a state like each later one: scripts see it, and a run that ends there writes it.
  bool is_state = true;
  double origin = 0;  ///< from which writeControl runTime counts
};

class SteppedModel;

/// What a step may ask of the run around it.
class Stepping {
 public:
  Stepping(Session& session, SteppedModel& model, RunControl& control, LoadBalance& balance,
           std::optional<io::Preview> const& preview)
      : control(control),
        balance(balance),
        asked_(control),
        session_(session),
        model_(model),
        preview_(preview) {}
  /// How many steps there are from one to the next of which results or a preview may be due, where a step's time is its number.
  std::int64_t steps_to_due(std::int64_t step) const;
  /// Within a long step: whether this rank was asked to end the run. Not collective.
  bool asked_to_end() { return asked_.asked_to_end(false); }
  /// Gives the tiles to other ranks. Collective.
  void move(std::vector<int> owners);

  RunControl const& control;
  LoadBalance& balance;

 private:
  RunControl& asked_;
  Session& session_;
  SteppedModel& model_;
  std::optional<io::Preview> const& preview_;
};

/// A model that advances in steps. It knows its fields and how to take a step; when results are written, checkpoints made,
/// pictures shown, tiles moved, and when a run ends early, is the business of `run`, the same for all. All members are
/// called on all ranks.
class SteppedModel : public Model {
 public:
  explicit SteppedModel(Session& session) : session_(session) {}
  bool may_be_called_back() const override { return true; }

  /// Gives the fields their values: the initial ones, or those of an earlier run.
  virtual Start begin() = 0;
  /// Takes the step after `now`.
  virtual Moment step(Moment const& now, Stepping& stepping) = 0;
  /// Whether all work up to `now` is done; a model may put off some, and do that of several steps at once.
  virtual bool is_up_to_date() const { return true; }
  /// How many steps follow at most; for what pays only after some.
  virtual double steps_to_come(Moment const& now) const = 0;
  /// After a step, before its results are written where `writes` says so. `stops`: it is the last one of this run;
  /// `by_signal`: the run is to go on some other time.
  virtual void after_step(Moment const& now, bool writes, bool stops, bool by_signal) {
    (void)now, (void)writes, (void)stops, (void)by_signal;
  }

  /// Fields and texts that a run goes on from, in a snapshot or in memory.
  virtual std::vector<core::FieldBase const*> saved(bool in_memory) const = 0;
  virtual io::State state() const = 0;
  /// Writes the snapshot of this moment where it is no file of `saved` fields. Returns its path; "": nothing is done.
  virtual std::string write_snapshot(Moment const& now) { return (void)now, std::string(); }
  /// A snapshot of this moment is written: files of the model's own beside it.
  virtual void write(Moment const& now) { (void)now; }
  /// What previews (the first) and scripts look at. Of nothing there is no preview at this moment.
  virtual std::vector<io::insitu::Shown> shown() const = 0;
  /// "generation 120": a moment in words.
  virtual std::string name(Moment const& now) const = 0;
  /// The words under a preview's picture.
  virtual std::string stamp(Moment const& now) const { return name(now); }

  virtual Decomposition const& parts() const = 0;
  /// What is done anew when tiles move, besides moving fields [s].
  virtual double setup_seconds() const { return 0; }
  /// Whether its bits do not depend on the shape of tiles, and the case leaves it open.
  virtual bool may_retile() const { return false; }
  /// Goes on, on other tiles or ranks.
  virtual void move_to(std::unique_ptr<core::Layout> layout) = 0;

  struct Outcome {
    int exit_code = 0;
    std::int64_t steps = 0;
    double cell_updates = 0;
  };
  /// Pictures, results and hashes of a run that ended at `now`; `reason`: why early, "" if it did not.
  virtual Outcome finish(Moment const& now, std::string const& reason, core::Report& report) = 0;

  /// The loop over the steps.
  int run(core::Report& report) final;

 protected:
  Session& session_;
  Schedule schedule_;
};

}  // namespace tessera::run
