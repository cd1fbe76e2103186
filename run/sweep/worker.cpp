// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/worker.hpp"

#include "core/case/digest.hpp"
#include "core/comm/runtime.hpp"
#include "core/comm/signals.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run {
namespace {
namespace fs = std::filesystem;
using Json = core::Report::Json;

Json found_in(Json const& report) {
  Json found = Json::object();
  if (report.contains("results")) flatten(report["results"], "", found);
  if (report.contains("hash")) flatten(report["hash"], "hash.", found);
  return found;
}

std::string message(std::exception const& error) {
  return core::says_out_of_memory(error) ? "out of memory" : error.what();
}

}  // namespace

void flatten(Json const& part, std::string const& path, Json& found) {
  for (auto const& [name, value] : part.items()) {
    if (value.is_structured())
      flatten(value, path + name + ".", found);
    else if (!value.is_null())
      found[path + name] = value;
  }
}

std::string SweepFolder::record(int rank) const { return fmt::format("{}/tasks.{}{}", path, shard, rank); }

std::string SweepFolder::scratch(int rank) const { return fmt::format("{}/scratch.{}{}", path, shard, rank); }

void SweepFolder::forget_tables() const {
  for (char const* name :
       {"tasks.csv", "statistics.csv", "thresholds.csv", "histograms.csv", "tables.h5", "costs.csv", "report.json"})
    fs::remove(path + "/" + name);
}

std::string text_of(std::string const& key, Row const& row) {
  Json json{{"key", key}, {"seconds", row.seconds}, {"ranks", row.ranks}, {"team", row.team}, {"inputs", row.inputs}};
  row.error.empty() ? json["found"] = row.found : json["error"] = row.error;
  // a text that is not UTF-8 must not end the sweep
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string text_in(core::Bytes const& bytes) { return {reinterpret_cast<char const*>(bytes.data()), bytes.size()}; }

std::pair<std::string, Row> row_in(std::string const& text) {
  auto const json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("key") || !json["key"].is_string() || !json.contains("inputs")) return {};
  Row row;
  row.inputs = json["inputs"].get<std::map<std::string, std::string>>();
  row.seconds = json.value("seconds", 0.0);
  row.ranks = json.value("ranks", 1);
  row.team = json.value("team", -1);
  row.error = json.value("error", "");
  row.found = json.value("found", Json::object());
  return {json["key"].get<std::string>(), std::move(row)};
}

std::string SweepFolder::of(Axes const& axes, Point const& point) const {
  std::string name;
  for (char c : axes.name(point))
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '=' || c == '-' || c == '+' ? c : '_';
  constexpr std::size_t longest = 100;
  return path + "/" + (name.size() <= longest ? name : name.substr(0, longest) + "_" + core::Digest::of(name));
}

Worker::Worker(int rank, RunOptions const& options, Axes const& axes, SweepFolder const& folder, bool keeps,
               bool goes_on)
    : options_(options),
      axes_(axes),
      folder_(folder),
      keeps_(keeps),
      goes_on_(goes_on),
      rank_(rank) {}

Row Worker::run(core::Team const& team, Point const& point, TaskOptions const& task, bool& thrown) const {
  Row row;
  // before they are read: what changes meanwhile must be seen to have changed
  if (team.comm().root()) row.inputs = axes_.inputs(point);
  bool failed = true;
  try {
    auto result = run_task(team.comm(), task);
    failed = result.code != core::Exit::done;
    if (failed)
      row.error = result.failure.empty() ? "did not converge, where the case demands it" : result.failure;
    if (keeps_ && team.comm().root()) {
      std::error_code none;
      fs::create_directories(task.output, none);
      core::write_file(task.output + "/log", fmt::format("{}\n", fmt::join(result.log, "\n")));
    }
    row.found = found_in(result.report);
    row.inputs.merge(result.inputs);
  } catch (std::exception const& error) {
    row.error = message(error);
    thrown = true;
  }
  if (!team.agrees(failed))
    throw core::RunError(
        fmt::format("task {}: {}", axes_.name(point), row.error.empty() ? "failed on another rank" : row.error));
  return row;
}

Given Worker::operator()(core::Team const& team, Point const& point, Attempt const& attempt) {
  int const first = rank_ - team.comm().rank();
  TaskOptions task{.directory = options_.directory,
                   .settings = options_.settings,
                   .output = folder_.scratch(first),
                   .keeps = keeps_,
                   .allow_code = options_.allow_code,
                   .texts = &texts_,
                   .called_back = attempt.called_back};
  axes_.set(point, task);
  auto const begin = std::chrono::steady_clock::now();
  bool thrown = false;
  Row row = run(team, point, task, thrown);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  row.ranks = team.comm().size();
  row.team = first;
  finished_ = row.error.empty();
  bool const cut = core::SignalCatcher::caught() != 0;
  if (team.comm().size() > 1 ? team.comm().any(cut) : cut) return {{}, Given::As::nothing};
  core::Bytes bytes;
  core::append(bytes, std::span<char const>(text_of(axes_.key(point), row)));
  return {std::move(bytes), thrown ? Given::As::failure : Given::As::result};
}

void Worker::settle(Point const& point, core::Bytes const& row, bool counts) {
  std::error_code none;
  std::string const scratch = folder_.scratch(rank_);
  bool const wrote = fs::exists(scratch, none);
  if (keeps_ && counts && wrote) {
    std::string const folder = folder_.of(axes_, point);
    fs::remove_all(folder, none);
    std::error_code failed;
    fs::rename(scratch, folder, failed);
    if (failed) throw core::RunError(fmt::format("{}: cannot be written: {}", folder, failed.message()));
  }
  if (wrote) fs::remove_all(scratch, none);
  if (!counts || !finished_) return;
  if (!record_)
    record_.emplace(
        folder_.record(rank_), folder_.identity, goes_on_, [](std::string const&) {}, "--anew");
  record_->add(text_in(row));
}

}  // namespace tessera::run
