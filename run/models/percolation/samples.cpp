// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/samples.hpp"

#include "core/version.hpp"
#include "io/files/table.hpp"
#include "io/files/together.hpp"
#include "run/control/run_control.hpp"
#include "run/ensemble.hpp"
#include "run/models/percolation/explorer.hpp"
#include "run/restart/task_record.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace tessera::run::percolation {
namespace {

/// Media up to this size go whole to one rank: their work fits well into a rank's memory, and exchanges would cost more
/// than they save.
constexpr core::Count small_medium = core::Count{1} << 22;

struct Ensemble {
  std::vector<Quantity> names;  ///< in the order of the values
  TaskValues values;            ///< of each task that is finished, on the root
};

std::vector<double> values_of(Findings const& findings) {
  std::vector<double> values;
  for (Quantity const& q : findings.all()) values.push_back(q.value);
  return values;
}

/// Tasks are numbered sample by sample, all probabilities of a sample after each other.
struct Task {
  double probability;
  core::Random random;
  Task(Settings const& settings, std::int64_t t) {
    auto const p = static_cast<std::int64_t>(settings.input.probabilities.size());
    probability = settings.input.probabilities[t % p];
    random = settings.input.random;
    random.sample += static_cast<std::uint32_t>(t / p);
  }
};

/// The media of the tasks, one after the other on one layout.
class Drawer {
 public:
  Drawer(Settings const& settings, Medium const& medium, core::Layout const& layout)
      : settings_(settings),
        medium_(medium),
        occupied_(make_occupied(settings, layout)),
        explorer_(settings, medium, layout) {}
  Findings operator()(std::int64_t t) {
    Task const task(settings_, t);
    draw(medium_, task.probability, task.random, occupied_);
    auto findings = explorer_(occupied_, task.random);
    if (std::ranges::any_of(findings.crossings, &Crossed::refuted))
      throw core::RunError(
          fmt::format("not verified: currents flow off the backbone of sample {} at probability {:.9g}",
                      task.random.sample, task.probability));
    return findings;
  }
  /// What is found in a medium, of an empty one: the names do not depend on the medium.
  std::vector<Quantity> names() {
    draw(medium_, 0, settings_.input.random, occupied_);
    return explorer_(occupied_, settings_.input.random).all();
  }
  Explorer const& explorer() const { return explorer_; }

