// SPDX-License-Identifier: Apache-2.0
// The program `tessera`: reads the command line and calls a command.
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/report.hpp"
#include "core/version.hpp"
#include "run/plan/plan.hpp"
#include "run/study/study.hpp"
#include "run/sweep/sweep.hpp"
#include "tools/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <regex>
#include <string_view>

namespace {

/// The program's own arguments, the last first as CLI11 wants them.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> own;
  for (int n = argc - 1; n > 0; --n)
    if (!std::string_view(argv[n]).starts_with("--kokkos-")) own.emplace_back(argv[n]);
  return own;
}

/// What is wrong with a command line, in one line.
std::string say_what_is_wrong(CLI::App const& app, std::string_view first, CLI::Error const& error) {
  std::vector<std::string> commands;
  for (auto const* command : app.get_subcommands({})) commands.push_back(command->get_name());
  bool const unknown = !first.empty() && first.front() != '-' && !std::ranges::count(commands, first);
  auto const* command = unknown || app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
  return fmt::format("tessera: command line: {}; `tessera{} --help` tells more\n",
                     unknown ? tessera::core::unknown_name("command", first, commands) : error.what(),
                     command ? " " + command->get_name() : "");
}

/// CLI11's own checks of this kind answer with the largest number of double precision, and take what is no number.
CLI::Validator number_that(bool (*fits)(double), char const* name, char const* what) {
  return {[=](std::string& text) {
            char* end = nullptr;
            double const x = std::strtod(text.c_str(), &end);
            bool const good = !text.empty() && *end == '\0' && std::isfinite(x) && fits(x);
            return good ? "" : fmt::format("'{}', expected a number {}", text, what);
          },
          name};
}
CLI::Validator const above_zero = number_that([](double x) { return x > 0; }, "POSITIVE", "above 0"),
                     from_zero = number_that([](double x) { return x >= 0; }, "NONNEGATIVE", "from 0 on");
CLI::Validator const whole_numbers{[](std::string const& text) {
                                     static std::regex const list("-?[0-9]+(,-?[0-9]+)*");
                                     return std::regex_match(text, list)
                                                ? ""
                                                : fmt::format("'{}', expected whole numbers, such as 1,2", text);
                                   },
                                   ""};
