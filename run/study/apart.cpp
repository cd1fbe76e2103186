// SPDX-License-Identifier: Apache-2.0
#include "run/study/apart.hpp"

#include "core/comm/child.hpp"
#include "core/comm/cores.hpp"
#include "core/comm/runtime.hpp"
#include "core/files.hpp"
#include "run/run.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace tessera::run {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

namespace {

/// The last line of a log that says something.
std::string last_words(std::string const& file) {
  std::ifstream in(file);
  std::string last = "failed without a word";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("tessera: "))
      return line.substr(9);
    else if (line.find_first_not_of(" -\t") != line.npos)
      last = line;
  return last;
}

}  // namespace

std::vector<std::string> aligned(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::string> lines;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t n = 0; n < row.size(); ++n) {
      std::size_t width = 0;
      for (auto const& other : rows) width = std::max(width, std::min<std::size_t>(other[n].size(), 24));
      line += fmt::format("{}{:>{}}", n ? "  " : "", row[n], width);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Apart::Apart(std::string directory, std::string folder, bool allow_code)
    : directory_(std::move(directory)),
      folder_(std::move(folder)),
      program_(fs::read_symlink("/proc/self/exe").string()),
      allow_code_(allow_code),
      cores_(core::host_cores().cores) {}

std::vector<std::string> Apart::command(Launch const& launch, std::string const& output) const {
  std::vector<std::string> words{"mpirun", "-np", std::to_string(launch.ranks)};
  auto const add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  if (launch.threads > 1) add({"--bind-to", "none"});
  if (launch.ranks > cores_) add({"--oversubscribe"});
  add({"-x", fmt::format("OMP_NUM_THREADS={}", launch.threads)});
  if (!launch.emulated.empty()) add({"-x", "TESSERA_EMULATE=" + launch.emulated});
  if (!launch.nodes.empty()) add({"-x", "TESSERA_NODES=" + launch.nodes});
  add({program_, "run", directory_, "--output", output, "--quiet"});
  for (auto const& setting : launch.settings) add({"--set", setting});
  add({"--set", from_start_time});
  if (!launch.writes) add({"--set", without_results});
  if (allow_code_) add({"--allow-code"});
  return words;
}

ApartResult Apart::operator()(Launch const& launch) const {
  std::string const output = folder_ + "/run", log = folder_ + "/run.log";
  clear();
  ApartResult result;
  result.code = core::run_child(command(launch, output), log);
  if (result.code != core::Exit::done && result.code != core::Exit::not_converged) {
    result.error = fmt::format("exit code {}: {}", result.code, last_words(log));
    return result;
  }
  result.report = core::Report::Json::parse(core::read_file(output + "/postProcessing/report.json"));
  fs::remove(log);
  return result;
}

void Apart::clear() const {
  std::error_code none;
  fs::remove_all(folder_ + "/run", none);
}

}  // namespace tessera::run
