// SPDX-License-Identifier: Apache-2.0
#include "io/foam/function1.hpp"

#include "core/case/topics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <sstream>
#include <string_view>

namespace tessera::io::foam {
namespace {

std::vector<std::pair<double, double>> read_pairs(core::TokenStream& in) {
  std::vector<std::pair<double, double>> pairs;
  for (auto const& p : in.read<std::vector<std::array<double, 2>>>()) pairs.emplace_back(p[0], p[1]);
  return pairs;
}

/// Two columns of a file of numbers between separators.
std::vector<std::pair<double, double>> read_columns(core::Dictionary const& settings, std::string const& text,
                                                    std::string const& file) {
  std::vector<std::pair<double, double>> rows;
  auto const column = [&](char const* key) {
    auto const n = settings.get<std::int64_t>(key);
    if (n < 0 || n > 9999) settings.fail_expected(key, "the number of a column, from 0");
    return static_cast<std::size_t>(n);
  };
  auto const heading = settings.get<std::int64_t>("nHeaderLine");
  auto const x = column("refColumn");
  std::size_t value = 0;
  auto in = settings.stream("componentColumns");
  if (in.at('(') || (!in.done() && in.peek().kind == core::Token::Kind::number)) {
    auto const columns = settings.get<std::vector<std::int64_t>>("componentColumns");
    if (columns.size() != 1 || columns[0] < 0)
      settings.fail_expected("componentColumns", "the number of one column in brackets: (1)");
    value = static_cast<std::size_t>(columns[0]);
  } else {
    settings.fail_expected("componentColumns", "the number of one column in brackets: (1)");
  }
  auto const separator = settings.get_or<std::string>("separator", ",");
  if (separator.size() != 1) settings.fail_expected("separator", "one character");
  bool const merge = settings.get<bool>("mergeSeparators");
  std::istringstream lines(text);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++number <= heading || line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::vector<std::string> cells{""};
    for (std::size_t n = 0; n < line.size(); ++n) {
      if (line[n] != separator[0])
        cells.back() += line[n];
      else if (!merge || (n > 0 && line[n - 1] != separator[0]))
        cells.emplace_back();
    }
    auto const read = [&](std::size_t n) {
      char* end = nullptr;
      double const v = n < cells.size() ? std::strtod(cells[n].c_str(), &end) : 0;
      if (n >= cells.size() || end == cells[n].c_str() ||
          std::string_view(end).find_first_not_of(" \t\r\"") != std::string_view::npos || !std::isfinite(v))
        throw core::Error(fmt::format("{}:{}: column {} is {}, expected a number", file, number, n,
                                      n < cells.size() ? "'" + cells[n] + "'" : "not there"));
      return v;
    };
    rows.emplace_back(read(x), read(value));
  }
  return rows;
}

/// Throws core::Error unless there are rows, and x ascends.
void check_rows(std::vector<std::pair<double, double>> const& rows, std::string const& where) {
  if (rows.empty()) throw core::Error(where + ": the table is empty");
  for (std::size_t n = 1; n < rows.size(); ++n)
    if (!(rows[n].first > rows[n - 1].first))
      throw core::Error(fmt::format("{}: the table goes from {} to {}, expected ascending numbers", where,
                                    rows[n - 1].first, rows[n].first));
}

std::vector<std::string> const types{"constant", "table", "tableFile", "csvFile", "polynomial", "sine", "square"};

/// The entry names a type that is not one of these.
[[noreturn]] void refuse(core::Dictionary const& dictionary, std::string_view key, std::string const& type) {
  if (type.starts_with("coded") || type == "expression")
    dictionary.fail(
        key,
        fmt::format("'{}' is code to be compiled, which is not run here: a table or sine gives values in time", type));
  std::string const guess = core::nearest(type, types);
  dictionary.fail_expected(key, fmt::format("a number, {}{}", fmt::join(types, ", "),
                                            guess.empty() ? "" : "; did you mean '" + guess + "'?"));
}

}  // namespace

Function1 Function1::read(core::Dictionary const& dictionary, std::string_view key,
                          core::Dictionary::Reader const& reader) {
  return read(dictionary, key, reader, true);
}

Function1 Function1::read_bare(core::Dictionary const& dictionary, std::string_view key,
                               core::Dictionary::Reader const& reader) {
  if (!dictionary.is_dictionary(key)) dictionary.stream(key).refuse_dimensions();
  return read(dictionary, key, reader);
}

