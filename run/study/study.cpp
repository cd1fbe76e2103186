// SPDX-License-Identifier: Apache-2.0
#include "run/study/study.hpp"

#include "core/case/wrong_command.hpp"
#include "core/comm/runtime.hpp"
#include "core/comm/signals.hpp"
#include "core/files.hpp"
#include "core/version.hpp"
#include "io/files/text_table.hpp"
#include "run/ensemble.hpp"
#include "run/guard/case_code.hpp"
#include "run/guard/case_lock.hpp"
#include "run/guard/input_stamp.hpp"
#include "run/guard/same_run.hpp"
#include "run/log.hpp"
#include "run/restart/task_record.hpp"
#include "run/study/apart.hpp"
#include "run/study/page.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tessera::run {

namespace {
using Json = core::Report::Json;

/// What a study writes to its folder beside the record of its runs.
constexpr std::array files_of_study{"points.csv", "runs.csv", "study.md", "study.html", "report.json"};

class Study {
 public:
  Study(core::Comm const& comm, StudyOptions const& options, Log& log)
      : comm_(comm),
        options_(options.run),
        log_(log),
        files_(options_.directory, options_.settings, comm),
        lock_(comm, options_.directory, log),
        dictionary_(files_.open("system/studyDict")),
        design_(dictionary_, options_.directory),
        points_(design_.axes.points()),
        runs_(points_.size()),
        folder_(files_.path("study")),
        apart_(options_.directory, folder_, code_allowed(options_.allow_code)),
        cores_(apart_.cores()) {
    dictionary_.check_all_read();
    design_.axes.check_beside(options_.settings);
    for (char const* own : {from_start_time, without_results}) design_.axes.check_free(own);
    if (int const n = design_.axes.find("threads");
        n >= 0 && core::backend_name() == "Serial" && design_.axes.at(n).values != std::vector<std::string>{"1"})
      dictionary_.sub("axes").fail_expected("threads", "1: this program is built without threads");
    for (Axis const& axis : design_.axes.all())
      if (is_own_column(axis.name)) refuse_column(dictionary_.sub("axes"), axis.name);
    options_.allow_code = code_allowed(options_.allow_code);
  }

  int run(bool anew, bool count_only) {
    log_.line("Study of {}: {} points, {} run{} each", files_.directory(), points_.size(), design_.repeats,
              design_.repeats == 1 ? "" : "s");
    for (auto const& remark : remarks(design_, result())) log_.line("{}", remark);
    log_.lines(design_.axes.told());
    for (Point const& point : points_) {
      TaskOptions task{options_.directory, options_.settings, folder_, false, options_.allow_code, nullptr};
      design_.axes.set(point, task);
      auto files = design_.axes.inputs(point);
      files.merge(run_task(comm_, task, true).inputs);
      auto& names = inputs_.emplace_back();
      for (auto const& [name, stamp] : files) names.push_back(name);
    }
    if (count_only) return core::Exit::done;
    core::require_writable_folder(folder_);
    remember(!anew);
    for (char const* name : files_of_study) std::filesystem::remove(folder_ + "/" + name);
    core::SignalCatcher const signals;
    measure();
    if (!stopped()) emulation();
    apart_.clear();
    return report();
  }

 private:
  static bool stopped() { return core::SignalCatcher::caught() != 0; }

  std::vector<std::string> settings(Point const& point) const {
    auto all = options_.settings;
    for (auto& setting : design_.axes.settings(point)) all.push_back(std::move(setting));
    return all;
  }
  /// What determines a run, with the files that it reads outside of what the case's hash is made of, as they are now.
  std::string key(std::size_t n, int repeat) const {
    Launch const launch = launch_of(points_[n]);
    std::string key = fmt::format("{} x {}\n{}\n{}\n{}\n{}", launch.ranks, launch.threads, launch.emulated,
                                  launch.nodes, design_.axes.key(points_[n]), repeat);
    for (auto const& file : inputs_[n])
      key += fmt::format("\n{} {}", file, input_stamp(std::filesystem::path(options_.directory) / file));
    return key;
  }

