// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/report.hpp"
#include "io/insitu/channels.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io {

/// Looks at a run while it runs: system/inSituDict names ParaView's Python scripts and when they are to be run.
///
///   implementation legacy;            legacy | catalyst2 | recorder
///   fields         (T);               of those the application shows; default: all
///   budget         0.1;               share of the run's time: scripts wait where they would take more; default: no limit
///   scripts
///   {
///       NAME
///       {
///           file            "temperature.py";   of the case, or one that comes with the program
///           channels        (preview);          grid: all cells | preview: means over blocks, at most 512 x 512
///           executeControl  timeStep;           timeStep | runTime | clockTime
///           executeInterval 10;                 steps, or seconds; and always after the last step
///           args            ("field=T" "lo=293" "hi=350");    catalyst.get_args() in the script
///           renders         yes;                default: whether the script makes a view
///       }
///   }
/// The scripts also get the argument `case=DIRECTORY`. The module of the implementation is opened by `start`, so that a
/// program without such a case loads nothing. Fields are handed over without copying: see insitu::GridChannel.
class InSitu {
 public:
  using Json = core::Report::Json;

  /// Asked, on all ranks, about a script that does not come with the program: the entry and its key that name it, and the
  /// file. False: it is not opened. May throw.
  using OwnScript = std::function<bool(core::Dictionary const&, std::string const&, std::string const&)>;
  /// Reads and checks the dictionary, which must outlive this. Throws core::Error, also when the module was not built.
  /// Collective.
  InSitu(core::Dictionary& dictionary, std::string directory, core::Comm const& comm, OwnScript own = {});
  /// Gets lines for the log.
  void on_note(std::function<void(std::string const&)> note) { note_ = std::move(note); }
  ~InSitu();
  InSitu(InSitu const&) = delete;
  InSitu& operator=(InSitu const&) = delete;

  /// Throws core::Error where `fields` of the dictionary has others than these, which the run will show.
  void expect_fields(std::vector<std::string> const& shown) const;

  /// Opens the module and checks the scripts; the run begins at `step` and `time`. Throws core::Error when a
  /// script is no Python, or one renders and there is no display. Collective.
  void start(std::int64_t step, double time);

  /// To be called after every step. Costs next to nothing where no script is due. Throws core::RunError when the module
  /// fails. Collective.
  void observe(std::int64_t step, double time, bool last, std::span<insitu::Shown const> fields);

  /// Numbers that scripts gave back last, by name; equal on all ranks.
  std::map<std::string, double> const& values() const { return values_; }
  /// implementation, calls, postponed (where there is a budget), startSeconds, seconds (of the calls), secondsPerCall,
  /// secondsPerStep, values: of this rank.
  Json report() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Script {
    std::string name, file, control;
    double interval = 1;
    int channels = 0;
    bool renders = false;
    std::vector<std::string> args;
    std::vector<char const*> pointers;
    std::int64_t clock_runs = 0;
    bool late = false;  ///< was due, and waits
  };
  void read_script(core::Dictionary& entry, std::string const& name);
  std::string find_script(core::Dictionary const& entry) const;
  bool wanted(Script& script, std::int64_t step, double time);
  std::vector<insitu::Shown> chosen(std::span<insitu::Shown const> fields) const;
  /// Whether a call now would take more than the budget allows, by what the calls so far have taken. Collective.
  bool too_dear();
  void execute(int channels, insitu_frame frame, std::span<insitu::Shown const> fields);

  core::Dictionary& dictionary_;
  std::string directory_;
  core::Comm comm_;
  std::string implementation_;
  std::vector<std::string> fields_;
  std::vector<Script> scripts_;
  insitu_module const* module_ = nullptr;
  insitu::GridChannel grid_;
  insitu::PreviewChannel preview_;
  std::map<std::string, double> values_;
  double time_ = 0;  ///< of the step before
  Clock::time_point begin_ = Clock::now();
  std::int64_t steps_ = 0, calls_ = 0;
  double start_seconds_ = 0, seconds_ = 0;
  std::optional<double> budget_;
  std::int64_t postponed_ = 0;  ///< steps at which something was due and did not run
  OwnScript own_;
  std::function<void(std::string const&)> note_;
};

}  // namespace tessera::io
