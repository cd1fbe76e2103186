// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/report.hpp"
#include "run/case.hpp"
#include "run/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace tessera::run {

struct RunOptions {
  std::string directory;
  std::vector<std::string> settings;  ///< FILE:entry.path=value, laid over the case's files
  std::string report;                 ///< empty: postProcessing/report.json of the results' folder
  bool quiet = false;
  bool allow_code = false;  ///< libraries and scripts of the case may run
  std::string output = {};  ///< where results go, empty: into the directory
  bool made = false;        ///< the case was made for this run: its files are those that the user has named
  bool keeps = true;        ///< no: the case goes away after it, pictures and tables need not be made
  /// Where wanted, the report, on the root.
  core::Report::Json* found = nullptr;
};

/// What tasks and the runs of a study and a plan have set, whatever the case says: they begin at its start time, and write no
/// results where none are kept.
inline constexpr char const* from_start_time = "system/controlDict:startFrom=startTime";
inline constexpr char const* without_results = "system/controlDict:writeControl=none";

/// Runs a case, writes its results and its report. Returns the exit code (core::Exit). Throws core::Error for wrong input,
/// core::RunError for what fails on the way. Collective.
int run_case(core::Comm const& comm, RunOptions const& options);
/// A case that is one of many: with settings of its own, its results apart from those of others.
struct TaskOptions {
  std::string directory;              ///< of the case
  std::vector<std::string> settings;  ///< FILE:entry.path=value
  std::string output;                 ///< folder for what it writes
  bool keeps = false;                 ///< yes: all that a run writes; no: nothing but what a model cannot do without
  bool allow_code = false;
  /// Dictionaries that earlier tasks of the same ranks have read, or that stand in memory alone.
  CaseTexts* texts = nullptr;
  TakeFields take = {};                    ///< Session::take
  std::function<bool()> called_back = {};  ///< Session::called_back
  /// Places of settings in messages, by their texts, where that is not the command line.
  std::map<std::string, std::string> origins = {};
};
/// What a task found.
struct TaskResult {
  int code = 0;                               ///< core::Exit
  std::string failure;                        ///< what has gone wrong, where the code is of a failure
  core::Report::Json report;                  ///< on the root
  std::vector<std::string> log;               ///< its lines, on the root
  bool may_be_called_back = false;            ///< Model::may_be_called_back
  std::map<std::string, std::string> inputs;  ///< Case::inputs
};
/// Runs a task; `checks`: it is read and checked, no more. It begins at its start time. The case is not locked, and nothing
/// is printed. Throws as run_case. Collective.
TaskResult run_task(core::Comm const& comm, TaskOptions const& options, bool checks = false);
/// What a task would need, without running it: check_case's estimate. Throws as run_case. Collective.
Memory task_memory(core::Comm const& comm, TaskOptions const& options);
/// Reads all of a case, lays out no field, runs no code of it, and tells what is wrong with it, all of it.
int check_case(core::Comm const& comm, RunOptions const& options);

}  // namespace tessera::run
