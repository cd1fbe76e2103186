// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// Whether a run that is to start so begins with the initial state, and takes up no results.
inline bool begins_anew(std::string const& start_from, double start_time) {
  return start_from == "firstTime" || (start_from == "startTime" && start_time <= 0);
}

/// `system/controlDict`. Times in seconds, or in steps where the application has no time step.
struct Control {
  struct Function {
    std::string name, type;
    core::Dictionary* dictionary;  ///< in the controlDict, which must outlive this
  };

  std::string application;
  std::string start_from = "startTime";  ///< firstTime | startTime | latestTime
  double start_time = 0;
  std::string stop_at = "endTime";  ///< endTime | writeNow | noWriteNow (after the first step) | nextWrite
  std::optional<double> end_time;   ///< infinite with another stopAt than endTime
  std::optional<double> delta_t;
  bool adjust_time_step = false;  ///< deltaT is the first step only
  double max_delta_t = std::numeric_limits<double>::infinity();
  double delta_t_tolerance = 0;             ///< error in T allowed a step [K], where steps are adjusted
  bool meets_write_times = false;           ///< writeControl adjustableRunTime, where steps are adjusted
  std::string write_control = "timeStep";   ///< timeStep | runTime | clockTime | cpuTime | none
  double write_interval = 0;                ///< steps or seconds; 0: no results but the last
  int purge_write = 0;                      ///< results kept, 0: all
  std::optional<std::string> write_format;  ///< one of ControlNeeds::write_formats, where the case names one
  int write_precision = 6;
  bool write_packed = false;            ///< writeCompression on, where fields are ascii (as in OpenFOAM)
  bool write_mesh = false;              ///< `writeMesh yes;`: constant/polyMesh for OpenFOAM and ParaView
  std::string time_format = "general";  ///< fixed | scientific | general
  int time_precision = 6;
  bool modifiable = true;           ///< runTimeModifiable: a stopAt that is written into the file is heeded
  std::string begun_as;             ///< `start_name` where it is known
  std::vector<Function> functions;  ///< enabled ones, in the order of the file

  /// The time as OpenFOAM names its directories and prints it.
  std::string time_name(double t) const;
  /// Whether it is called so at this precision, or at one that it may have been raised to.
  bool named(double t, std::string const& name) const;
  /// The smallest precision, from the present one to 17, at which the name of t read back is off by at most `tolerance` [s];
  /// 17 where there is none.
  int precision_for(double t, double tolerance) const;
  /// What a name may be off at the time of a step of so many seconds that results are written at, as in OpenFOAM [s].
  double name_tolerance(double step) const;
  /// Name of the time at which the first run began: function objects write into folders of that name, also when the
  /// precision has been raised since.
  std::string start_name() const { return begun_as.empty() ? time_name(start_time) : begun_as; }
  /// Steps from start to end, and from another time; the largest number where nothing ends the run. Throws
  /// core::BrokenPromise without end_time and delta_t.
  long steps() const { return steps(start_time); }
  long steps(double from) const;
};

/// What an application wants from a controlDict.
struct ControlNeeds {
  bool time_step = true;                                      ///< deltaT and endTime are required
  std::vector<std::string> functions;                         ///< types of function objects that are there
  bool adjusts_time_step = false;                             ///< adjustTimeStep yes, with deltaTTolerance, is there
  std::vector<std::string> write_formats{"ascii", "binary"};  ///< those of OpenFOAM time directories
};

/// Reads a controlDict. Keys with one possible meaning here (runTimeModifiable, adjustTimeStep no, debug
/// switches) are accepted; those that would change the run and are not there (adjustTimeStep yes, unknown function objects)
/// are refused by name. Other keys
/// are errors, found by check_all_read: here, or where there are function objects by the caller, after they have read
/// their keys. `extra` lists keys that the application reads itself. Throws core::Error with file and line.
Control read_control(core::Dictionary& dictionary, ControlNeeds const& needs = {},
                     std::vector<std::string> const& extra = {});

}  // namespace tessera::io::foam
