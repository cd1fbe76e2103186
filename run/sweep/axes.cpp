// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/axes.hpp"

#include "core/error.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <map>
#include <set>

namespace tessera::run {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t most_values = 100'000'000;

/// `from 0.5; to 0.7; steps 21;` or `step 0.01;` in the place of steps.
std::vector<std::string> spaced(core::Dictionary const& axis) {
  double const from = axis.get<double>("from"), to = axis.get<double>("to");
  std::int64_t steps = 0;
  if (axis.contains("step")) {
    double const step = axis.get<double>("step"), intervals = (to - from) / step;
    if (!(intervals >= 0) || intervals >= static_cast<double>(most_values))
      axis.fail_expected("step", fmt::format("a number that leads from {} to {}", from, to));
    steps = std::llround(intervals) + 1;
    if (std::abs(intervals - std::round(intervals)) > 1e-9 * std::max(1.0, intervals))
      axis.fail_expected("step", fmt::format("a number that leads from {} to {}: {} is the last before it", from, to,
                                             text_of_number(from + std::floor(intervals) * step)));
    if (axis.contains("steps")) axis.fail("steps", "'steps' beside 'step', expected one of them");
    std::vector<std::string> values;
    for (std::int64_t n = 0; n < steps; ++n) values.push_back(text_of_number(from + static_cast<double>(n) * step));
    return values;
  }
  steps = axis.get_in<std::int64_t>("steps", {2, most_values});
  std::vector<std::string> values;
  for (std::int64_t n = 0; n < steps; ++n) {
    double const share = static_cast<double>(n) / static_cast<double>(steps - 1);
    values.push_back(text_of_number(n == steps - 1 ? to : from + share * (to - from)));
  }
  return values;
}

/// The files of the case that a pattern such as "volumes/*.raw" fits, in the order of their names, relative to the case.
std::vector<std::string> files_of(core::Dictionary const& axis, std::string const& directory) {
  auto const pattern = axis.get<std::string>("files");
  fs::path const folder = fs::path(directory) / fs::path(pattern).parent_path();
  std::error_code none;
  std::set<std::string> found;
  for (auto const& entry : fs::directory_iterator(folder, none)) {
    std::string const name = entry.path().filename().string();
    if (!entry.is_directory(none) && fnmatch(fs::path(pattern).filename().c_str(), name.c_str(), FNM_PERIOD) == 0)
      found.insert((fs::path(pattern).parent_path() / name).string());
  }
  if (found.empty()) axis.fail("files", fmt::format("no file fits '{}' in {}", pattern, directory));
  return {found.begin(), found.end()};
}

std::vector<std::string> numbered(core::Dictionary const& axis) {
  auto const samples = axis.get_in<std::int64_t>("samples", {1, most_values}),
             first = axis.get_or<std::int64_t>("first", 1);
  std::vector<std::string> values;
  for (std::int64_t n = 0; n < samples; ++n) values.push_back(std::to_string(first + n));
  return values;
}

void require_name(core::Dictionary const& axes, std::string const& name) {
  bool const word = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!word) axes.fail(name, "is no name of an axis, expected letters, digits and _");
}

Axis read(core::Dictionary& axes, std::string const& name, std::string const& directory) {
  require_name(axes, name);
  Axis result;
  result.name = name;
  if (!axes.is_dictionary(name)) {
    result.values = axes.get<std::vector<std::string>>(name);
  } else {
    auto& axis = axes.sub(name);
    std::vector<std::string> kinds;
    for (char const* kind : {"from", "files", "samples"})
      if (axis.contains(kind)) kinds.emplace_back(kind);
    if (kinds.size() != 1)
      axis.fail("", fmt::format("axis '{}' has {}, expected one of: from .. to .. steps, files, samples", name,
                                kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, " and "))));
    result.samples = kinds[0] == "samples";
    result.files = kinds[0] == "files";
    result.values = result.samples ? numbered(axis) : result.files ? files_of(axis, directory) : spaced(axis);
  }
  if (result.values.empty()) axes.fail(name, "has no values");
  // 1e4 and 10000 are one value; doubles do not tell whole numbers beyond 2^53 apart
  std::map<double, std::string> numbers;
  std::set<std::string> texts;
  for (auto const& value : result.values) {
    double const x = result.files ? std::nan("") : number_in(value);
    auto const& known = std::abs(x) < 0x1p53 ? numbers.emplace(x, value).first->second : value;
    if (known != value || !texts.insert(value).second)
      axes.fail(name, known == value ? "has a value twice: " + value
                                     : fmt::format("has a value twice: {} and {}", known, value));
  }
  return result;
}

}  // namespace

