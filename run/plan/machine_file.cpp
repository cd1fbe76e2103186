// SPDX-License-Identifier: Apache-2.0
#include "run/plan/machine_file.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace tessera::run {
namespace {

std::string trimmed(std::string line) {
  if (auto const comment = line.find('#'); comment != std::string::npos) line.erase(comment);
  return line;
}

/// A word KEY=VALUE and where it stands.
struct Entry {
  std::string key, value, where;

  [[noreturn]] void fail(std::string const& expected) const {
    throw core::Error(fmt::format("{}: {} is '{}', expected {}", where, key, value, expected));
  }
  int positive() const {
    int n = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc{} || end != value.data() + value.size() || n < 1) fail("a whole number of at least 1");
    return n;
  }
  double number_in(std::string const& text, double least, std::string const& expected) const {
    double x = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(x) || !(x >= least)) fail(expected);
    return x;
  }
  double above_zero(std::string const& unit) const {
    return number_in(value, std::numeric_limits<double>::min(), fmt::format("a number above 0{}", unit));
  }
  std::vector<std::string> items() const {
    std::vector<std::string> all;
    for (std::size_t from = 0; from <= value.size();) {
      auto const to = std::min(value.find(',', from), value.size());
      all.push_back(value.substr(from, to - from));
      from = to + 1;
    }
    return all;
  }
  std::vector<double> contention() const {
    std::string const expected = "numbers that begin with 1 and do not fall, as 1,1.2,1.5";
    std::vector<double> all;
    for (auto const& item : items()) all.push_back(number_in(item, 1, expected));
    if (all.front() != 1 || !std::is_sorted(all.begin(), all.end())) fail(expected);
    return all;
  }
  std::vector<std::pair<double, double>> points() const {
    std::string const expected = "CELLS:RATE,... with rising cells, both above 0, as 65536:4e8,1048576:2.6e8";
    std::vector<std::pair<double, double>> all;
    double const least = std::numeric_limits<double>::min();
    for (auto const& item : items()) {
      auto const colon = std::min(item.find(':'), item.size());
      double const cells = number_in(item.substr(0, colon), least, expected);
      double const rate = number_in(colon < item.size() ? item.substr(colon + 1) : "", least, expected);
      // more cells that take less time are no curve
      if (!all.empty() && !(cells > all.back().first && cells / rate > all.back().first / all.back().second))
        fail(expected + ", and time that rises with them");
      all.emplace_back(cells, rate);
    }
    return all;
  }
};

bool device_list(std::string const& value) {
  return !value.empty() && std::isdigit(static_cast<unsigned char>(value.front())) &&
         std::isdigit(static_cast<unsigned char>(value.back())) && value.find(",,") == std::string::npos &&
         value.find_first_not_of("0123456789,") == std::string::npos;
}

using Keys = std::map<std::string, std::function<void(Entry const&)>>;

/// Reads KEY=VALUE words to the end of a line. Only `again` may be given more than once.
void read_words(std::istringstream& words, std::string const& where, Keys const& keys, std::string const& again = {}) {
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    auto const equals = word.find('=');
    if (equals == std::string::npos) throw core::Error(fmt::format("{}: '{}', expected KEY=VALUE", where, word));
    Entry const entry{word.substr(0, equals), word.substr(equals + 1), where};
    auto const key = keys.find(entry.key);
    if (key == keys.end()) {
      std::vector<std::string> names;
      for (auto const& [name, unused] : keys) names.push_back(name);
      throw core::Error(fmt::format("{}: {}", where, core::unknown_name("key", entry.key, names)));
    }
    if (!seen.insert(entry.key).second && entry.key != again)
      throw core::Error(fmt::format("{}: {} is there twice", where, entry.key));
    key->second(entry);
  }
}

MachineLine parse_host(std::string const& host, std::istringstream& words, std::string const& where) {
  MachineLine line;
  line.where = where;
  line.host = host;
  if (line.host.find('=') != std::string::npos)
    throw core::Error(fmt::format(
        "{}: begins with '{}', expected the name of a host, or network:, memory:, kernel:", where, line.host));
  read_words(
      words, where,
      {{"program", [&](Entry const& e) { line.program = e.value; }},
       {"ranks",
        [&](Entry const& e) {
          line.ranks = e.positive();
          line.has_ranks = true;
        }},
       {"threads",
        [&](Entry const& e) {
          line.threads = e.positive();
          line.has_threads = true;
        }},
       {"cores", [&](Entry const& e) { line.cores = e.value == "auto" && host == "localhost" ? -1 : e.positive(); }},
       {"sockets", [&](Entry const& e) { line.sockets = e.positive(); }},
       {"slurm",
        [&](Entry const& e) {
          if (!e.value.starts_with("--")) e.fail("an option of sbatch, such as --partition=gpu");
          line.slurm.push_back(e.value);
        }},
       {"devices",
        [&](Entry const& e) {
          if (!device_list(e.value)) e.fail("numbers with commas between them");
          line.devices = e.value;
        }},
       {"kind", [&](Entry const& e) { line.kind = e.value; }},
       {"nodes", [&](Entry const& e) { line.nodes = e.positive(); }},
       {"speed", [&](Entry const& e) { line.speed = e.above_zero(""); }},
       {"contention", [&](Entry const& e) { line.contention = e.contention(); }},
       {"memory", [&](Entry const& e) { line.memory = e.above_zero(" [bytes]"); }},
       {"watts", [&](Entry const& e) { line.watts = e.above_zero(" [W]"); }},
       {"idleWatts", [&](Entry const& e) { line.idle_watts = e.above_zero(" [W]"); }},
       {"price", [&](Entry const& e) { line.price = e.above_zero(""); }}},
      "slurm");
  if (line.kind.empty()) line.kind = line.host;
  if (line.sockets > 1 && line.cores < 1)
    throw core::Error(fmt::format("{}: sockets is there without the number of cores on them, expected cores=N", where));
  if (line.cores != 0 && line.has_ranks && line.has_threads)
    throw core::Error(fmt::format("{}: cores is there with ranks and threads, expected two of the three", where));
  if (line.idle_watts > 0 && !(line.watts >= line.idle_watts))
    throw core::Error(fmt::format("{}: idleWatts is there, expected watts of at least as many", where));
  return line;
}

