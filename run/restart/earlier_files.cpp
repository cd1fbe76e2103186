// SPDX-License-Identifier: Apache-2.0
#include "run/restart/earlier_files.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "io/foam/control.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>
#include <vector>

namespace tessera::run {
namespace fs = std::filesystem;
using Json = core::Report::Json;

namespace {

constexpr std::array folders{"postProcessing", "results"};

bool is_table_or_picture(fs::path const& kind) { return kind == ".csv" || kind == ".png" || kind == ".html"; }

/// FOLDER/NAME of one of the kinds, and no path out of these folders, whatever stands in a report.
bool may_be_ours(std::string const& file) {
  fs::path const path(file);
  return path == path.parent_path().filename() / path.filename() &&
         std::find(folders.begin(), folders.end(), path.parent_path()) != folders.end() &&
         is_table_or_picture(path.extension());
}

bool begins_anew(core::Dictionary const& control) {
  return io::foam::begins_anew(control.get_or<std::string>("startFrom", "startTime"),
                               control.get_or<double>("startTime", 0));
}

}  // namespace

fs::path earlier_folder(Session& session, std::string const& folder) {
  std::error_code none;
  if (!std::exchange(session.moved_earlier, true))
    for (std::string const each : folders) {
      std::vector<fs::path> ours;
      for (auto const& entry : fs::directory_iterator(session.files.output(each + "/earlier"), none))
        if (auto const kind = entry.path().extension();
            entry.is_regular_file(none) &&
            (is_table_or_picture(kind) || kind == ".h5" || kind == ".mc" || kind == ".xdmf"))
          ours.push_back(entry.path());
      for (auto const& file : ours) fs::remove(file, none);
    }
  fs::path const earlier = session.files.output(folder + "/earlier");
  fs::create_directories(earlier, none);
  return earlier;
}

EarlierFiles::EarlierFiles(Session& session)
    : session_(session),
      anew_(begins_anew(session.files.open("system/controlDict"))),
      before_(now()) {
  std::string const file = session.files.output("postProcessing/report.json");
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return;
  try {
    auto const report = Json::parse(core::read_file(file), nullptr, false);
    if (!report.is_object() || !report.contains("files") || !report["files"].is_array()) return;
    for (auto const& name : report["files"])
      if (name.is_string() && may_be_ours(name.get<std::string>())) of_last_run_.push_back(name.get<std::string>());
  } catch (core::Error const&) {  // no report that tells
  }
}

EarlierFiles::Times EarlierFiles::now() const {
  Times times;
  std::error_code none;
  for (std::string const folder : folders)
    for (auto const& entry : fs::directory_iterator(session_.files.output(folder), none))
      if (auto const name = folder + "/" + entry.path().filename().string();
          may_be_ours(name) && entry.is_regular_file(none))
        times[name] = entry.last_write_time(none);
  return times;
}

void EarlierFiles::finish(core::Report& report) {
  std::set<std::string> written, left;
  auto const times = now();
  for (auto const& [name, time] : times)
    if (auto const place = before_.find(name); place == before_.end() || place->second != time) written.insert(name);
  for (auto const& name : of_last_run_)
    if (times.contains(name) && !written.contains(name)) left.insert(name);
  if (anew_) {
    for (auto const& name : left) {
      fs::path const from = session_.files.output(name);
      std::error_code none;
      fs::rename(from, earlier_folder(session_, fs::path(name).parent_path().string()) / from.filename(), none);
    }
    if (!left.empty())
      session_.log.line("Of an earlier run and not of this one, moved to folders 'earlier': {}", fmt::join(left, ", "));
  } else {
    written.merge(left);
  }
  report["files"] = written;
}

}  // namespace tessera::run
