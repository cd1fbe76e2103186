// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/axes.hpp"

#include "core/error.hpp"
#include "run/guard/input_stamp.hpp"
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

/// A number between two others without the digits that rounding left: 0.3 for 0.1 + 0.2, but all digits of a third.
std::string text_between(double x, double from, double to) {
  double const size = std::max(std::abs(from), std::abs(to));
  std::string const exact = text_of_number(x);
  int const digits = size > 0 ? 14 - static_cast<int>(std::floor(std::log10(size))) : 0;
  if (digits < 0 || digits > 300) return exact;
  auto const rounded = text_of_number(number_in(fmt::format("{:.{}f}", x, digits)));
  return rounded.size() + 4 < exact.size() ? rounded : exact;
}

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
                                             text_between(from + std::floor(intervals) * step, from, to)));
    if (axis.contains("steps")) axis.fail("steps", "'steps' beside 'step', expected one of them");
    std::vector<std::string> values;
    for (std::int64_t n = 0; n < steps; ++n)
      values.push_back(text_between(n == steps - 1 ? to : from + static_cast<double>(n) * step, from, to));
    return values;
  }
  steps = axis.get_in<std::int64_t>("steps", {2, most_values});
  std::vector<std::string> values;
  for (std::int64_t n = 0; n < steps; ++n) {
    double const share = static_cast<double>(n) / static_cast<double>(steps - 1);
    values.push_back(text_between(n == steps - 1 ? to : from + share * (to - from), from, to));
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
    if (entry.is_directory(none) || fnmatch(fs::path(pattern).filename().c_str(), name.c_str(), FNM_PERIOD) != 0)
      continue;
    if (name.find_first_of("\"\\$\n") != name.npos)
      axis.fail("files",
                fmt::format("'{}' fits '{}', expected names without quotes, backslashes and $", name, pattern));
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
  result.where = axes.location(name);
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

/// FILE:entry.path of a setting.
std::string_view entry_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

/// Whether two of these are one entry, or one of them lies in the other: `gridDict:cells` is `system/gridDict:cells`, too.
bool overlap(std::string_view a, std::string_view b) {
  auto const file = [](std::string_view entry) { return entry.substr(0, entry.find(':')); };
  auto const ends = [](std::string_view whole, std::string_view name) {
    return whole.size() > name.size() && whole.ends_with(name) && whole[whole.size() - name.size() - 1] == '/' &&
           name.find('/') == name.npos;
  };
  if (file(a) != file(b) && !ends(file(a), file(b)) && !ends(file(b), file(a))) return false;
  a.remove_prefix(file(a).size());
  b.remove_prefix(file(b).size());
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '.');
}

/// FILE:LINE of each text in a list.
std::vector<std::string> places(core::Dictionary const& dictionary, std::string const& key, std::size_t number) {
  std::string const entry = dictionary.location(key), file = entry.substr(0, entry.rfind(':'));
  std::vector<std::string> found;
  for (auto const& token : dictionary.tokens(key))
    if (token.kind == core::Token::Kind::string || token.kind == core::Token::Kind::word)
      found.push_back(fmt::format("{}:{}", file, token.line));
  return found.size() == number ? found : std::vector<std::string>(number, entry);
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
    places_ = places(dictionary, "settings", settings_.size());
  }
  for (auto const& setting : settings_)
    if (auto const colon = setting.find(':'), equals = setting.find('=');
        colon == setting.npos || equals == setting.npos || colon > equals)
      dictionary.fail("settings",
                      fmt::format("'{}', expected FILE:entry.path=value with {{AXIS}} in the value", setting));
  for (std::size_t n = 0; n < settings_.size(); ++n)
    for (std::size_t m = 0; m < n; ++m)
      if (auto const entry = entry_of(settings_[n]), other = entry_of(settings_[m]); overlap(entry, other))
        throw core::Error(fmt::format("{}: settings: '{}' is set twice, {}expected once", places_[n], entry,
                                      entry == other ? "" : fmt::format("with '{}', ", other)));
  for (Axis const& axis : axes_)
    if (!sets(axis.name) && std::find(own.begin(), own.end(), axis.name) == own.end())
      axes.fail(axis.name, "is in none of the settings: nothing would change with it");
}

namespace {

/// Whether a setting holds the name of an axis, alone or in an expression.
bool holds(std::string_view setting, std::string const& name) {
  auto const part_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto open = setting.find('{'); open != setting.npos; open = setting.find('{', open + 1)) {
    auto const inner = setting.substr(open, setting.find('}', open) - open);
    for (auto at = inner.find(name); at != inner.npos; at = inner.find(name, at + 1)) {
      auto const end = at + name.size();
      if (!part_of_name(inner[at - 1]) && (end == inner.size() || !part_of_name(inner[end]))) return true;
    }
  }
  return false;
}

}  // namespace

bool Axes::sets(std::string const& name) const {
  return std::any_of(settings_.begin(), settings_.end(), [&](auto const& setting) { return holds(setting, name); });
}