 private:
  Settings const& settings_;
  Medium const& medium_;
  core::Field<std::uint8_t> occupied_;
  Explorer explorer_;
};

/// Numbers of the samples that span, along the crossing a quantity belongs to, and of all.
struct Column {
  std::vector<double> all, spanning;
};

Column column(Ensemble const& ensemble, std::size_t quantity, std::size_t probability, std::size_t probabilities) {
  Column result;
  auto const& [name, kind, value, spanning, flag] = ensemble.names[quantity];
  for (std::size_t t = probability; t < ensemble.values.size(); t += probabilities) {
    auto const& values = ensemble.values[t];
    if (values.empty()) continue;
    result.all.push_back(values[quantity]);
    if (spanning && values[flag] != 0) result.spanning.push_back(values[quantity]);
  }
  return result;
}

core::Report::Json json(Mean const& mean) {
  return {{"mean", finite_or_null(mean.mean)}, {"error", finite_or_null(mean.error)}};
}

/// A fingerprint of all values in the order of the tasks: equal on any number of ranks.
std::string hash(TaskValues const& values) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (auto const& task : values)
    for (double x : task) h = (h ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3u;
  return fmt::format("{:016x}", h);
}

/// `KEY VALUE` for each entry of a dictionary and of those in it.
void flatten(core::Dictionary const& dictionary, std::string const& path, std::set<std::string>& lines) {
  for (auto const& key : dictionary.keys()) {
    if (dictionary.is_dictionary(key))
      flatten(dictionary.sub(key), path + key + ".", lines);
    else
      lines.insert(fmt::format("{}{} {}", path, key, fmt::join(dictionary.words(key), " ")));
  }
}

/// All that determines the numbers of a sample, as the record of finished samples wants it: what the case says, without
/// how many samples there are and who finds them.
std::set<std::string> identity(Session& session, Settings const& settings, std::vector<Quantity> const& names,
                               Drawer const& drawer) {
  std::set<std::string> lines{fmt::format("Tessera {}", core::version)};
  std::string quantities = "quantities";
  for (Quantity const& q : names) quantities += " " + q.name;
  lines.insert(quantities);
  auto properties = session.files.open("constant/percolationProperties"), grid = session.files.open("system/gridDict");
  for (char const* key : {"input.samples", "input.sharing", "input.eachSample"}) properties.set(key, "any");
  // the bits of currents depend on tiles; counts do not
  if (!settings.knows_tiles()) grid.set("tile", "any");
  flatten(properties, "", lines);
  flatten(grid, "gridDict.", lines);
  if (settings.conductivity) flatten(settings.potential, "potential.", lines);
  if (auto const* const solver = settings.solver("effectiveConductivity"))
    flatten(*solver, "effectiveConductivity.", lines);
  for (auto const& line : drawer.explorer().mask_hashes()) lines.insert(line);
  return lines;
}

/// A sample as a row of the record, `TASK VALUES`, and back: task -1 of what is no such row.
std::string row_of(std::int64_t task, std::vector<double> const& values) {
  return values.empty() ? fmt::format("{}", task) : fmt::format("{} {}", task, fmt::join(values, " "));
}

std::pair<std::int64_t, std::vector<double>> numbers_in(std::string_view row) {
  std::pair<std::int64_t, std::vector<double>> result{-1, {}};
  char const *at = row.data(), *const end = at + row.size();
  std::int64_t task = 0;
  auto const number = std::from_chars(at, end, task);
  if (number.ec != std::errc{}) return result;
  for (at = number.ptr; at != end;) {
    auto const value = std::from_chars(at + 1, end, result.second.emplace_back());
    if (value.ec != std::errc{}) return result;
    at = value.ptr;
  }
  result.first = task;
  return result;
}

/// The numbers of all samples on the root, as they come in: kept, recorded, and written in order where the case asks for it.
class Collection {
 public:
  /// With `go_on`, begins with the samples of the record. Collective.
  Collection(Session& session, Settings const& settings, std::set<std::string> const& identity, bool go_on,
             Ensemble& ensemble)
      : comm_(session.comm),
        settings_(settings),
        values_(ensemble.values) {
    io::on_root(comm_, [&] {
      core::Timed const timed(core::Part::io);
      values_.resize(static_cast<std::size_t>(settings.input.samples) * settings.input.probabilities.size());
      std::string const file = session.files.output("postProcessing/samples.record");
      record_.emplace(file, identity, go_on, [&](std::string const& row) {
        auto [t, values] = numbers_in(row);
        auto const task = static_cast<std::size_t>(t);
        if (t >= 0 && task < values_.size() && values.size() == ensemble.names.size())
          values_[task] = std::move(values);
      });
      for (auto const& values : values_) found_ += values.empty() ? 0 : 1;
      if (found_ > 0) session.log.line("Goes on from {}: {} of {} samples are there", file, found_, values_.size());
      if (!settings.input.each) return;
      std::vector<std::string> columns{"probability", "sample"};
      for (Quantity const& q : ensemble.names) columns.push_back(q.name);
      each_.emplace(session.files.output("postProcessing/eachSample.csv"), columns);
      write_each();
    });
  }
  /// For the root.
  void add(std::int64_t t, std::vector<double> values) {
    core::Timed const timed(core::Part::io);
    record_->add(row_of(t, values));
    values_[t] = std::move(values);
    ++found_;
    write_each();
  }
  /// Samples that are there, on the root.
  std::int64_t found() const { return found_; }
  /// The tasks that are not done yet, on all ranks: those between others that are, and the number from which on none is.
  /// Collective.
  std::pair<std::vector<std::int64_t>, std::int64_t> open() const {
    std::vector<std::int64_t> gaps;
    std::int64_t next = std::ssize(values_);
    while (next > 0 && values_[next - 1].empty()) --next;
    for (std::int64_t t = 0; t < next; ++t)
      if (values_[t].empty()) gaps.push_back(t);
    comm_.broadcast(gaps);
    comm_.broadcast(next);
    return {std::move(gaps), next};
  }

 private:
  /// The samples up to the first that is not there yet.
  void write_each() {
    for (; each_ && written_ < values_.size() && !values_[written_].empty(); ++written_) row(written_);
  }
  void row(std::size_t t) {
    Task const task(settings_, static_cast<std::int64_t>(t));
    std::vector<double> row{task.probability, static_cast<double>(task.random.sample)};
    row.insert(row.end(), values_[t].begin(), values_[t].end());
    each_->row(row);
  }

