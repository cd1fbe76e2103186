// SPDX-License-Identifier: Apache-2.0
#include "run/restart/changes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace tessera::run {
namespace {

constexpr std::array<std::string_view, 4> elsewhere{"system/decomposeParDict", "system/balanceDict",
                                                    "system/inSituDict", "system/routerDict"};

/// Whether another value of this entry gives other results.
bool counts(std::string const& file, std::string const& path) {
  std::string const first = path.substr(0, path.find('.'));
  auto const is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), first) != names.end();
  };
  if (file == "system/controlDict") return is_one_of({"deltaT", "adjustTimeStep", "deltaTTolerance", "maxDeltaT"});
  if (file == "system/gridDict") return !is_one_of({"tile"});
  if (file == "constant/automatonProperties") return !is_one_of({"stop", "haloDepth", "series"});
  return true;
}

std::string shortened(std::string text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return text;
  text.resize(most - 3);
  return text + "...";
}

}  // namespace

std::map<std::string, std::string> entries_of(std::string const& text) {
  std::map<std::string, std::string> entries;
  std::vector<std::string> path;
  std::istringstream in(text);
  std::string pending;  // the name of a block that is to begin
  for (std::string line; std::getline(in, line);) {
    auto const begin = line.find_first_not_of(' '), end = line.find_last_not_of(' ');
    if (begin == std::string::npos) continue;
    line = line.substr(begin, end - begin + 1);
    if (line == "{") {
      path.push_back(std::exchange(pending, {}));
    } else if (line == "}") {
      if (!path.empty()) path.pop_back();
    } else if (line.back() == ';') {
      line.pop_back();
      auto const blank = line.find(' ');
      std::string name;
      for (auto const& part : path) name += part + ".";
      auto& value = entries[name + line.substr(0, blank)];
      if (blank != std::string::npos) value += line.substr(blank + 1);
    } else {
      pending = line;
    }
  }
  return entries;
}

std::vector<std::string> changes(io::Provenance const& before, io::Provenance const& now) {
  std::vector<std::string> found;
  for (auto const& [file, text] : now) {
    auto const other = before.find(file);
    if (other == before.end() || std::find(elsewhere.begin(), elsewhere.end(), file) != elsewhere.end()) continue;
    auto const old = entries_of(other->second), here = entries_of(text);
    std::set<std::string> paths;
    for (auto const* entries : {&old, &here})
      for (auto const& [path, value] : *entries) paths.insert(path);
    for (auto const& path : paths) {
      auto const a = old.find(path), b = here.find(path);
      if (!counts(file, path) || (a != old.end() && b != here.end() && a->second == b->second)) continue;
      found.push_back(fmt::format("{}: {} {} -> {}", file, path, a == old.end() ? "absent" : shortened(a->second),
                                  b == here.end() ? "absent" : shortened(b->second)));
    }
  }
  return found;
}

}  // namespace tessera::run