void Axes::check_beside(std::vector<std::string> const& given) const {
  for (auto const& setting : given)
    for (std::size_t n = 0; n < settings_.size(); ++n)
      if (overlap(entry_of(setting), entry_of(settings_[n])))
        throw core::Error(fmt::format("command line: --set {}: '{}' is set for each task by {}, expected another entry",
                                      setting, entry_of(settings_[n]), places_[n]));
}

void Axes::check_free(std::string const& given) const {
  for (std::size_t n = 0; n < settings_.size(); ++n)
    if (overlap(entry_of(given), entry_of(settings_[n])))
      throw core::Error(fmt::format("{}: settings: '{}' would say nothing: each task has {}", places_[n],
                                    entry_of(settings_[n]), given));
}

std::vector<std::string> Axes::told() const {
  std::vector<std::string> lines;
  for (Axis const& axis : axes_) {
    std::vector<std::string> others;
    for (Axis const& other : axes_)
      if (axis.group >= 0 && other.group == axis.group && other.name != axis.name) others.push_back(other.name);
    std::string const with = others.empty() ? "" : fmt::format(" (together with {})", fmt::join(others, ", "));
    auto const& values = axis.values;
    constexpr std::size_t most = 8;
    lines.push_back(
        fmt::format("Axis {}{}: {}", axis.name, with,
                    axis.samples ? fmt::format("samples {} to {}", values.front(), values.back())
                    : values.size() <= most
                        ? fmt::format("{}", fmt::join(values, " "))
                        : fmt::format("{} ... {} ({} values)", fmt::join(values.begin(), values.begin() + 3, " "),
                                      values.back(), values.size())));
  }
  return lines;
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
      throw core::Error(fmt::format("{}: more than {} tasks", axes_[n].where, most_values));
  }
  return points;
}

std::string Axes::name(Point const& point) const {
  std::string name;
  for (std::size_t n = 0; n < axes_.size(); ++n) name += fmt::format("{}{}={}", n ? " " : "", axes_[n].name, point[n]);
  return name;
}

std::string Axes::key(Point const& point) const { return fmt::format("{}", fmt::join(settings(point), "\n")); }

std::map<std::string, std::string> Axes::inputs(Point const& point) const {
  std::map<std::string, std::string> stamps;
  for (std::size_t n = 0; n < axes_.size(); ++n)
    if (axes_[n].files) stamps[point[n]] = input_stamp(fs::path(directory_) / point[n]);
  return stamps;
}

bool Axes::varies(std::string const& file) const {
  return std::any_of(axes_.begin(), axes_.end(), [&](Axis const& axis) {
    return axis.files && fs::path(file).parent_path() == fs::path(axis.values.front()).parent_path();
  });
}

namespace {

/// Whether a name of a file stands in a dictionary without quotes.
bool is_word(std::string const& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("_./-+").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// The setting with quotes round the words that hold the axis and have none: `file={f}:8x8` becomes `file="{f}:8x8"`.
std::string with_quotes(std::string const& setting, std::string const& axis) {
  auto const equals = setting.find('=') + 1;
  std::string result = setting.substr(0, equals), word;
  bool quoted = false, braced = false;
  auto const end_word = [&] {
    result += holds(word, axis) ? '"' + word + '"' : word;
    word.clear();
  };
  for (char const c : setting.substr(equals)) {
    if (c == '"') quoted = !quoted;
    braced = c == '{' || (braced && c != '}');
    bool const between =
        quoted || c == '"' || (!braced && std::string_view(" \t\n()[];").find(c) != std::string_view::npos);
    if (between) end_word();
    (between ? result : word) += c;
  }
  end_word();
  return result;
}

}  // namespace

std::vector<std::string> Axes::settings(Point const& point) const {
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t n = 0; n < axes_.size(); ++n) values.emplace_back(axes_[n].name, point[n]);
  std::vector<std::string> result;
  for (std::size_t n = 0; n < settings_.size(); ++n) {
    std::string setting = settings_[n];
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (axes_[axis].files && !is_word(point[axis])) setting = with_quotes(setting, axes_[axis].name);
    result.push_back(fill_in(setting, values, places_[n] + ": settings"));
  }
  return result;
}

void Axes::set(Point const& point, TaskOptions& task) const {
  auto const settings = this->settings(point);
  for (std::size_t n = 0; n < settings.size(); ++n) {
    std::string where = places_[n], values;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (holds(settings_[n], axes_[axis].name)) {
        if (values.empty()) where = axes_[axis].where;
        values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", axes_[axis].name, point[axis]);
      }
    task.origins[settings[n]] =
        fmt::format("{}: {}: {}", where, values.empty() ? std::string("settings") : values, settings[n]);
    task.settings.push_back(settings[n]);
  }
}

void refuse_column(core::Dictionary const& axes, std::string const& name) {
  axes.fail(name, fmt::format("the tables have a column '{}' of their own, expected another name of the axis", name));
}

}  // namespace tessera::run