  core::Comm const& comm_;
  Settings const& settings_;
  TaskValues& values_;
  std::optional<TaskRecord> record_;
  std::optional<io::Table> each_;
  std::size_t written_ = 0;
  std::int64_t found_ = 0;
};

/// The table, on disk and for the report.
core::Report::Json summarize(std::string const& file, Settings const& settings, Ensemble const& ensemble) {
  auto const& probabilities = settings.input.probabilities;
  std::vector<std::string> columns{"probability", "samples"};
  for (Quantity const& q : ensemble.names) {
    columns.insert(columns.end(), {q.name, q.name + "Error"});
    if (q.spanning) columns.insert(columns.end(), {q.name + "IfSpanning", q.name + "IfSpanningError"});
  }
  io::Table table(file, columns);
  auto result = core::Report::Json::array();
  for (std::size_t p = 0; p < probabilities.size(); ++p) {
    std::int64_t samples = 0;
    for (std::size_t t = p; t < ensemble.values.size(); t += probabilities.size())
      samples += ensemble.values[t].empty() ? 0 : 1;
    std::vector<double> row{probabilities[p], static_cast<double>(samples)};
    core::Report::Json entry{{"probability", probabilities[p]}, {"samples", samples}};
    for (std::size_t q = 0; q < ensemble.names.size(); ++q) {
      auto const [all, spanning] = column(ensemble, q, p, probabilities.size());
      Quantity const& quantity = ensemble.names[q];
      Mean const mean = mean_of(all);
      auto& found = place(entry, quantity.name) = json(mean);
      row.insert(row.end(), {mean.mean, mean.error});
      if (!quantity.spanning) continue;
      Mean const given = mean_of(spanning);
      found["spanning"] = json(given);
      found["spanning"]["samples"] = given.samples;
      row.insert(row.end(), {given.mean, given.error});
    }
    table.row(row);
    result.push_back(std::move(entry));
  }
  return result;
}

/// The table's row of one probability, a line a quantity.
void log(Log& log, Ensemble const& ensemble, core::Report::Json& row) {
  auto const text = [](core::Report::Json const& j) {
    if (j["mean"].is_null()) return std::string("-");
    auto const mean = fmt::format("{:.6g}", j["mean"].get<double>());
    return j["error"].is_null() ? mean : fmt::format("{} +- {:.2g}", mean, j["error"].get<double>());
  };
  log.line("p = {:.9g}, {} samples", row["probability"].get<double>(), row["samples"].get<std::int64_t>());
  for (Quantity const& q : ensemble.names) {
    auto& value = place(row, q.name);
    log.line("  {:<20} {:<26}{}", q.name, text(value), q.spanning ? " spanning: " + text(value["spanning"]) : "");
  }
}

/// Runs all tasks that are not done yet; names and values are complete on the root. Returns how many it ran.
std::int64_t run_all(Session& session, io::foam::Control const& control, Settings const& settings, Medium const& medium,
                     core::Layout const& layout, bool whole, Ensemble& ensemble, core::Report& report) {
  auto const n = settings.input.samples * static_cast<std::int64_t>(settings.input.probabilities.size());
  Drawer drawer(settings, medium, layout);
  drawer.explorer().describe_ports(report);
  ensemble.names = drawer.names();
  Collection collection(session, settings, identity(session, settings, ensemble.names, drawer),
                        control.start_from == "latestTime", ensemble);
  auto const [gaps, next] = collection.open();
  auto const between = std::ssize(gaps), todo = between + n - next;
  auto const task = [between, &gaps = gaps, next = next](std::int64_t k) {
    return k < between ? gaps[k] : next + k - between;
  };

  Progress progress(session.log, "samples", n, static_cast<double>(medium.sites));
  RunControl run_control(session, control, 0);
  std::int64_t const before = collection.found();
  auto const keep = [&](std::int64_t k, core::Bytes const& values) {
    collection.add(task(k), unpack(values));
    progress.done(collection.found());
  };
  if (whole) {
    std::int64_t mine = 0;
    deal(session.comm, todo,
         {.task = [&](std::int64_t k) { return ++mine, pack(values_of(drawer(task(k)))); },
          .finished = keep,
          .stop = [&] { return run_control.asked_to_end(mine > 0); }});
  } else {
    for (std::int64_t k = 0; k < todo && !session.comm.any(run_control.asked_to_end(k > 0)); ++k) {
      auto const values = pack(values_of(drawer(task(k))));
      io::on_root(session.comm, [&] { keep(k, values); });
    }
  }
  run_control.end();
  if (!run_control.reason().empty() && collection.found() < n)
    session.log.line("Stopped after {} of {} samples by {}: postProcessing/samples.record holds them, startFrom "
                     "latestTime goes on from there",
                     collection.found(), n, run_control.reason());
  return session.comm.sum(collection.found() - before);
}

}  // namespace

bool whole_samples(Settings const& settings, Medium const& medium, int ranks) {
  if (settings.input.sharing != "auto") return settings.input.sharing == "samples";
  auto const tasks = settings.input.samples * static_cast<std::int64_t>(settings.input.probabilities.size());
  return ranks == 1 || medium.grid->tiles() < ranks || (medium.grid->total() <= small_medium && tasks >= ranks);
}

std::int64_t run_samples(Session& session, io::foam::Control const& control, Settings const& settings, Medium medium,
                         Decomposition const& parts, core::Report& report) {
  bool const whole = !parts.layout;
  auto const own = whole ? alone(medium.grid) : nullptr;
  core::Layout const& layout = whole ? *own : *parts.layout;
  report.describe(layout, whole ? "samples" : parts.method, whole ? std::vector<double>{1.0} : parts.weights);
  report["ranks"] = session.comm.size();
  medium.lay_region(settings, layout);
  if (medium.region) report["region"] = medium.region->report;
  Ensemble ensemble;
  auto const found = run_all(session, control, settings, medium, layout, whole, ensemble, report);
  io::on_root(session.comm, [&] {
    core::Timed const timed(core::Part::io);
    auto table = summarize(session.files.output("postProcessing/samples.csv"), settings, ensemble);
    for (auto& row : table) log(session.log, ensemble, row);
    report.results()["ensemble"] = table;
    report.hash("samples", hash(ensemble.values));
  });
  return found;
}

}  // namespace tessera::run::percolation
