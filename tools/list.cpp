// SPDX-License-Identifier: Apache-2.0
// The commands list and help: what the registries hold.
#include "ca/automaton.hpp"
#include "core/error.hpp"
#include "core/runtime.hpp"
#include "io/foam/function_object.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "partition/partitioner.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/preconditioner.hpp"
#include "tools/application.hpp"
#include "tools/commands.hpp"

namespace tessera::tools {
namespace {

struct Plugin {
  std::string kind, name, doc, help;
};

template <class Registry>
void collect(std::string const& kind, std::vector<Plugin>& all) {
  for (auto const& [name, entry] : Registry::entries()) all.push_back({kind, name, entry.doc, entry.help});
}

std::vector<Plugin> plugins() {
  std::vector<Plugin> all;
  collect<Applications>("applications", all);
  collect<ca::Rules>("rules", all);
  collect<solvers::Methods>("methods", all);
  collect<solvers::Preconditioners>("preconditioners", all);
  collect<partition::Partitioners>("partitioners", all);
  collect<io::Readers>("readers", all);
  collect<io::Writers>("writers", all);
  collect<io::foam::FunctionObjects>("functions", all);
  return all;
}

}  // namespace

int list_plugins(core::Comm const& comm, std::string const& kind) {
  Log log(comm.root());
  std::vector<std::string> kinds;
  std::string heading;
  auto const all = plugins();
  for (Plugin const& p : all)
    if (kinds.empty() || kinds.back() != p.kind) kinds.push_back(p.kind);
  if (!kind.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw core::Error("command line: " + core::unknown_name("kind", kind, kinds));
  for (Plugin const& p : all) {
    if (!kind.empty() && p.kind != kind) continue;
    if (kind.empty() && p.kind != heading) log.line("{}{}", heading.empty() ? "" : "\n", p.kind);
    heading = p.kind;
    log.line("  {:<22} {}", p.name, p.doc);
  }
  return core::Exit::done;
}

int explain(core::Comm const& comm, std::string const& name) {
  Log log(comm.root());
  std::vector<std::string> names;
  bool found = false;
  for (Plugin const& p : plugins()) {
    names.push_back(p.name);
    if (p.name != name) continue;
    log.line("{} ({}): {}", p.name, p.kind, p.doc);
    if (!p.help.empty()) log.line("{}", p.help);
    found = true;
  }
  if (!found) throw core::Error("command line: " + core::unknown_name("name", name, names));
  return core::Exit::done;
}

}  // namespace tessera::tools
