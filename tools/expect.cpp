// SPDX-License-Identifier: Apache-2.0
#include "tools/expect.hpp"

#include "core/error.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <string_view>

namespace tessera::tools {
namespace {

std::optional<double> number(std::string const& text) {
  double x = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(x)) return {};
  return x;
}

/// What a path of names and numbers with dots between leads to, or nullptr. A name may have dots of its own, as those of a sweep's
/// results have: the shortest that leads on counts.
core::Report::Json const* find(core::Report::Json const& at, std::string_view path) {
  for (std::size_t end = path.find('.');; end = path.find('.', end + 1)) {
    std::string const name(path.substr(0, end));
    core::Report::Json const* next = nullptr;
    if (at.is_array()) {
      auto const n = number(name);
      if (n && *n >= 0 && *n < static_cast<double>(at.size())) next = &at[static_cast<std::size_t>(*n)];
    } else if (auto const place = at.find(name); place != at.end()) {
      next = &*place;
    }
    if (end == path.npos) return next;
    if (next)
      if (auto const* const found = find(*next, path.substr(end + 1))) return found;
  }
}

}  // namespace

std::vector<Expectation> parse_expectations(std::string const& text, std::string const& file) {
  std::vector<Expectation> result;
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    auto const hash = line.find('#');
    std::string const head = line.substr(0, hash);
    std::istringstream words(head);
    Expectation e;
    std::string how, tolerance, more;
    if (!(words >> e.path)) continue;  // a blank line or a comment
    e.where = fmt::format("{}:{}", file, count);
    words >> e.value >> how;
    bool good = how == "exact";
    if (how == "+-" && words >> tolerance) {
      auto const t = number(tolerance);
      good = t && *t >= 0 && number(e.value);
      if (good) e.tolerance = *t;
    }
    if (!good || words >> more)
      throw core::Error(
          fmt::format("{}: expected 'PATH VALUE exact # reason' or 'PATH VALUE +- TOLERANCE # reason'", e.where));
    if (hash != std::string::npos)
      e.reason = line.substr(line.find_first_not_of(" \t", hash + 1) == std::string::npos
                                 ? line.size()
                                 : line.find_first_not_of(" \t", hash + 1));
    if (e.reason.empty())
      throw core::Error(fmt::format("{}: an expectation needs its reason, '# why this value and tolerance'", e.where));
    result.push_back(std::move(e));
  }
  if (result.empty()) throw core::Error(fmt::format("{}: holds no expectation", file));
  return result;
}

std::vector<std::string> check_expectations(std::vector<Expectation> const& expectations,
                                            core::Report::Json const& report) {
  std::vector<std::string> failures;
  for (Expectation const& e : expectations) {
    auto const* found = find(report, e.path);
    if (!found || found->is_structured()) {
      failures.push_back(fmt::format("{}: {} is not in the report", e.where, e.path));
      continue;
    }
    std::string const text = found->is_string() ? found->get<std::string>() : found->dump();
    bool holds = text == e.value;
    if (auto const wanted = number(e.value); wanted && found->is_number())
      holds = std::abs(found->get<double>() - *wanted) <= std::max(e.tolerance, 0.0);
    if (!holds)
      failures.push_back(fmt::format("{}: {} is {}, expected {}{} ({})", e.where, e.path, text, e.value,
                                     e.tolerance >= 0 ? fmt::format(" +- {}", e.tolerance) : "", e.reason));
  }
  return failures;
}

}  // namespace tessera::tools