  void remember(bool goes_on) {
    std::set<std::string> const identity{
        fmt::format("Tessera {} {}", core::version, core::commit),
        "host " + host_name(),
        fmt::format("cores {}", cores_),
        "measure " + design_.measure,
        fmt::format("of {}", fmt::join(design_.proofs, " ")),
        "case " + lasting_case_hash(options_.directory, options_.settings, [this](std::string const& file) {
          return file == "system/studyDict" || design_.axes.varies(file);
        })};
    record_.emplace(
        folder_ + "/runs", identity, goes_on,
        [this](std::string const& text) {
          auto [name, run] = run_in(text);
          if (!name.empty()) known_.insert_or_assign(std::move(name), std::move(run));
        },
        "--anew");
    if (known_.empty()) return;
    std::size_t finished = 0;
    for (std::size_t n = 0; n < points_.size(); ++n)
      for (int repeat = 1; repeat <= design_.repeats; ++repeat) finished += known_.count(key(n, repeat));
    log_.line("Goes on: {} runs are finished{}", finished,
              finished == known_.size() ? ""
                                        : fmt::format(", {} more are of other points or of files that have changed",
                                                      known_.size() - finished));
  }

  /// Round by round over all points, so that what changes on the machine meanwhile falls on all of them.
  void measure() {
    std::size_t const all = points_.size() * static_cast<std::size_t>(design_.repeats);
    std::size_t done = 0;
    for (int repeat = 1; repeat <= design_.repeats; ++repeat)
      for (std::size_t n = 0; n < points_.size() && !stopped(); ++n) {
        ++done;
        std::string const name = key(n, repeat);
        if (auto const found = known_.find(name); found != known_.end()) {
          runs_[n].push_back(found->second);
          continue;
        }
        Measured const one = make(launch_of(points_[n]));
        if (stopped()) return;
        if (one.error.empty()) record_->add(text_of(name, one));
        runs_[n].push_back(one);
        log_.line("{} of {}: {}: {}", done, all, design_.axes.name(points_[n]),
                  one.error.empty() ? fmt::format("{:.4g} s", one.seconds) : one.error);
      }
  }

  Launch launch_of(Point const& point) const {
    Launch launch{design_.ranks(point), design_.threads(point), "", "", settings(point)};
    if (!design_.machine.emulated()) return launch;
    auto const& nodes = design_.machine.nodes;
    launch.nodes = fmt::format("{}", fmt::join(nodes.begin(), nodes.begin() + launch.ranks, ","));
    auto cluster = design_.machine.cluster;
    cluster.speeds.resize(static_cast<std::size_t>(launch.ranks));
    launch.emulated = core::text_of(cluster);
    return launch;
  }

  Measured make(Launch const& launch) const {
    auto const [code, error, report] = apart_(launch);
    Measured run;
    run.error = error;
    if (!error.empty()) return run;
    run = measured_in(report, design_);
    if (code == core::Exit::not_converged) run.error = "did not converge, where the case demands it";
    return run;
  }

  /// What clocks of the emulated cluster are off by: the first point on one rank, by them and by the machine's clock.
  void emulation() {
    if (!design_.machine.emulated()) return;
    auto const compute = [&](std::string const& emulated) {
      std::vector<double> seconds;
      for (int n = 0; n < design_.repeats && !stopped(); ++n) {
        Measured const run = make({1, 1, emulated, "", settings(points_.front())});
        if (run.error.empty()) seconds.push_back(run.of_ranks.at("compute").front().get<double>());
      }
      return median_of(seconds);
    };
    double const alone = compute("");
    for (double speed : std::set<double>(design_.machine.cluster.speeds.begin(), design_.machine.cluster.speeds.end()))
      if (double const took = compute(core::text_of({{speed}, {}, {}})); std::isfinite(took / alone))
        emulated_.emplace_back(speed, alone / took);
  }

  StudyResult result() const {
    return {files_.name(),
            fmt::format("{}: {}, {} core{}", host_name(), processor(), cores_, cores_ == 1 ? "" : "s"),
            fmt::format("Tessera {} ({})", core::version, core::commit),
            cores_,
            summarize(design_, points_, runs_),
            emulated_};
  }

