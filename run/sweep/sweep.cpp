// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/sweep.hpp"

#include "core/case/digest.hpp"
#include "core/case/wrong_command.hpp"
#include "core/comm/runtime.hpp"
#include "core/comm/signals.hpp"
#include "core/files.hpp"
#include "core/version.hpp"
#include "io/files/together.hpp"
#include "run/guard/case_code.hpp"
#include "run/guard/case_lock.hpp"
#include "run/guard/input_stamp.hpp"
#include "run/guard/same_run.hpp"
#include "run/sweep/choices.hpp"
#include "run/sweep/shard.hpp"
#include "run/sweep/stragglers.hpp"
#include "run/sweep/sweep_teams.hpp"
#include "run/sweep/tables.hpp"
#include "run/sweep/worker.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::run {

namespace {

/// A sweep as it goes: what is asked for, what is found, and who runs it. All ranks call the same members.
class Sweep {
 public:
  Sweep(core::Comm const& comm, SweepOptions const& options, Log& log)
      : comm_(comm),
        options_(options.run),
        anew_(options.anew),
        shard_(Shard::read(options.shard)),
        log_(log),
        files_(options_.directory, options_.settings, comm),
        lock_(comm, options_.directory, log, !shard_.whole()),
        dictionary_(files_.open("system/sweepDict")),
        axes_(dictionary_, options_.directory),
        rounds_(dictionary_, axes_),
        choices_(SweepChoices::read(dictionary_, axes_)),
        ranks_(dictionary_, axes_, comm.size()) {
    dictionary_.check_all_read();
    axes_.check_beside(options_.settings);
    axes_.check_free(from_start_time);
    if (!choices_.keeps) axes_.check_free(without_results);
    check_columns(false);
    if (anew_ && !shard_.whole())
      throw core::WrongCommand("--anew forgets what all shards found, expected it without --shard");
    options_.allow_code = comm_.any(comm_.root() && code_allowed(options_.allow_code));
    folder_.path = files_.path("sweep");
    folder_.shard = shard_.mark();
    folder_.identity = {fmt::format("Tessera {}", core::version),
                        "case " +
                            lasting_case_hash(options_.directory, options_.settings, [this](std::string const& file) {
                              return file == "system/sweepDict" || axes_.varies(file);
                            })};
  }

  int run(bool count_only) {
    auto const first = rounds_.next(results_);
    auto const mine = shard_.points(first);
    teams_.emplace(comm_, axes_, ranks_, [this](Point const& point) { return task(point); });
    log_.line("Sweep of {}: {} tasks{}, {}", files_.directory(), mine.size(), shard_name(), teams_->told());
    log_.lines(axes_.told());
    // the first task's errors are those of all, mostly
    bool const may = run_task(comm_, task(first.front()), true).may_be_called_back;
    copies_ = may && teams_->may_copy() && choices_.duplicates;
    if (!copies_ && dictionary_.contains("duplicates") && choices_.duplicates && comm_.size() > 1)
      log_.line("No task is begun twice: {}",
                may ? "teams are one, or of several sizes" : "this application cannot be called back on its way");
    if (count_only) return core::Exit::done;
    io::on_root(comm_, [&] {
      core::require_writable_folder(folder_.path);
      if (!shard_.whole()) std::filesystem::create_directories(lock_folder());
    });
    std::optional<CaseLock> lock_of_shard;
    if (!shard_.whole()) lock_of_shard.emplace(comm_, lock_folder(), log_);
    io::on_root(comm_, [&] {
      auto const remove = [](std::string const& file) { std::filesystem::remove_all(file); };
      for_each_file("scratch." + folder_.shard, remove);
      if (shard_.whole()) for_each_file("lock.", remove);
      anew_ ? forget() : remember();
      if (shard_.whole()) folder_.forget_tables();
    });
    core::SignalCatcher const signals;
    run_rounds(mine);
    Dealt all;
    for (Dealt const& rank : comm_.gather(dealt_)) {
      add(rank, all);
      all.in_flight = std::max(all.in_flight, rank.in_flight);
    }
    dealt_ = all;
    int code = core::Exit::done;
    io::on_root(comm_, [&] { code = shard_.whole() ? report() : report_shard(); });
    comm_.broadcast(code);
    return code;
  }

