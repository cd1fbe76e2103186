// SPDX-License-Identifier: Apache-2.0
// The command automaton: a pattern file becomes a case, which is run.
#include "ca/automaton.hpp"
#include "ca/unbounded/leaf.hpp"
#include "ca/unbounded/stepper.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "run/log.hpp"
#include "run/models/automaton/rule_file.hpp"
#include "tools/case_folder.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

/// The file's name as dictionaries take it.
std::string plain_name(fs::path const& file) {
  std::string name = file.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.' && c != '-' && c != '+'; },
      '_');
  return name;
}

/// Why a rule cannot have what `make` makes of it for the plane that has no end; "" where it can. One of a file is taken to, and
/// refused where it cannot.
template <class Make>
std::string why_not(std::string const& rule, Make const& make) {
  if (!ca::known_rule(rule)) return "";
  auto properties = core::Dictionary::parse("rule \"" + rule + "\";", "automaton");
  try {
    make(rule, properties);
    return "";
  } catch (core::Error const& error) {
    std::string const text = error.what(), place = "automaton:1: entry 'rule' ";
    return text.starts_with(place) ? text.substr(place.size()) : text;
  }
}

/// Returns why it is on a grid, where the user did not ask for one and might expect none.
std::string write_case(std::string const& folder, bool passing, AutomatonOptions const& options) {
  auto const pattern = core::read_file(options.pattern);
  std::string const name = plain_name(options.pattern), in = folder + "/";
  for (char const* file : {"constant/automatonProperties", "system/controlDict"}) core::make_folder_of(in + file);
  core::write_file(in + "constant/" + name, pattern);
  // a rule that a file beside the pattern holds comes along
  auto const source = io::open_cells(options.pattern);
  auto rule = options.rule.empty() ? source->rule() : options.rule;
  bool const bounded = rule.find(':') != std::string::npos;
  rule.resize(std::min(rule.find(':'), rule.size()));
  auto const rule_file = run::automaton::find_rule_file(
      rule, {fs::path(options.pattern).parent_path().string(), run::automaton::golly_rules()});
  if (!ca::known_rule(rule) && !rule_file.empty())
    core::write_file(in + "constant/" + rule + ".rule", core::read_file(rule_file));
  std::string const word = rule.empty() ? "life" : rule;
  std::string const on_grid = options.margin < 0 && !bounded ? why_not(word, ca::unbounded::make_stepper) : "";
  bool const unbounded = options.margin < 0 && !bounded && on_grid.empty();
  if (!options.algorithm.empty() && !unbounded)
    throw core::Error(
        options.pattern, 0,
        fmt::format(
            "is for the rule '{}' on a grid, but --algorithm is of a plane without end, expected no such option",
            word));
  if (options.margin >= 0 && bounded)
    throw core::Error(
        options.pattern, 0,
        fmt::format("is for a rule with bounds of its own, '{}', but --margin is of a grid round the pattern, expected "
                    "no such option",
                    options.rule.empty() ? source->rule() : options.rule));
  constexpr double most_of_tiles = 1e9;
  auto const [nx, ny, nz] = source->cells();
  bool const large = unbounded && static_cast<double>(nx) * static_cast<double>(ny) > most_of_tiles;
  std::string const algorithm = !options.algorithm.empty()                                      ? options.algorithm
                                : large && why_not(word, ca::unbounded::make_leaf_rule).empty() ? "hash"
                                                                                                : "";
  auto const known = ca::known_rule(rule);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  std::int64_t const range = known ? known->range : 1, reached = std::min(options.generations, most / range) * range;
  auto const margin = options.margin >= 0 ? options.margin : std::max<std::int64_t>(70, reached);
  std::string properties;
  if (!options.rule.empty())
    properties =
        fmt::format("rule            {};\n",
                    quoted(options.rule, "--rule", "a name of `tessera list rules` or a rulestring such as B3/S23"));
  properties +=
      fmt::format("initial         {{ type pattern; file \"constant/{}\";{}{} }}\n", name,
                  unbounded ? "" : fmt::format(" margin {};", margin), options.rule.empty() ? "" : " fileRule ignore;");
  if (unbounded) properties += "boundary        { unbounded; }\n";
  if (!algorithm.empty()) properties += fmt::format("algorithm       {};\n", algorithm);
  properties += fmt::format("stop            {{ generations {}; }}\n", options.generations);
  core::write_file(in + "constant/automatonProperties", properties);
  core::write_file(in + "system/controlDict",
                   fmt::format("application     cellularAutomaton;\n{}",
                               // tiles have no snapshot of a large one
                               passing || (large && algorithm != "hash") ? "writeControl    none;\n" : ""));
  return on_grid.empty() ? "" : fmt::format("On a grid with a margin of {} cells: the rule {}", margin, on_grid);
}

}  // namespace

int run_automaton(core::Comm const& comm, AutomatonOptions const& options) {
  run::Log log(comm.root() && !options.quiet);
  CaseFolder folder(comm, options.directory, "automaton");
  io::on_root(comm, [&] {
    if (auto const why = write_case(folder.path(), folder.passing(), options); !why.empty()) log.line("{}", why);
  });
  run::RunOptions run;
  run.directory = folder.path();
  run.report = options.report;
  run.quiet = options.quiet;
  run.made = true;
  run.keeps = !folder.passing();
  int const code = folder.run(run, options.pattern, "constant/" + plain_name(options.pattern));
  if (folder.passing()) log.line("The case goes away; --case DIR keeps it and its results");
  comm.barrier();
  return code;
}

}  // namespace tessera::tools