  Json json(StudyResult const& found) const {
    Json points = Json::array();
    for (Summary const& one : found.points) {
      Json entry = Json::object();
      for (std::size_t n = 0; n < one.point.size(); ++n) entry["axes"][design_.axes.at(n).name] = one.point[n];
      entry["runs"] = one.runs;
      entry["counted"] = one.counted;
      if (!one.why.empty()) entry["why"] = one.why;
      entry["seconds"] = {{"median", finite_or_null(one.seconds)},
                          {"least", finite_or_null(one.least)},
                          {"most", finite_or_null(one.most)}};
      entry["speedUp"] = finite_or_null(one.speed_up);
      entry["efficiency"] = finite_or_null(one.efficiency);
      entry["iterations"] = finite_or_null(one.iterations);
      entry["secondsPerIteration"] = finite_or_null(one.seconds_per_iteration);
      entry["peakBytesPerRankMax"] = finite_or_null(one.memory);
      for (auto const& [part, seconds] : one.parts) entry["parts"][part] = finite_or_null(seconds);
      if (one.middle) entry["answer"] = one.middle->answer;
      points.push_back(std::move(entry));
    }
    Json emulation = Json::array();
    for (auto const& [wanted, speed] : found.emulated) emulation.push_back({{"wanted", wanted}, {"measured", speed}});
    return {{"case", found.name},    {"program", found.program},   {"host", found.host},
            {"cores", found.cores},  {"measure", design_.measure}, {"along", design_.along},
            {"weak", design_.grows}, {"points", points},           {"emulation", emulation}};
  }

  std::string runs_csv() const {
    std::string text;
    for (Axis const& axis : design_.axes.all()) text += axis.name + ",";
    text += "repeat,seconds,error\n";
    for (std::size_t n = 0; n < points_.size(); ++n)
      for (std::size_t r = 0; r < runs_[n].size(); ++r) {
        std::vector<std::string> cells = points_[n];
        cells.push_back(std::to_string(r + 1));
        cells.push_back(runs_[n][r].error.empty() ? text_of_number(runs_[n][r].seconds) : "");
        cells.push_back(runs_[n][r].error);
        text += io::csv_line(cells);
      }
    return text;
  }

  int report() {
    auto const found = result();
    auto const rows = table(design_, found);
    std::string points;
    for (auto const& row : rows) points += io::csv_line(row);
    auto const write = [&](char const* name, std::string const& text) { core::write_file(folder_ + "/" + name, text); };
    write("points.csv", points);
    write("runs.csv", runs_csv());
    write("study.md", markdown(design_, found));
    write("study.html", page(design_, found));
    write("report.json", json(found).dump(2) + '\n');
    log_.lines(aligned(rows));
    int lost = 0;
    for (Summary const& one : found.points) lost += one.runs - one.counted;
    if (lost > 0) log_.line("{} runs do not count: they failed, or have another answer", lost);
    if (stopped()) log_.line("Stopped by a signal: the same command goes on");
    log_.line("Page: {}/study.html", folder_);
    return lost > 0 ? core::Exit::failed : core::Exit::done;
  }

  core::Comm const& comm_;
  RunOptions options_;
  Log& log_;
  Case files_;
  CaseLock const lock_;
  core::Dictionary& dictionary_;
  Design const design_;
  std::vector<Point> const points_;
  std::vector<std::vector<std::string>> inputs_;  ///< of each point, by paths from the case's folder, or whole ones
  std::vector<std::vector<Measured>> runs_;       ///< of each point
  std::string folder_;
  Apart const apart_;
  int const cores_;
  std::map<std::string, Measured> known_;  ///< finished in earlier runs of the study
  std::optional<TaskRecord> record_;
  std::vector<std::pair<double, double>> emulated_;
};

}  // namespace

void check_study(Case& files) {
  auto* const dictionary = files.find("system/studyDict");
  if (!dictionary) return;
  Design const design(*dictionary, files.directory());
  dictionary->check_all_read();
}

int run_study(core::Comm const& comm, StudyOptions const& options) {
  if (comm.size() > 1) throw core::WrongCommand("study starts the ranks itself, expected no mpirun around it");
  Log log(!options.run.quiet);
  return Study(comm, options, log).run(options.anew, options.count);
}

}  // namespace tessera::run