core::Link parse_link(std::istringstream& words, std::string const& where, bool is_known) {
  if (is_known) throw core::Error(fmt::format("{}: a second line of this kind", where));
  core::Link link{0, 0, -1};
  read_words(words, where,
             {{"latency", [&](Entry const& e) { link.latency = e.above_zero(" [s]"); }},
              {"overhead", [&](Entry const& e) { link.overhead = e.number_in(e.value, 0, "a number from 0 [s]"); }},
              {"bandwidth", [&](Entry const& e) { link.bandwidth = e.above_zero(" [bytes/s]"); }}});
  if (!(link.latency > 0) || !(link.bandwidth > 0))
    throw core::Error(fmt::format("{}: expected latency=SECONDS and bandwidth=BYTES_A_SECOND", where));
  return link;
}

KernelLine parse_kernel(std::istringstream& words, std::string const& where) {
  KernelLine line;
  read_words(words, where,
             {{"name", [&](Entry const& e) { line.name = e.value; }},
              {"kind", [&](Entry const& e) { line.kind = e.value; }},
              {"points", [&](Entry const& e) { line.points = e.points(); }}});
  if (line.name.empty() || line.points.empty())
    throw core::Error(fmt::format("{}: expected name=KERNEL and points=CELLS:RATE,...", where));
  return line;
}

}  // namespace

MachineFile parse_machine_file(std::string const& text, std::string const& name) {
  MachineFile machine;
  std::set<std::pair<std::string, std::string>> kernels;
  std::vector<std::string> kernel_places;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(trimmed(line));
    std::string first;
    if (!(words >> first)) continue;
    auto const where = fmt::format("{}:{}", name, number);
    if (first == "network:") {
      machine.network = parse_link(words, where, machine.network.bandwidth > 0);
    } else if (first == "memory:") {
      machine.memory = parse_link(words, where, machine.memory.bandwidth > 0);
    } else if (first == "kernel:") {
      auto& kernel = machine.kernels.emplace_back(parse_kernel(words, where));
      kernel_places.push_back(where);
      if (!kernels.emplace(kernel.name, kernel.kind).second)
        throw core::Error(fmt::format("{}: a second line of kernel {} for the same hosts", where, kernel.name));
    } else if (first.ends_with(':')) {
      throw core::Error(
          fmt::format("{}: {}", where, core::unknown_name("line", first, {"network:", "memory:", "kernel:"})));
    } else {
      machine.hosts.push_back(parse_host(first, words, where));
    }
  }
  if (machine.hosts.empty())
    throw core::Error(fmt::format("{}: names no host, expected lines HOST program=PATH ranks=N threads=N", name));
  std::map<std::string, int>
      nodes;  // of each host, which may have several lines: of several programs, on the same nodes
  std::vector<std::string> kinds;
  for (auto const& host : machine.hosts) {
    kinds.push_back(host.kind);
    if (auto const [first, is_new] = nodes.emplace(host.host, host.nodes); !is_new && first->second != host.nodes)
      throw core::Error(
          fmt::format("{}: nodes={} of {}, {} in an earlier line", host.where, host.nodes, host.host, first->second));
  }
  for (std::size_t n = 0; n < machine.kernels.size(); ++n)
    if (auto const& kind = machine.kernels[n].kind;
        !kind.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      throw core::Error(fmt::format("{}: {}", kernel_places[n], core::unknown_name("kind", kind, kinds)));
  return machine;
}

std::vector<MachineLine> parse_machine(std::string const& text, std::string const& name) {
  auto hosts = parse_machine_file(text, name).hosts;
  for (auto const& line : hosts)
    if (line.program.empty())
      throw core::Error(fmt::format("{}: 'program' is missing: the path of tessera on {}", line.where, line.host));
  return hosts;
}

}  // namespace tessera::run
