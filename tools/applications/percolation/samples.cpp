// SPDX-License-Identifier: Apache-2.0
#include "tools/applications/percolation/samples.hpp"

#include "io/table.hpp"
#include "io/together.hpp"
#include "tools/applications/percolation/explorer.hpp"
#include "tools/ensemble.hpp"

#include <bit>
#include <cmath>

namespace tessera::tools::percolation {
namespace {

/// Media up to this size go whole to one rank: their work fits well into a rank's memory, and exchanges would cost more
/// than they save.
constexpr core::Count small_medium = core::Count{1} << 22;

struct Ensemble {
  std::vector<Quantity> names;  ///< in the order of the values
  TaskValues values;            ///< of each task, on the root
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
    probability = settings.input.probabilities[static_cast<std::size_t>(t % p)];
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
    return explorer_(occupied_, task.random);
  }

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

void write_each(std::string const& file, Settings const& settings, Ensemble const& ensemble) {
  std::vector<std::string> columns{"probability", "sample"};
  for (Quantity const& q : ensemble.names) columns.push_back(q.name);
  io::Table table(file, columns);
  for (std::size_t t = 0; t < ensemble.values.size(); ++t) {
    Task const task(settings, static_cast<std::int64_t>(t));
    std::vector<double> row{task.probability, static_cast<double>(task.random.sample)};
    row.insert(row.end(), ensemble.values[t].begin(), ensemble.values[t].end());
    table.row(row);
  }
}

/// The table, on disk and for the report.
core::Report::Json summarize(std::string const& file, Settings const& settings, Ensemble const& ensemble) {
  auto const& probabilities = settings.input.probabilities;
  std::vector<std::string> columns{"probability", "samples"};
  for (Quantity const& q : ensemble.names) {
    columns.insert(columns.end(), {q.name, q.name + "Error"});
    if (q.spanning) columns.insert(columns.end(), {q.name + "Spanning", q.name + "SpanningError"});
  }
  io::Table table(file, columns);
  auto result = core::Report::Json::array();
  for (std::size_t p = 0; p < probabilities.size(); ++p) {
    std::vector<double> row{probabilities[p], static_cast<double>(settings.input.samples)};
    core::Report::Json entry{{"probability", probabilities[p]}, {"samples", settings.input.samples}};
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

/// Runs all tasks; names and values are complete on the root.
Ensemble run_all(Session& session, Settings const& settings, Medium const& medium, Decomposition const& parts,
                 core::Report& report) {
  auto const n = settings.input.samples * static_cast<std::int64_t>(settings.input.probabilities.size());
  Progress progress(session.log, "samples", n, static_cast<double>(medium.sites()));
  Ensemble ensemble;
  if (!parts.layout) {
    auto const layout = alone(medium.grid);
    report.describe(*layout, "samples", {1.0});
    report["ranks"] = session.comm.size();
    Drawer drawer(settings, medium, *layout);
    ensemble.values = deal(
        session.comm, n,
        [&](std::int64_t t) {
          auto const findings = drawer(t);
          if (ensemble.names.empty()) ensemble.names = findings.all();
          return values_of(findings);
        },
        [&](std::int64_t t) { progress.done(t); });
    // a root that never got a task learns the names from a sample of its own
    if (session.comm.root() && ensemble.names.empty()) ensemble.names = drawer(0).all();
  } else {
    report.describe(*parts.layout, parts.method, parts.weights);
    Drawer drawer(settings, medium, *parts.layout);
    for (std::int64_t t = 0; t < n; ++t) {
      progress.done(t);
      auto const findings = drawer(t);
      if (t == 0) ensemble.names = findings.all();
      if (session.comm.root()) ensemble.values.push_back(values_of(findings));
    }
  }
  progress.done(n);
  return ensemble;
}

}  // namespace

bool whole_samples(Settings const& settings, Medium const& medium, int ranks) {
  if (settings.input.sharing != "auto") return settings.input.sharing == "samples";
  auto const tasks = settings.input.samples * static_cast<std::int64_t>(settings.input.probabilities.size());
  return ranks == 1 || medium.grid->tiles() < ranks || (medium.grid->total() <= small_medium && tasks >= ranks);
}

void run_samples(Session& session, Settings const& settings, Medium const& medium, Decomposition const& parts,
                 core::Report& report) {
  Ensemble const ensemble = run_all(session, settings, medium, parts, report);
  io::on_root(session.comm, [&] {
    core::Timed const timed(core::Part::io);
    auto const& files = session.files;
    if (settings.input.each) write_each(files.path("postProcessing/eachSample.csv"), settings, ensemble);
    auto table = summarize(files.path("postProcessing/samples.csv"), settings, ensemble);
    for (auto& row : table) log(session.log, ensemble, row);
    report.results()["ensemble"] = table;
    report.hash("samples", hash(ensemble.values));
  });
}

}  // namespace tessera::tools::percolation