/// As of a variable of the shell that is not set.
CLI::Validator const a_name{[](std::string const& text) { return text.empty() ? "expected a name, it is empty" : ""; },
                            ""};

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera;
  CLI::App app{"Tessera: local rules on very large grids across unequal machines", "tessera"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("{} ({})", core::version, core::backend_name()));
  std::function<int(core::Comm const& world)> command;

  run::RunOptions options;
  auto const case_options = [&options](CLI::App* sub) {
    sub->add_option("CASE", options.directory, "case directory")->required();
    sub->add_option("--set", options.settings, "FILE:entry.path=value, laid over the case's entry (repeatable)")
        ->allow_extra_args(false);
    sub->add_flag("--quiet", options.quiet, "print errors only");
  };
  auto* run = app.add_subcommand("run", "run a case (alone or under mpirun)");
  case_options(run);
  run->add_option("--output", options.output, "folder for results and report (default: CASE)")->check(a_name);
  run->add_option("--report", options.report, "where the report goes (default: postProcessing/report.json there)")
      ->check(a_name);
  char const* const allow_code = "let libraries and scripts of the case run (or TESSERA_ALLOW_CODE=1)";
  run->add_flag("--allow-code", options.allow_code, allow_code);
  run->callback([&] { command = [&](core::Comm const& world) { return run::run_case(world, options); }; });

  auto* check = app.add_subcommand("check", "read and check everything of a case, estimate its memory, run nothing");
  case_options(check);
  check->callback([&] { command = [&](core::Comm const& world) { return run::check_case(world, options); }; });

  run::SweepOptions sweep;
  auto* sweeping =
      app.add_subcommand("sweep", "run a case for all points of its system/sweepDict (alone or under mpirun)");
  case_options(sweeping);
  sweeping->add_flag("--allow-code", options.allow_code, allow_code);
  sweeping->add_flag("--anew", sweep.anew, "forget what is finished");
  sweeping->add_option("--shard", sweep.shard,
                       "I/N, I = 0 .. N - 1: a shard of the tasks; others may run at the same time");
  sweeping->add_flag("--count", sweep.count, "count the tasks and check the first, run nothing");
  sweeping->callback([&] {
    command = [&](core::Comm const& world) {
      sweep.run = options;
      return run::run_sweep(world, sweep);
    };
  });

  run::StudyOptions study;
  auto* studying =
      app.add_subcommand("study", "measure a case at all points of its system/studyDict (starts mpirun itself)");
  case_options(studying);
  studying->add_flag("--allow-code", options.allow_code, allow_code);
  studying->add_flag("--anew", study.anew, "forget the runs that are finished");
  studying->add_flag("--count", study.count, "count the runs and check each point, run nothing");
  studying->callback([&] {
    command = [&](core::Comm const& world) {
      study.run = options;
      return run::run_study(world, study);
    };
  });

  run::PlanOptions plan;
  auto* planning = app.add_subcommand(
      "plan", "predict what a case takes on a cluster that a machine file describes (starts mpirun itself)");
  planning->add_option("CASE", options.directory, "case directory");
  planning
      ->add_option("--machine", plan.machine,
                   "file that describes the cluster (`tessera help plan`; default: this machine)")
      ->check(a_name);
  auto* const measures = planning->add_flag(
      "--measure", plan.measure, "write the machine file of this machine; without CASE under mpirun the link's line");
  planning->add_option("-o,--output", plan.output, "where it goes (default: the terminal)")
      ->check(a_name)
      ->needs(measures);
  planning->add_option("--deadline", plan.deadline, "such as 90s, 30min, 2h, 3d: exit code 4 where it does not hold")
      ->excludes(measures);
  planning
      ->add_option("--repeats", plan.repeats, "runs of each sample at least, of which the fastest counts (default 3)")
      ->check(CLI::Range(1, 1000));
  planning
      ->add_option("--sample-cells", plan.sample_cells, "of the largest sample that is run to its end (default 262144)")
      ->check(CLI::Range(1024.0, 1e12));
  planning->add_option("--report", options.report, "where the report goes (default: none)")
      ->check(a_name)
      ->excludes(measures);
  planning->add_option("--page", plan.page, "where a page with plots goes (default: none)")
      ->check(a_name)
      ->excludes(measures);
  planning->add_option("--set", options.settings, "FILE:entry.path=value, laid over the case's entry (repeatable)")
      ->allow_extra_args(false);
  planning->add_flag("--quiet", options.quiet, "print errors only");
  planning->add_flag("--allow-code", options.allow_code, allow_code);
  planning->callback([&] {
    command = [&](core::Comm const& world) {
      plan.run = options;
      return run::run_plan(world, plan);
    };
  });

  tools::AutomatonOptions automaton;
  auto* pattern = app.add_subcommand("automaton", "run a pattern file: makes a case of it (alone or under mpirun)");
  pattern->add_option("PATTERN", automaton.pattern, "file of a pattern: .rle, .rle3, .mc, .lif, .cells, .mcl (.gz too)")
      ->required();
  pattern->add_option("--rule", automaton.rule, "name or rulestring (default: the pattern's own)")
      ->check([](std::string const& rule) { return rule.empty() ? "is empty, expected a rule" : ""; });
  pattern->add_option("--generations", automaton.generations, "to run (default 64)")->check(from_zero);
  pattern
      ->add_option(
          "--margin", automaton.margin,
          "a grid with so many dead cells on each side (default: a plane without end, where the rule can have it)")
      ->check(from_zero);
  pattern
      ->add_option("--algorithm", automaton.algorithm,
                   "of a plane without end: tiles, or hash, HashLife (default: tiles, hash for more than 10^9 cells)")
      ->check(CLI::IsMember({"tiles", "hash"}));
  pattern->add_option("--report", automaton.report, "where the report goes (default: CASE/postProcessing/report.json)");
  pattern->add_option("--case", automaton.directory, "new folder that keeps the case and its results (default: none)");
  pattern->add_flag("--quiet", automaton.quiet, "print errors only");
  pattern->callback([&] { command = [&](core::Comm const& world) { return tools::run_automaton(world, automaton); }; });

  tools::PercolationImageOptions image;
  auto* analyse =
      app.add_subcommand("percolation", "clusters and backbone of a picture or volume: makes a case of it and runs it");
  analyse->add_option("IMAGE", image.image, "picture, TIFF stack, volume, array of numpy; FILE or FILE:ITEM")
      ->required();
  auto* limits = analyse->add_option_group("limit", "what is occupied, at most one (default: --threshold 0.5)");
  limits->add_option("--level", image.level, "a value of the file");
  limits->add_option("--threshold", image.threshold, "a share of the range (0 .. 1)");
  limits->add_flag("--otsu", image.otsu, "what parts the values best in two");
  auto* phases = limits->add_option("--phases", image.phases, "whole numbers, such as 1,2")->check(whole_numbers);
  limits->require_option(0, 1);
  analyse->add_option("--occupied", image.occupied, "values below the limit, or the others (default: dark)")
      ->check(CLI::IsMember({"dark", "light"}))
      ->excludes(phases);
  analyse->add_option(
      "--region", image.region,
      "what of it is the sample: `cylinder`, the largest along z, or a mask, FILE or FILE:ITEM, whose light "
      "cells are it (default: all)");
  analyse->add_option("--direction", image.direction, "default: y in the plane, z in space")
      ->check(CLI::IsMember({"x", "y", "z", "all"}));
  analyse->add_option("--connectivity", image.connectivity, "4 or 8 in the plane, 6, 18 or 26 in space (default: 4, 6)")
      ->check(CLI::IsMember({4, 6, 8, 18, 26}));
  analyse->add_flag("--conductivity", image.conductivity, "current through the backbone");
  analyse->add_flag("--thickness", image.thickness, "pore sizes: the largest ball over each cell");
  analyse->add_flag("--drainage", image.drainage, "what a fluid that does not wet enters");
  analyse->add_flag("--geodesic", image.geodesic, "paths in straight lines, over 26 neighbours");
  auto* const picture =
      analyse->add_option("--picture", image.picture, "where it goes (default: IMAGE.percolation.png here)");
  analyse->add_option("--report", image.report, "where the report goes (default: CASE/postProcessing/report.json)");
  analyse->add_option("--case", image.directory, "new folder that keeps the case and its results (default: none)")
      ->excludes(picture);
  analyse->add_flag("--quiet", image.quiet, "print errors only");
  analyse->callback([&] { command = [&](core::Comm const& world) { return tools::analyse_image(world, image); }; });

  int ranks = 0, ranks_per_node = 0;
  std::string weights;
  auto* decompose =
      app.add_subcommand("decompose", "share a case over ranks: a table of what each gets, and a picture");
  case_options(decompose);
  decompose->add_option("-n,--ranks", ranks, "number of ranks")->required()->check(above_zero);
  decompose->add_option("--weights", weights,
                        "relative speeds of the ranks, such as 1.7,1,1 (default: as a run has them)");
  decompose->add_option("--ranks-per-node", ranks_per_node, "so many ranks lie on a node (default: all on one)")
      ->check(above_zero);
  decompose->callback([&] {
    command = [&](core::Comm const& world) {
      return tools::decompose_case(world, options, ranks, weights, ranks_per_node);
    };
  });

  std::string machine;
  bool dry_run = false, slurm = false;
  int shards = 0;
  auto* launch = app.add_subcommand("launch", "run a case on several hosts, with several builds of the program");
  launch->add_option("MACHINEFILE", machine, "lines HOST program=PATH ranks=N threads=N devices=0,1, or cores=auto | N")
      ->required();
  case_options(launch);
  auto* const reported = launch->add_option("--report", options.report,
                                            "where the report goes (default: CASE/postProcessing/report.json)");
  launch->add_flag("--allow-code", options.allow_code, allow_code);
  auto* const submits = launch->add_flag("--slurm", slurm, "submit a batch job to Slurm in the place of mpirun");
  launch
      ->add_option(
          "--sweep", shards,
          "with --slurm: the case's sweep (`tessera sweep`) as a job array of so many shards, and a job for the tables")
      ->check(CLI::Range(2, 100'000))
      ->needs(submits)
      ->excludes(reported);
  launch->add_flag("--dry-run", dry_run, "print the mpirun command or the batch script only");
  launch->callback([&] {
    command = [&](core::Comm const& world) {
      return tools::launch_case(world, machine, options, dry_run, slurm, shards);
    };
  });

  std::string kind;
  std::vector<std::string> libraries;
  auto const with_libraries = [&](CLI::App* of) {
    of->add_option(
          "--libs", libraries,
          "plugin to open first: a file, or a name that the system's loader finds, as `libs` in a case (repeatable)")
        ->allow_extra_args(false);
  };
  auto* list = app.add_subcommand("list", "list what there is");
  list->add_option(
      "KIND", kind,
      "applications, rules, methods, preconditioners, smoothers, partitioners, readers, writers, functions, "
      "sources, boundaryConditions, percolationMethods, percolationAnalyses, sides, values, studies (default: all)");
  with_libraries(list);
  list->callback(
      [&] { command = [&](core::Comm const& world) { return tools::list_plugins(world, kind, libraries); }; });

  std::string name;
  auto* help =
      app.add_subcommand("help", "explain an application, rule or rulestring, method, source ... and its keys");
  help->add_option("NAME", name, "name as in `tessera list`")->required();
  with_libraries(help);
  help->callback([&] { command = [&](core::Comm const& world) { return tools::explain(world, name, libraries); }; });

  std::string a, b, field;
  double tolerance = 0;
  auto* compare = app.add_subcommand("compare", "compare two results; exit code 0 when equal within the tolerance");
  compare->add_option("A", a, "snapshot (.h5), picture (.png), results folder, OpenFOAM field or time directory, case")
      ->required();
  compare->add_option("B", b, "the other")->required();
  compare->add_option("--field", field, "field to compare (default: all)");
  compare->add_option("--tolerance", tolerance, "largest absolute difference allowed (default 0)")->check(from_zero);
  compare->callback([&] {
    command = [&](core::Comm const& world) { return tools::compare_results(world, a, b, field, tolerance); };
  });

  auto* convert = app.add_subcommand("convert", "convert a file that any reader reads to one that any writer writes");
  convert->add_option("IN", a, "file, file.h5:/fields/NAME[k0:k1,j0:j1,i0:i1], or OpenFOAM's CASE/TIME/NAME")
      ->required();
  convert->add_option("OUT", b, "file, or CASE/0/NAME")->required();
  io::Conversion conversion;
  std::vector<double> range;
  std::string palette, named;
  auto* const coloured = convert->add_option("--palette", palette, "of a picture: grey or viridis");
  coloured->check(CLI::IsMember({"grey", "viridis"}));
  convert->add_option("--range", range, "of a picture: values at the two ends of the palette")->expected(2);
  auto* const renamed =
      convert->add_option("--name", named, "name of the field that is made, in a format that has names");
  convert->add_option("--type", conversion.type, "of the values in a .raw, .npy or .tif file: uint8 .. float64");
  convert->add_flag("--binary", conversion.binary, "a field of OpenFOAM in binary format");
  convert->callback([&] {
    command = [&](core::Comm const& world) {
      if (!range.empty()) conversion.range = {range[0], range[1]};
      if (coloured->count() > 0) conversion.palette = palette;
      if (renamed->count() > 0) conversion.name = named;
      return tools::convert_file(world, a, b, conversion);
    };
  });

  auto* expect = app.add_subcommand("expect", "check a case's file `expect` against its report");
  expect->add_option("CASE", a, "case directory")->required();
  expect->add_option("--report", b,
                     "the report (default: CASE/postProcessing/report.json, or that of the case's sweep)");
  expect->callback([&] { command = [&](core::Comm const& world) { return tools::expect_case(world, a, b); }; });

  tools::RouterOptions r;
  auto* routers = app.add_subcommand("routers", "levels, hops and reach of the routers of a grid, and load times");
  routers->add_option("--cells", r.cells, "NX NY [NZ]")->expected(2, 3)->required()->check(above_zero);
  routers->add_option("--neighbours", r.neighbours, "of a cell (default 8)")->check(above_zero);
  routers->add_option("--radix", r.radix, "below a router (default: chosen)")->check(above_zero);
  routers->add_option("--levels", r.levels, "of routers (default: chosen)")->check(from_zero);
  routers->add_option("--ranks", r.ranks, "to load (default: those started)")->check(above_zero);
  routers->add_option("--ranks-per-node", r.ranks_per_node, "(default: all on one)")->check(above_zero);
  routers->add_option("--cores", r.cores, "that the ranks share (default: one each)")->check(above_zero);
  routers->add_option("--bytes", r.bytes, "to load (default: one a cell)")->check(above_zero);
  routers->add_option("--latency", r.latency, "of a message [s] (default: measured)")->check(above_zero);
  routers->add_option("--bandwidth", r.bandwidth, "[bytes/s] (default: measured)")->check(above_zero);
  routers->add_option("--file-rate", r.file_rate, "reading and decoding [bytes/s] (default: takes no time)")
      ->check(above_zero);
  routers->callback([&] { command = [&](core::Comm const& world) { return tools::explain_routers(world, r); }; });

  std::vector<std::string> cases;
  auto* summary = app.add_subcommand("summary", "a table of what runs computed, how fast, and where the files are");
  summary->add_option("CASE", cases, "case directories")->required();
  summary->callback([&] { command = [&](core::Comm const& world) { return tools::summarize(world, cases); }; });

  app.footer(
      "Arguments --kokkos-... (such as --kokkos-num-threads=4) go to Kokkos. `tessera help NAME` explains what a case "
      "may hold.");
  std::string_view const first = argc > 1 ? argv[1] : "";
  app.failure_message([&](CLI::App const*, CLI::Error const& error) { return say_what_is_wrong(app, first, error); });
  try {
    if (argc == 1) throw CLI::CallForHelp();
    app.parse(arguments(argc, argv));
  } catch (CLI::ParseError const& error) {
    bool const asked = argc > 1 && error.get_exit_code() == 0;
    return core::Runtime::say(argc, argv, [&] {
      app.exit(error);
      return asked ? core::Exit::done : core::Exit::wrong_command;
    });
  }
  core::Runtime runtime(argc, argv);
  return runtime.run([&] { return command(runtime.world()); });
}
