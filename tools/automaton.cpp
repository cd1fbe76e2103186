// SPDX-License-Identifier: Apache-2.0
// The command automaton: a pattern file becomes a case, which is run.
#include "ca/automaton.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "run/log.hpp"
#include "run/models/automaton/rule_file.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

/// A folder for the case: the one that the user names, which must be new or empty, or one that goes away at the end. Made
/// where the program was started, since all ranks must find it. Collective.
class CaseFolder {
 public:
  CaseFolder(core::Comm const& comm, std::string const& name) : comm_(comm), path_(name), passing_(name.empty()) {
    io::on_root(comm_, [&] { passing_ ? make_passing() : make_kept(); });
    comm_.broadcast(path_);
  }
  ~CaseFolder() {
    std::error_code none;
    if (passing_ && comm_.root()) fs::remove_all(path_, none);
  }
  CaseFolder(CaseFolder const&) = delete;
  CaseFolder& operator=(CaseFolder const&) = delete;
  std::string const& path() const { return path_; }
  bool passing() const { return passing_; }

 private:
  void make_passing() {
    path_ = "tessera-automaton-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw core::RunError("cannot make a folder for the case here; name one by --case DIR");
  }
  void make_kept() const {
    std::error_code code;
    if (fs::exists(path_, code) && !fs::is_empty(path_, code))
      throw core::Error(fmt::format("command line: --case {}: is there already, expected a new folder", path_));
  }

  core::Comm const& comm_;
  std::string path_;
  bool passing_;
};

/// The file's name as dictionaries take it.
std::string plain_name(fs::path const& file) {
  std::string name = file.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.' && c != '-' && c != '+'; },
      '_');
  return name;
}

/// The rule between quotes of a dictionary.
std::string quoted(std::string const& rule) {
  if (rule.find_first_of("\"\\$\n") != std::string::npos)
    throw core::Error(
        fmt::format("command line: --rule {}: expected a name of `tessera list rules` or a rulestring such "
                    "as B3/S23",
                    rule));
  return '"' + rule + '"';
}

void write_case(std::string const& folder, bool passing, AutomatonOptions const& options) {
  auto const pattern = core::read_file(options.pattern);
  std::string const name = plain_name(options.pattern), in = folder + "/";
  for (char const* file : {"constant/automatonProperties", "system/controlDict"}) core::make_folder_of(in + file);
  core::write_file(in + "constant/" + name, pattern);
  // a rule that a file beside the pattern holds comes along
  auto rule = options.rule.empty() ? io::open_rows(options.pattern)->rule() : options.rule;
  rule.resize(std::min(rule.find(':'), rule.size()));
  auto const rule_file = run::automaton::find_rule_file(
      rule, {fs::path(options.pattern).parent_path().string(), run::automaton::golly_rules()});
  if (!ca::known_rule(rule) && !rule_file.empty())
    core::write_file(in + "constant/" + rule + ".rule", core::read_file(rule_file));
  auto const known = ca::known_rule(rule);
  auto const reached = options.generations * (known ? known->range : 1);
  auto const margin = options.margin >= 0 ? options.margin : std::max<std::int64_t>(70, reached);
  std::string properties;
  if (!options.rule.empty()) properties = fmt::format("rule            {};\n", quoted(options.rule));
  properties += fmt::format("initial         {{ type pattern; file \"constant/{}\"; margin {};{} }}\n", name, margin,
                            options.rule.empty() ? "" : " fileRule ignore;");
  properties += fmt::format("stop            {{ generations {}; }}\n", options.generations);
  core::write_file(in + "constant/automatonProperties", properties);
  core::write_file(in + "system/controlDict",
                   fmt::format("application     cellularAutomaton;\n{}", passing ? "writeControl    none;\n" : ""));
}

}  // namespace

int run_automaton(core::Comm const& comm, AutomatonOptions const& options) {
  run::Log log(comm.root() && !options.quiet);
  CaseFolder const folder(comm, options.directory);
  io::on_root(comm, [&] { write_case(folder.path(), folder.passing(), options); });
  run::RunOptions run;
  run.directory = folder.path();
  run.report = options.report;
  run.quiet = options.quiet;
  int const code = run::run_case(comm, run);
  if (folder.passing()) log.line("The case goes away; --case DIR keeps it and its results");
  comm.barrier();
  return code;
}

}  // namespace tessera::tools
