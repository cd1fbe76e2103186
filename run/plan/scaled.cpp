// SPDX-License-Identifier: Apache-2.0
#include "run/plan/scaled.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run {
namespace {

double whole(std::string const& word) {
  double n = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  return error == std::errc{} && end == word.data() + word.size() && n >= 1 && n == std::floor(n) ? n : 0;
}

}  // namespace

Scaled::Scaled(Case& files) {
  core::Dictionary& control = files.open("system/controlDict");
  if (auto* const automaton = files.find("constant/automatonProperties")) {
    if (auto* const stop = automaton->find_sub("stop"); stop && stop->contains("generations")) {
      steps_ = stop->get<double>("generations");
      steps_key_ = "constant/automatonProperties:stop.generations";
    }
  } else if (!files.exists("constant/percolationProperties") && control.contains("endTime") &&
             control.contains("deltaT")) {
    begin_ = control.get_or<double>("startTime", 0);
    delta_ = control.get<double>("deltaT");
    steps_ = std::max(1.0, std::round((control.get<double>("endTime") - begin_) / delta_));
    steps_key_ = "system/controlDict:endTime";
  }
  auto const take = [&](core::Dictionary& dictionary, std::string const& key, std::string const& setting) {
    words_ = dictionary.words(key);
    for (std::size_t n = 0; n + 4 < words_.size(); ++n) {
      // three numbers in brackets; in a mesh of blocks those behind the eight corners
      if (words_[n] != "(" || words_[n + 4] != ")") continue;
      if (whole(words_[n + 1]) * whole(words_[n + 2]) * whole(words_[n + 3]) == 0) continue;
      bool const blocks = key == "blocks";
      if (blocks && (n < 2 || words_[n - 1] == "(" || words_[n - 1] == "simpleGrading")) continue;
      for (std::size_t axis = 1; axis <= 3; ++axis) counts_.push_back(n + axis);
      n += 4;
    }
    if (!counts_.empty()) cells_key_ = setting;
  };
  if (auto* const grid = files.find("system/gridDict"); grid && grid->contains("cells"))
    take(*grid, "cells", "system/gridDict:cells");
  else if (!grid)
    for (std::string const file : {"constant/polyMesh/blockMeshDict", "system/blockMeshDict"})
      if (cells_key_.empty() && files.exists(file)) take(files.open(file), "blocks", file + ":blocks");
}

std::vector<std::string> Scaled::with_steps(double steps) const {
  if (steps_key_.empty() || steps >= steps_) return {};
  double const value = steps_key_.starts_with("system/") ? begin_ + steps * delta_ : steps;
  return {fmt::format("{}={:.17g}", steps_key_, value)};
}

std::vector<std::string> Scaled::with_cells(double share) const {
  if (cells_key_.empty() || share >= 1) return {};
  auto words = words_;
  for (std::size_t const at : counts_)
    if (double const n = whole(words[at]); n > 1)
      words[at] = fmt::format("{:.0f}", std::max(2.0, std::round(n * share)));
  return {fmt::format("{}={}", cells_key_, fmt::join(words, " "))};
}

}  // namespace tessera::run