Axes::Axes(core::Dictionary& dictionary, std::string const& directory, std::vector<std::string> const& own)
    : directory_(directory) {
  auto& axes = dictionary.sub("axes");
  for (auto const& name : axes.keys()) axes_.push_back(read(axes, name, directory));
  if (axes_.empty()) axes.fail("", "has no axis, expected NAME (VALUES); or NAME { from A; to B; steps N; } or such");
  if (std::count_if(axes_.begin(), axes_.end(), [](Axis const& axis) { return axis.samples; }) > 1)
    axes.fail("", "has two axes of samples, expected one");
  if (dictionary.contains("together")) {
    std::int64_t group = 0;
    for (auto const& names : dictionary.get<std::vector<std::vector<std::string>>>("together")) {
      std::size_t length = 0;
      for (auto const& name : names) {
        int const n = find(name);
        if (n < 0) dictionary.fail("together", fmt::format("no axis is called '{}'", name));
        if (axes_[n].group >= 0 || axes_[n].samples)
          dictionary.fail("together",
                          fmt::format("'{}' is {}", name, axes_[n].samples ? "an axis of samples" : "there twice"));
        if (length > 0 && axes_[n].values.size() != length)
          dictionary.fail("together", fmt::format("'{}' has {} values, expected {} as '{}'", name,
                                                  axes_[n].values.size(), length, names.front()));
        length = axes_[n].values.size();
        axes_[n].group = group;
      }
      ++group;
    }
  }
  if (own.empty() || dictionary.contains("settings")) {
    settings_ = dictionary.get<std::vector<std::string>>("settings");
    origin_ = dictionary.location("settings") + ": settings";
  }
  for (auto const& setting : settings_)
    if (auto const colon = setting.find(':'), equals = setting.find('=');
        colon == setting.npos || equals == setting.npos || colon > equals)
      dictionary.fail("settings",
                      fmt::format("'{}', expected FILE:entry.path=value with {{AXIS}} in the value", setting));
  std::set<std::string> set;
  for (auto const& setting : settings_)
    if (auto const entry = setting.substr(0, setting.find('=')); !set.insert(entry).second)
      dictionary.fail("settings", fmt::format("'{}' is set twice, expected once", entry));
  for (Axis const& axis : axes_)
    if (!sets(axis.name) && std::find(own.begin(), own.end(), axis.name) == own.end())
      axes.fail(axis.name, "is in none of the settings: nothing would change with it");
}

bool Axes::sets(std::string const& name) const {
  auto const part_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::string_view text : settings_)
    for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
      auto const inner = text.substr(open, text.find('}', open) - open);
      for (auto at = inner.find(name); at != inner.npos; at = inner.find(name, at + 1)) {
        auto const end = at + name.size();
        if (!part_of_name(inner[at - 1]) && (end == inner.size() || !part_of_name(inner[end]))) return true;
      }
    }
  return false;
}

int Axes::find(std::string_view name) const {
  for (std::size_t n = 0; n < axes_.size(); ++n)
    if (axes_[n].name == name) return static_cast<int>(n);
  return -1;
}

int Axes::samples() const {
  for (std::size_t n = 0; n < axes_.size(); ++n)
    if (axes_[n].samples) return static_cast<int>(n);
  return -1;
}

std::vector<Point> Axes::points() const {
  std::vector<Point> points{Point(axes_.size())};
  std::set<std::int64_t> done;
  for (std::size_t n = 0; n < axes_.size(); ++n) {
    if (axes_[n].group >= 0 && !done.insert(axes_[n].group).second) continue;
    std::vector<Point> more;
    for (Point const& point : points)
      for (std::size_t v = 0; v < axes_[n].values.size(); ++v) {
        more.push_back(point);
        for (std::size_t m = n; m < axes_.size(); ++m)
          if (m == n || (axes_[m].group >= 0 && axes_[m].group == axes_[n].group)) more.back()[m] = axes_[m].values[v];
      }
    points = std::move(more);
    if (std::ssize(points) > most_values)
      throw core::Error(fmt::format("{}: more than {} tasks", origin_, most_values));
  }
  return points;
}

std::string Axes::name(Point const& point) const {
  std::string name;
  for (std::size_t n = 0; n < axes_.size(); ++n) name += fmt::format("{}{}={}", n ? " " : "", axes_[n].name, point[n]);
  return name;
}

std::string Axes::key(Point const& point) const {
  std::string key = fmt::format("{}", fmt::join(settings(point), "\n"));
  std::error_code none;
  for (std::size_t n = 0; n < axes_.size(); ++n)
    if (axes_[n].files) key += fmt::format("\n{} B", fs::file_size(fs::path(directory_) / point[n], none));
  return key;
}

bool Axes::varies(std::string const& file) const {
  return std::any_of(axes_.begin(), axes_.end(), [&](Axis const& axis) {
    return axis.files && fs::path(file).parent_path() == fs::path(axis.values.front()).parent_path();
  });
}

std::vector<std::string> Axes::settings(Point const& point) const {
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t n = 0; n < axes_.size(); ++n) values.emplace_back(axes_[n].name, point[n]);
  std::vector<std::string> result;
  for (auto const& setting : settings_) result.push_back(fill_in(setting, values, origin_));
  return result;
}

}  // namespace tessera::run