 private:
  std::string shard_name() const {
    return shard_.whole() ? "" : fmt::format(" of shard {}/{}", shard_.number, shard_.of);
  }
  /// What a shard locks, that it does not run twice.
  std::string lock_folder() const { return folder_.path + "/lock." + folder_.shard; }
  TaskOptions task(Point const& point) const {
    TaskOptions task{options_.directory, options_.settings, folder_.path, false, options_.allow_code, nullptr};
    axes_.set(point, task);
    return task;
  }

  static void add(Dealt const& more, Dealt& all) {
    all.worked += more.worked;
    all.waited += more.waited;
    all.copies += more.copies;
    all.won += more.won;
  }

  /// Of the folder, those whose names begin so, whoever wrote them.
  template <class F>
  void for_each_file(std::string_view begin, F&& f) const {
    std::vector<std::string> files;
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator(folder_.path, none))
      if (entry.path().filename().string().starts_with(begin)) files.push_back(entry.path().string());
    for (auto const& file : files) f(file);
  }
  /// All records of the folder but those that other shards may be writing.
  template <class F>
  void for_each_record(F&& f) const {
    std::string const begin = "tasks.";
    for_each_file(begin, [&](std::string const& file) {
      auto const name = std::filesystem::path(file).filename().string();
      if (!file.ends_with(".csv") && shard_.reads(name.substr(begin.size()))) f(file);
    });
  }
  void forget() {
    for_each_record([](std::string const& file) { std::filesystem::remove(file); });
  }
  void remember() {
    KnownInputs inputs(options_.directory);
    std::set<std::string> old;
    for_each_record([&](std::string const& file) {
      TaskRecord::read(
          file, folder_.identity,
          [&](std::string const& text) {
            auto [key, row] = row_in(text);
            row.team = -1;
            if (key.empty()) return;
            if (inputs.are(row.inputs))
              known_.insert_or_assign(std::move(key), std::move(row));
            else
              old.insert(std::move(key));
          },
          "--anew");
    });
    std::erase_if(old, [&](std::string const& key) { return known_.contains(key); });
    if (!known_.empty()) log_.line("Goes on: {} tasks are finished", known_.size());
    if (!old.empty())
      log_.line("Finished, but run again: {} tasks, since {} has changed", old.size(), inputs.changed());
  }

  /// On the root: asks for the points, takes what is known, and returns the rest.
  std::vector<Point> ask(std::vector<Point> const& points) {
    std::vector<Point> open;
    for (Point const& point : points) {
      results_.ask(point);
      auto const place = known_.find(axes_.key(point));
      if (place != known_.end() && !(choices_.keeps && !std::filesystem::exists(folder_.of(axes_, point))))
        results_.add(point, place->second);
      else
        open.push_back(point);
    }
    return open;
  }

