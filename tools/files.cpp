// SPDX-License-Identifier: Apache-2.0
// The commands compare and convert. Both work on one rank and stream.
#include "ca/automaton.hpp"
#include "ca/unbounded/leaf.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "io/compare.hpp"
#include "io/convert.hpp"
#include "io/files/together.hpp"
#include "run/model.hpp"
#include "tools/commands.hpp"

namespace tessera::tools {

using run::Log;

int compare_results(core::Comm const& comm, std::string const& a, std::string const& b, std::string const& field,
                    double tolerance) {
  Log log(comm.root());
  std::int64_t different = 0;
  io::on_root(comm, [&] {
    for (auto const& c :
         io::compare_results(a, b, field, tolerance, [&](std::string const& line) { log.line("{}", line); })) {
      different += c.different;
      for (auto const& note : c.notes) log.line("{}", note);
      std::string const name = c.field.empty() ? "" : c.field + ": ";
      if (c.equal() && c.max_absolute == 0)
        log.line("{}equal in all {} cells", name, c.cells);
      else
        log.line(
            "{}{} of {} cells differ by more than {}; largest difference {:.6g} ({:.3g} relative) in cell ({} {} {})",
            name, c.different, c.cells, tolerance, c.max_absolute, c.max_relative, c.worst.i, c.worst.j, c.worst.k);
    }
  });
  return comm.max(different) == 0 ? core::Exit::done : core::Exit::wrong_input;
}

namespace {

/// States of the rule of a pattern, where it is one that HashLife is for; 0: not known.
int states_of(std::string const& rule) {
  if (!ca::known_rule(rule)) return 0;
  auto properties = core::Dictionary::parse("", "convert");
  try {
    return ca::unbounded::make_leaf_rule(rule, properties)->states();
  } catch (core::Error const&) {
    return 0;
  }
}

}  // namespace

int convert_file(core::Comm const& comm, std::string const& in, std::string const& out, io::Conversion const& given) {
  Log log(comm.root());
  auto how = given;
  how.states_of = states_of;
  io::on_root(comm, [&] {
    if (auto const note = io::convert(in, out, how); !note.empty()) log.line("{}: {}", in, note);
  });
  return core::Exit::done;
}

}  // namespace tessera::tools
