// SPDX-License-Identifier: Apache-2.0
#include "io/foam/function1.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <numbers>

namespace tessera::io::foam {
namespace {

std::vector<std::pair<double, double>> read_pairs(core::TokenStream& in) {
  std::vector<std::pair<double, double>> pairs;
  for (auto const& p : in.read<std::vector<std::array<double, 2>>>()) pairs.emplace_back(p[0], p[1]);
  return pairs;
}

constexpr std::array<std::string_view, 6> types{"constant", "table", "tableFile", "polynomial", "sine", "square"};

}  // namespace

Function1 Function1::read(core::Dictionary const& dictionary, std::string_view key,
                          core::Dictionary::Reader const& reader) {
  Function1 f;
  f.where_ = dictionary.location(key);
  if (core::Dictionary const* const block = dictionary.is_dictionary(key) ? dictionary.find_sub(key) : nullptr) {
    f.read_settings(*block, block->get<std::string>("type"), reader);
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
  if (in.done() && known) {
    f.read_settings(dictionary.sub(std::string(key) + "Coeffs"), type, reader);
  } else if (type == "constant" || type == "uniform") {
    in.skip_dimensions();
    f.values_ = {{0, in.read<double>()}};
    in.end();
  } else if (type == "table") {
    f.read_table(in);
  } else if (type == "polynomial") {
    f.type_ = Type::polynomial;
    f.values_ = read_pairs(in);
    in.end();
  } else {
    dictionary.fail(key, fmt::format("'{}' is not supported here, supported: a number, constant, table, tableFile, "
                                     "polynomial, sine, square",
                                     type));
  }
  return f;
}

void Function1::read_settings(core::Dictionary const& settings, std::string const& type,
                              core::Dictionary::Reader const& reader) {
  if (type == "constant") {
    values_ = {{0, settings.get<double>("value")}};
  } else if (type == "table" || type == "tableFile") {
    auto const bounds = settings.get_choice("outOfBounds", {"clamp", "warn", "error", "repeat"}, "clamp");
    bounds_ = bounds == "error" ? Bounds::error : bounds == "repeat" ? Bounds::repeat : Bounds::clamp;
    settings.get_choice("interpolationScheme", {"linear"}, "linear");
    if (type == "table") return read_table(settings.stream("values"));
    std::filesystem::path file = settings.get<std::string>("file");
    for (std::string const begin : {"<case>/", "$FOAM_CASE/", "${FOAM_CASE}/"})
      if (file.string().starts_with(begin))
        file = std::filesystem::path("..") / file.string().substr(begin.size());
      else if (auto const s = file.string(); s.starts_with("$FOAM_CASE/"))
        file = std::filesystem::path("..") / s.substr(11);
    if (file.is_relative()) file = std::filesystem::path(settings.name()).parent_path() / file;
    auto const name = file.lexically_normal().string();
    // a list alone is no dictionary: it becomes the one entry of one
    auto const text = reader ? reader(name) : std::string();
    read_table(core::Dictionary::parse("values " + text + ";", name).stream("values"));
  } else if (type == "polynomial") {
    type_ = Type::polynomial;
    auto in = settings.stream("coeffs");
    values_ = read_pairs(in);
    in.end();
  } else if (type == "sine" || type == "square") {
    type_ = type == "sine" ? Type::sine : Type::square;
    amplitude_ = settings.get_or<double>("amplitude", 1) * settings.get_or<double>("scale", 1);
    frequency_ = settings.get<double>("frequency");
    level_ = settings.get_or<double>("level", 0);
    t0_ = settings.get_or<double>("t0", 0);
    if (type == "square") mark_space_ = settings.get_positive<double>("markSpace", 1);
  } else {
    settings.fail("type", fmt::format("'{}' is not supported here, supported: constant, table, tableFile, polynomial, "
                                      "sine, square",
                                      type));
  }
}

void Function1::read_table(core::TokenStream in) {
  values_ = read_pairs(in);
  in.end();
  if (values_.empty()) throw core::Error(where_ + ": the table is empty");
  for (std::size_t n = 1; n < values_.size(); ++n)
    if (!(values_[n].first > values_[n - 1].first))
      throw core::Error(fmt::format("{}: the table goes from {} to {}, expected ascending numbers", where_,
                                    values_[n - 1].first, values_[n].first));
}

Function1 Function1::scaled(double factor) const {
  Function1 f = *this;
  f.factor_ *= factor;
  return f;
}

double Function1::in_table(double x) const {
  double const first = values_.front().first, last = values_.back().first;
  if (bounds_ == Bounds::error && values_.size() > 1 && !(x >= first && x <= last))
    throw core::Error(fmt::format("{}: {} lies outside the table, which goes from {} to {}", where_, x, first, last));
  if (bounds_ == Bounds::repeat && values_.size() > 1)
    x = first + (x - first) - (last - first) * std::floor((x - first) / (last - first));
  auto const above = std::upper_bound(values_.begin(), values_.end(), x,
                                      [](double v, std::pair<double, double> const& p) { return v < p.first; });
  if (above == values_.begin()) return values_.front().second;
  if (above == values_.end()) return values_.back().second;
  auto const below = above - 1;
  return below->second + (above->second - below->second) * (x - below->first) / (above->first - below->first);
}

double Function1::operator()(double x) const {
  double v = 0;
  if (type_ == Type::table) {
    v = in_table(x);
  } else if (type_ == Type::polynomial) {
    for (auto const& [c, e] : values_) v += c * std::pow(x, e);
  } else {
    double const turns = frequency_ * (x - t0_);
    double const wave = type_ == Type::sine ? std::sin(2 * std::numbers::pi * turns)
                                            : (turns - std::floor(turns) < mark_space_ / (1 + mark_space_) ? 1 : -1);
    v = amplitude_ * wave + level_;
  }
  return factor_ * v;
}

}  // namespace tessera::io::foam