  /// The root's points on all ranks.
  std::vector<Point> shared(std::vector<Point> const& points) const {
    std::string text;
    for (Point const& point : points)
      for (auto const& value : point) text += value + '\0';
    comm_.broadcast(text);
    std::vector<Point> result;
    for (std::size_t at = 0, n = 0; at < text.size(); ++n) {
      auto const end = text.find('\0', at);
      if (n % axes_.all().size() == 0) result.emplace_back();
      result.back().push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return result;
  }

  /// Throws core::Error for names that no table can have, and with results, the first time, for those that no task found.
  void check_columns(bool found) {
    if (found && std::exchange(columns_known_, true)) return;
    Results const none;
    Tables const tables(axes_, rounds_, found ? results_ : none, choices_.results, dictionary_);
    if (found && !choices_.histograms.of.empty())
      tables.histograms(choices_.histograms, *dictionary_.find_sub("histograms"));
  }

  void run_rounds(std::vector<Point> points) {
    Worker worker(comm_.rank(), options_, axes_, folder_, choices_.keeps, !anew_);
    for (bool more = true; more;) {
      run_round(worker, shared(comm_.root() ? ask(points) : std::vector<Point>()));
      stopped_ = comm_.any(core::SignalCatcher::caught() != 0);
      if (comm_.root() && !stopped_ && shard_.whole()) check_columns(tally_of(results_, axes_).finished > 0);
      if (comm_.root()) points = stopped_ || !shard_.whole() ? std::vector<Point>() : rounds_.next(results_);
      more = !points.empty();
      comm_.broadcast(more);
    }
  }

  /// What the root knows of tasks' costs, on all ranks.
  std::vector<MeasuredTask> measured() const {
    auto const known = comm_.root() ? measured_in(results_, ranks_.alike()) : std::vector<MeasuredTask>();
    std::vector<Point> points;
    std::vector<double> seconds;
    std::vector<int> teams;
    for (MeasuredTask const& task : known) {
      points.push_back(task.point);
      seconds.push_back(task.seconds);
      teams.push_back(task.team);
    }
    points = shared(points);
    comm_.broadcast(seconds);
    comm_.broadcast(teams);
    std::vector<MeasuredTask> all;
    for (std::size_t n = 0; n < points.size(); ++n) all.push_back({points[n], seconds[n], teams[n]});
    return all;
  }

  void run_round(Worker& worker, std::vector<Point> const& tasks) {
    Progress progress(log_, "tasks", std::ssize(tasks), 0);
    std::int64_t done = 0;
    auto const finished = [&](std::int64_t n, core::Bytes const& bytes) {
      results_.add(tasks[n], row_in(text_in(bytes)).second);
      ++done_;
      ++done;
      // in a file, a line every few seconds
      if (!log_.terminal() && seconds() - told_ < 5) return;
      told_ = seconds();
      progress.done(done);
    };
    std::optional<Costs> costs;
    auto const order = [&](std::span<std::int64_t> open) {
      // costs that a thousand tasks have not told no more will tell
      if (done >= 1000) return;
      costs.emplace(axes_, measured_in(results_));
      costs->longest_first(open, tasks);
    };
    Dealing dealing{
        .task = [&](Attempt const& attempt) { return worker(teams_->of(attempt), tasks[attempt.task], attempt); },
        .finished = finished,
        .order = order,
        .seconds = [&](std::int64_t t) { return costs->predict(tasks[t]); },
        .stop = [] { return core::SignalCatcher::caught() != 0; },
        .settle = [&](Attempt const& attempt, core::Bytes const& row,
                      bool counts) { worker.settle(tasks[attempt.task], row, counts); }};
    if (copies_) dealing.late = Stragglers(axes_, tasks, measured(), comm_.rank());
    auto const dealt = teams_->deal(tasks, dealing);
    add(dealt, dealt_);
    dealt_.in_flight = dealt.in_flight;
  }

  /// The last lines of the log, and the exit code.
  int end(Tally const& tally, std::string const& last) const {
    if (tally.failed > 0) log_.line("{} failed, such as {}", tally.failed, tally.first_error);
    if (stopped_) log_.line("Stopped by a signal: the same command goes on");
    log_.line("{}", last);
    return tally.failed > 0 ? core::Exit::failed : core::Exit::done;
  }

  /// Tables and report, on the root.
  int report() {
    Tally const found = tally_of(results_, axes_);
    Tables const tables(axes_, rounds_, results_, found.finished > 0 ? choices_.results : std::vector<std::string>(),
                        dictionary_);
    std::vector<io::TextTable> all{tables.tasks()};
    bool const groups = axes_.samples() >= 0 || rounds_.seeks_threshold();
    if (groups) all.push_back(tables.statistics());
    if (rounds_.seeks_threshold()) all.push_back(tables.thresholds());
    if (!choices_.histograms.of.empty() && found.finished > 0)
      all.push_back(tables.histograms(choices_.histograms, dictionary_.sub("histograms")));
    auto const write = [&](std::string const& name, std::string const& text) {
      core::write_file(folder_.path + "/" + name, text);
    };
    for (io::TextTable const& table : all) write(table.name + ".csv", table.csv());
    io::write_tables(folder_.path + "/tables.h5", all);
    write("costs.csv", tables.costs().csv());
    core::Report::Json json{{"case", files_.name()},
                            {"tasks", results_.points().size()},
                            {"finished", found.finished},
                            {"failed", found.failed},
                            {"tasksOfThisRun", done_},
                            {"ranks", comm_.size()},
                            {"ranksOfATask", teams_->ranks_of_a_task()},
                            {"copies", dealt_.copies},
                            {"copiesWon", dealt_.won},
                            {"seconds", seconds()},
                            {"inFlight", dealt_.in_flight},
                            {"waited", finite_or_null(dealt_.waited / (dealt_.waited + dealt_.worked))},
                            {"costError", finite_or_null(Costs(axes_, measured_in(results_)).error())},
                            {"hash", {{"tasks", core::Digest::of(all.front().csv())}}}};
    constexpr std::size_t most_points = 10'000;  // of which a report is still read
    if (groups || results_.points().size() <= most_points) json["statistics"] = tables.json();
    write("report.json", json.dump(2) + '\n');
    if (found.finished > 0) {
      auto lines = tables.lines();
      constexpr std::size_t most = 40;
      auto const rest = lines.size() > most ? lines.size() - most : 0;
      lines.resize(lines.size() - rest);
      log_.lines(lines);
      if (rest > 0) log_.line("... and {} more: sweep/{}.csv", rest, groups ? "statistics" : "tasks");
    }
    log_.line("{} tasks, {} of them in this run: {}, {:.3g} tasks/s", found.all(), done_, duration(seconds()),
              static_cast<double>(done_) / seconds());
    if (dealt_.copies > 0)
      log_.line("{} late task{} begun a second time, {} of them ended sooner so", dealt_.copies,
                dealt_.copies == 1 ? "" : "s", dealt_.won);
    if (rounds_.seeks_threshold() && found.finished > 0) tell_missed();
    return end(found, "Tables: " + folder_.path);
  }
  /// Of a shard, on the root: the whole sweep makes the tables.
  int report_shard() {
    Tally const found = tally_of(results_, axes_);
    std::filesystem::remove(lock_folder());
    log_.line("{} tasks{}, {} of them in this run: {}", found.all(), shard_name(), done_, duration(seconds()));
    return end(found,
               fmt::format("When all shards have ended, `tessera sweep {}` makes the tables", files_.directory()));
  }
  /// Means over those that have a threshold alone are off where the range leaves out the others.
  void tell_missed() const {
    auto const brackets = rounds_.brackets(results_);
    auto const missed = std::count_if(brackets.begin(), brackets.end(), [](Bracket const& b) { return !b.found(); });
    if (missed > 0)
      log_.line("{} of {} have no threshold in the range of {}: means leave them out, a wider range has them", missed,
                brackets.size(), rounds_.threshold_axis());
    auto const often = std::count_if(brackets.begin(), brackets.end(), [](Bracket const& b) { return b.passes > 1; });
    if (often > 0)
      log_.line("{} of {} pass the level more than once along {}: the threshold is where they pass it first", often,
                brackets.size(), rounds_.threshold_axis());
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  core::Comm const& comm_;
  RunOptions options_;
  bool const anew_;
  Shard const shard_;
  Log& log_;
  Case files_;
  CaseLock const lock_;
  core::Dictionary& dictionary_;
  Axes const axes_;
  Rounds const rounds_;
  SweepChoices const choices_;
  TaskRanks ranks_;
  std::optional<SweepTeams> teams_;
  SweepFolder folder_;
  Results results_;                   ///< on the root
  std::map<std::string, Row> known_;  ///< of earlier runs, on the root
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double told_ = 0;  ///< progress, [s] from the beginning
  std::int64_t done_ = 0;
  Dealt dealt_;  ///< of this rank, then of all
  bool stopped_ = false, copies_ = false, columns_known_ = false;
};

}  // namespace

void check_sweep(Case& files) {
  auto* const dictionary = files.find("system/sweepDict");
  if (!dictionary) return;
  Axes const axes(*dictionary, files.directory());
  Rounds const rounds(*dictionary, axes);
  Tables(axes, rounds, Results(), SweepChoices::read(*dictionary, axes).results, *dictionary);
  TaskRanks(*dictionary, axes, std::numeric_limits<int>::max());
  dictionary->check_all_read();
}

int run_sweep(core::Comm const& comm, SweepOptions const& options) {
  require_same_run(comm, fmt::format("{} ({})", core::version, core::commit),
                   case_hash(options.run.directory, options.run.settings));
  Log log(comm.root() && !options.run.quiet);
  return Sweep(comm, options, log).run(options.count);
}

}  // namespace tessera::run