/// `beside`: the settings of `KEY sine;` may stand beside KEY. Not within another sine, which has the same keys itself.
Function1 Function1::read(core::Dictionary const& dictionary, std::string_view key,
                          core::Dictionary::Reader const& reader, bool beside) {
  Function1 f;
  f.where_ = dictionary.location(key);
  if (core::Dictionary const* const block = dictionary.is_dictionary(key) ? dictionary.find_sub(key) : nullptr) {
    f.read_settings(*block, key, block->get<std::string>("type"), reader);
    return f;
  }
  auto in = dictionary.stream(key);
  in.skip_dimensions();
  if (!in.at_word()) {
    f.values_ = {{0, in.read<double>()}};
    in.end();
    return f;
  }
  auto const type = in.next().text;
  bool const known = std::find(types.begin(), types.end(), type) != types.end();
  std::string const coefficients = std::string(key) + "Coeffs";
  if (in.done() && known) {
    bool const here = beside && !dictionary.contains(coefficients) &&
                      (type == "tableFile" || type == "csvFile"
                           ? dictionary.contains("file")
                           : (type == "sine" || type == "square") && dictionary.contains("frequency"));
    f.read_settings(here ? dictionary : dictionary.sub(coefficients), key, type, reader);
  } else if (type == "constant" || type == "uniform") {
    in.skip_dimensions();
    f.values_ = {{0, in.read<double>()}};
    in.end();
  } else if (type == "table") {
    auto const* const settings = dictionary.find_sub(coefficients);
    f.read_bounds(settings ? *settings : dictionary);
    f.read_table(in);
  } else if (type == "polynomial") {
    f.type_ = Type::polynomial;
    f.values_ = read_pairs(in);
    in.end();
  } else {
    refuse(dictionary, key, type);
  }
  return f;
}

void Function1::read_bounds(core::Dictionary const& settings) {
  auto const bounds = settings.get_choice("outOfBounds", {"clamp", "warn", "error", "repeat"}, "clamp");
  bounds_ = bounds == "error" ? Bounds::error : bounds == "repeat" ? Bounds::repeat : Bounds::clamp;
  settings.get_choice("interpolationScheme", {"linear"}, "linear");
}

void Function1::read_settings(core::Dictionary const& settings, std::string_view key, std::string const& type,
                              core::Dictionary::Reader const& reader) {
  if (type == "constant") {
    values_ = {{0, settings.get<double>("value")}};
  } else if (type == "table" || type == "tableFile" || type == "csvFile") {
    read_bounds(settings);
    if (type == "table") {
      // v1912 looks for `KEY table (...)` within KEYCoeffs
      bool const own = !settings.contains("values") && settings.contains(key);
      auto in = settings.stream(own ? key : std::string_view("values"));
      if (own && in.at_word()) in.next();
      return read_table(std::move(in));
    }
    std::filesystem::path file = settings.get<std::string>("file");
    for (std::string const begin : {"<case>/", "$FOAM_CASE/", "${FOAM_CASE}/"})
      if (file.string().starts_with(begin))
        file = std::filesystem::path("..") / file.string().substr(begin.size());
      else if (auto const s = file.string(); s.starts_with("$FOAM_CASE/"))
        file = std::filesystem::path("..") / s.substr(11);
    if (file.is_relative()) file = std::filesystem::path(settings.home()).parent_path() / file;
    auto const name = file.lexically_normal().string();
    // a list alone is no dictionary: it becomes the one entry of one
    auto const text = reader ? reader(name) : std::string();
    if (type == "csvFile") {
      return set_table(read_columns(settings, text, name));
    }
    read_table(core::Dictionary::parse("values " + text + ";", name).stream("values"));
  } else if (type == "polynomial") {
    type_ = Type::polynomial;
    auto in = settings.stream("coeffs");
    values_ = read_pairs(in);
    in.end();
  } else if (type == "sine" || type == "square") {
    type_ = type == "sine" ? Type::sine : Type::square;
    if (!settings.contains("frequency")) settings.get<double>("frequency");  // which says so
    for (auto const& [name, fallback] :
         {std::pair{"amplitude", 1.0}, {"frequency", 1.0}, {"scale", 1.0}, {"level", 0.0}})
      parts_.push_back(settings.contains(name) ? read(settings, name, reader, false) : Function1(fallback));
    t0_ = settings.get_or<double>("t0", 0);
    if (type == "square") mark_space_ = settings.get_positive<double>("markSpace", 1);
  } else {
    refuse(settings, "type", type);
  }
}

void Function1::read_table(core::TokenStream in) {
  auto rows = read_pairs(in);
  in.end();
  set_table(std::move(rows));
}

