// SPDX-License-Identifier: Apache-2.0
// The commands list and help: what the registries hold, and the words of cases that are no plugins.
#include "ca/automaton.hpp"
#include "core/case/topics.hpp"
#include "core/case/wrong_command.hpp"
#include "core/comm/runtime.hpp"
#include "io/foam/function_object.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "partition/partitioner.hpp"
#include "run/guard/case_code.hpp"
#include "run/model.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/smoother.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::tools {

using run::Log;
namespace {

using Topics = std::vector<core::Topic>;

template <class Registry>
void collect(std::string const& kind, Topics& all) {
  for (auto const& [name, entry] : Registry::entries()) all.push_back({kind, name, entry.doc, entry.help});
}

/// Formats of files, with the endings that they go by.
template <class Registry>
void collect_formats(std::string const& kind, Topics& all) {
  for (auto const& [name, entry] : Registry::entries()) {
    auto const format = entry.make();
    std::string help = fmt::format("endings of files: .{}", fmt::join(format->extensions(), " ."));
    if constexpr (requires { format->types(); })
      if (!format->types().empty()) help += fmt::format("\n--type {}", fmt::join(format->types(), " | "));
    all.push_back({kind, name, entry.doc, entry.help.empty() ? help : help + "\n" + entry.help});
  }
}

/// PETSc is a module of its own, which may not be there.
void collect_methods(Topics& all) {
  std::string missing = "any of PETSc's methods; not in this build: it needs the package petsc-dev";
  try {
    if (solvers::have_solver("PETSc")) missing.clear();
  } catch (core::RunError const& error) {
    missing = error.what();
  }
  collect<solvers::Methods>("methods", all);
  if (!missing.empty()) all.push_back({"methods", "PETSc", missing, ""});
}

Topics everything() {
  Topics all;
  collect<run::Models>("applications", all);
  collect<ca::Rules>("rules", all);
  collect_methods(all);
  collect<solvers::Preconditioners>("preconditioners", all);
  collect<solvers::Smoothers>("smoothers", all);
  collect<partition::Partitioners>("partitioners", all);
  collect_formats<io::Readers>("readers", all);
  collect_formats<io::Writers>("writers", all);
  collect<io::foam::FunctionObjects>("functions", all);
  all.insert(all.end(), core::topics().begin(), core::topics().end());
  return all;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

template <class Fits>
Topics those(Topics const& all, Fits const& fits) {
  Topics found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), fits);
  return found;
}

/// What `name` means: the name itself, in any case of letters, a rulestring, or a part of one name alone, as `automaton` of
/// cellularAutomaton.
Topics meant(std::string const& name, Topics const& all) {
  if (auto const found = those(all, [&](auto const& t) { return t.name == name; }); !found.empty()) return found;
  std::string const small = lower(name);
  if (auto const found = those(all, [&](auto const& t) { return lower(t.name) == small; }); !found.empty())
    return found;
  if (auto const rule = ca::known_rule(name))
    return those(all, [&](auto const& t) { return t.kind == "rules" && t.name == rule->name; });
  auto const part = those(all, [&](auto const& t) { return lower(t.name).find(small) != std::string::npos; });
  bool const one = std::all_of(part.begin(), part.end(), [&](auto const& t) { return t.name == part.front().name; });
  return one ? part : Topics{};
}

}  // namespace

int list_plugins(core::Comm const& comm, std::string const& kind, std::vector<std::string> const& libraries) {
  Log log(comm.root());
  run::open_libraries(libraries);
  std::vector<std::string> kinds;
  std::string heading;
  auto const all = everything();
  for (auto const& t : all)
    if (kinds.empty() || kinds.back() != t.kind) kinds.push_back(t.kind);
  if (!kind.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw core::WrongCommand(core::unknown_name("kind", kind, kinds));
  for (auto const& t : all) {
    if (!kind.empty() && t.kind != kind) continue;
    if (kind.empty() && t.kind != heading) log.line("{}{}", heading.empty() ? "" : "\n", t.kind);
    heading = t.kind;
    log.line("  {:<32} {}", t.name, t.doc);
  }
  return core::Exit::done;
}

int explain(core::Comm const& comm, std::string const& name, std::vector<std::string> const& libraries) {
  Log log(comm.root());
  run::open_libraries(libraries);
  auto const all = everything();
  auto const found = meant(name, all);
  if (found.empty()) {
    std::vector<std::string> names, part;
    for (auto const& t : all) {
      names.push_back(t.name);
      if (name.size() > 2 && lower(t.name).find(lower(name)) != std::string::npos) part.push_back(t.name);
    }
    if (auto const near = core::nearest(name, names); part.empty() && !near.empty()) part.push_back(near);
    throw core::WrongCommand(fmt::format("unknown name '{}'{}; `tessera list` shows all", name,
                                         part.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(part, ", "))));
  }
  if (std::string const first = lower(found.front().name), small = lower(name);
      first != small && first.find(small) != std::string::npos)
    log.line("'{}' is taken for {}, the one name that has it", name, found.front().name);
  for (auto const& t : found) {
    log.line("{} ({}): {}", t.name, t.kind, t.doc);
    if (!t.help.empty()) log.line("{}", t.help);
  }
  return core::Exit::done;
}

}  // namespace tessera::tools
