// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "run/model.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace tessera::run {

/// The folder `earlier` in postProcessing or results, made if need be, for what an earlier run left there and this one does not write. It
/// is of one run: where this run has moved nothing yet, what another has moved to either goes. On the root.
std::filesystem::path earlier_folder(Session& session, std::string const& folder);

/// Tables (.csv), pictures (.png) and pages (.html) in postProcessing and results of a case, of which a run writes some anew. Its
/// report has their names as `files`, so that the next run knows what this one left. All of it on one rank.
class EarlierFiles {
 public:
  /// Looks at what is there before the run, and reads the report of the run before it.
  explicit EarlierFiles(Session& session);
  /// At the end of the run: adds `files` to the report. Where the run began anew, moves files that the run before had written and
  /// this one has not to the folder `earlier` beside them, since they look like results of this one, and says so in the log.
  void finish(core::Report& report);

 private:
  using Times = std::map<std::string, std::filesystem::file_time_type>;
  Times now() const;
  Session& session_;
  bool anew_;
  Times before_;
  std::vector<std::string> of_last_run_;
};

}  // namespace tessera::run