void Function1::set_table(std::vector<std::pair<double, double>> rows) {
  check_rows(rows, where_);
  auto const [least, most] = std::ranges::minmax_element(rows, {}, [](auto const& row) { return row.second; });
  range_ = most->second - least->second;
  values_ = std::move(rows);
}

Function1 Function1::scaled(double factor) const {
  Function1 f = *this;
  f.factor_ *= factor;
  return f;
}

double Function1::in_table(double x) const {
  double const first = values_.front().first, last = values_.back().first;
  // the time of the last step is a sum, or a product, and may lie an ulp or two beyond the end that it is to meet
  double const rounding = 1e-12 * std::max(std::abs(first), std::abs(last));
  if (bounds_ == Bounds::error && values_.size() > 1 && !(x >= first - rounding && x <= last + rounding))
    throw core::Error(fmt::format("{}: {} lies outside the table, which goes from {} to {}", where_, x, first, last));
  // the last point's value is there once, and what else lies at a point is as rounding has it: as in OpenFOAM
  if (bounds_ == Bounds::repeat && values_.size() > 1 && (x < first || x > last)) {
    double const beyond = std::fmod(x - first, last - first);
    x = first + (beyond < 0 ? beyond + (last - first) : beyond);
  }
  auto const above = std::upper_bound(values_.begin(), values_.end(), x,
                                      [](double v, std::pair<double, double> const& p) { return v < p.first; });
  return on_line(static_cast<std::size_t>(above - values_.begin()), x);
}

/// On the table's line that ends at its point number `above`; beyond the table its first or last value.
double Function1::on_line(std::size_t above, double x) const {
  if (above == 0) return values_.front().second;
  if (above == values_.size()) return values_.back().second;
  auto const& [x0, v0] = values_[above - 1];
  auto const& [x1, v1] = values_[above];
  return v0 + (v1 - v0) * (x - x0) / (x1 - x0);
}

double Function1::step_end(double x, double end) const {
  if (type_ == Type::table) return values_.size() > 1 ? step_end_of_table(x, end) : end;
  return type_ == Type::polynomial ? end : step_end_of_wave(x, end);
}

bool lies_behind(double place, double x) { return place - x > 1e-12 * std::max(std::abs(place), std::abs(x)); }
double just_before(double place, double x) { return place - 4e-12 * std::max(std::abs(place), std::abs(x)); }

double Function1::step_end_of_table(double x, double end) const {
  double const first = values_.front().first, period = values_.back().first - first;
  bool const repeats = bounds_ == Bounds::repeat;
  double const turn = repeats ? std::floor((x - first) / period) * period : 0;
  if (range_ == 0) return end;
  double const allowed = range_ / 100, here = in_table(x);
  // slopes of the lines from here that pass no point met so far by more than that
  double low = -std::numeric_limits<double>::infinity(), high = -low, met = x;
  auto const fits = [&](double place, double v) {
    double const slope = (v - here) / (place - x);
    if (slope < low || slope > high) return false;
    low = std::max(low, (v - allowed - here) / (place - x));
    high = std::min(high, (v + allowed - here) / (place - x));
    met = place;
    return true;
  };
  // a repeated table leaves any line within a period, so two of them are all that is looked at
  auto next = std::upper_bound(values_.begin(), values_.end(), x - turn,
                               [](double at, auto const& row) { return at < row.first; });
  for (int n = 0; n < (repeats ? 3 : 1); ++n, next = values_.begin() + 1)
    for (; next != values_.end(); ++next) {
      double const place = next->first + turn + n * period;
      if (!lies_behind(place, x)) continue;
      if (!lies_behind(end, place)) return fits(end, in_table(end)) ? end : met;
      if (!fits(place, next->second)) return met;
    }
  return fits(end, in_table(end)) ? end : met;
}

double Function1::step_end_of_wave(double x, double end) const {
  for (auto const& part : parts_) end = part.step_end(x, end);
  double const f = std::abs(parts_[frequency](x));
  if (f == 0) return end;
  double const period = 1 / f, turn = t0_ + std::floor((x - t0_) / period) * period;
  auto const meet = [&](double place) {
    if (lies_behind(place, x)) end = std::min(end, place);
  };
  for (int n = 0; n < 2; ++n) {
    double const begin = turn + n * period;
    if (type_ == Type::sine) {
      for (int quarter = 0; quarter < 4; ++quarter) meet(begin + quarter * period / 4);
    } else {
      // what a step sees at its end must hold in all of it
      for (double const jump : {begin, begin + period * mark_space_ / (1 + mark_space_)}) meet(just_before(jump, x));
    }
  }
  return end;
}

namespace {

/// Of a polynomial. pow takes as long as the rest of a step; its value for these two is the same.
double term(double coefficient, double exponent, double x) {
  return exponent == 0 ? coefficient : exponent == 1 ? coefficient * x : coefficient * std::pow(x, exponent);
}
/// values += term(x)
void add_terms(double coefficient, double exponent, std::span<double const> x, std::span<double> values) {
  auto const add = [&](auto const& value) {
    for (std::size_t i = 0; i < x.size(); ++i) values[i] += value(x[i]);
  };
  if (exponent == 0)
    add([=](double) { return coefficient; });
  else if (exponent == 1)
    add([=](double at) { return coefficient * at; });
  else
    add([=](double at) { return term(coefficient, exponent, at); });
}

}  // namespace

double Function1::operator()(double x) const {
  double v = 0;
  if (type_ == Type::table) {
    v = in_table(x);
  } else if (type_ == Type::polynomial) {
    for (auto const& [c, e] : values_) v += term(c, e, x);
  } else {
    double const turns = parts_[frequency](x) * (x - t0_);
    double const wave = type_ == Type::sine ? std::sin(2 * std::numbers::pi * turns)
                                            : (turns - std::floor(turns) < mark_space_ / (1 + mark_space_) ? 1 : -1);
    v = parts_[amplitude](x) * parts_[scale](x) * wave + parts_[level](x);
  }
  return factor_ * v;
}

void Function1::evaluate(std::span<double const> x, std::span<double> values) const {
  auto const n = x.size();
  if (type_ == Type::polynomial) {
    std::fill(values.begin(), values.end(), 0.0);
    for (auto const& [c, e] : values_) add_terms(c, e, x, values);
    for (double& v : values) v *= factor_;
  } else if (type_ == Type::table && bounds_ == Bounds::clamp) {
    // neighbours lie on one line of the table, as a rule
    std::size_t above = 0;
    for (std::size_t i = 0; i < n; ++i) {
      while (above > 0 && x[i] < values_[above - 1].first) --above;
      while (above < values_.size() && !(x[i] < values_[above].first)) ++above;
      values[i] = factor_ * on_line(above, x[i]);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) values[i] = (*this)(x[i]);
  }
}

// ---- tessera help

[[maybe_unused]] static bool const told = [] {
  constexpr char const* kind = "values";
  std::string const settings = "\nThe settings stand in KEY { type TYPE; ... }, or after `KEY TYPE;` in KEYCoeffs { "
                               "... }. x is the time [s]; of a "
                               "conductivity, T [K].";
  std::string const bounds =
      "\noutOfBounds clamp | repeat | error;   beyond the table: its last value, again from its begin, an error";
  return core::add_topic(kind, "constant", "a number", "KEY 3;   or   KEY constant 3;" + settings) &&
         core::add_topic(
             kind, "table", "points with straight lines between",
             "KEY table ((x v) (x v) ...);   or   KEY { type table; values ((x v) ...); outOfBounds clamp; }\n"
             "x ascending." +
                 bounds + settings) &&
         core::add_topic(kind, "tableFile", "a table in a file",
                         "KEY { type tableFile; file \"FILE\"; outOfBounds clamp; }\n"
                         "The file holds ((x v) (x v) ...); it lies beside the dictionary, or <case>/FILE." +
                             bounds + settings) &&
         core::add_topic(kind, "csvFile", "a table in two columns of a file",
                         "KEY { type csvFile; file \"FILE\"; nHeaderLine 1; refColumn 0; componentColumns (1);\n"
                         "      separator \",\"; mergeSeparators no; outOfBounds clamp; }\n"
                         "x stands in refColumn, the value in the one componentColumns, counted from 0." +
                             bounds + settings) &&
         core::add_topic(kind, "polynomial", "sum of c x^e", "KEY polynomial ((c e) (c e) ...);" + settings) &&
         core::add_topic(kind, "sine", "scale amplitude sin(2 pi frequency (x - t0)) + level",
                         "KEY { type sine; amplitude 1; frequency F [1/s]; scale 1; level 0; t0 0; }" + settings) &&
         core::add_topic(kind, "square", "scale amplitude (+1 or -1) + level",
                         "KEY { type square; amplitude 1; frequency F [1/s]; scale 1; level 0; t0 0; markSpace 1; }" +
                             settings);
}();

}  // namespace tessera::io::foam
