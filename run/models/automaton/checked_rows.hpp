// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "core/error.hpp"
#include "io/files/values.hpp"
#include "io/rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera::run::automaton {

/// The values that a cell of an automaton can have: whole numbers where its states are of an integer type T, up to those of
/// its rule; what is not too large where T is floating point.
template <class T>
struct Values {
  std::string rule;
  double lo = 0, hi = 0;

  explicit Values(ca::Automaton const& automaton) : rule(automaton.rule()) {
    if constexpr (std::is_integral_v<T>) {
      lo = static_cast<double>(std::numeric_limits<T>::lowest());
      hi = static_cast<double>(std::numeric_limits<T>::max());
      if (automaton.states() > 0) {
        lo = 0;
        hi = std::min(hi, static_cast<double>(automaton.states() - 1));
      }
    }
  }
  bool holds(double value) const {
    if constexpr (std::is_integral_v<T>)
      return value >= lo && value <= hi && value == std::floor(value);
    else
      return !std::isfinite(value) || std::isfinite(static_cast<T>(value));
  }
  std::string text() const {
    if constexpr (std::is_integral_v<T>)
      return fmt::format("rule '{}' has states {} .. {}", rule, lo, hi);
    else
      return fmt::format("rule '{}' has numbers up to {}", rule, std::numeric_limits<T>::max());
  }
};

/// The rows of a file that is to be an automaton's start, whose values its rule must hold: nothing is rounded or cut.
template <class T>
class CheckedRows final : public io::RowSource {
 public:
  /// `name`: of the file in messages; `at`: its place in the grid.
  CheckedRows(std::unique_ptr<io::RowSource> source, std::string name, core::Index at, ca::Automaton const& automaton)
      : source_(std::move(source)),
        name_(std::move(name)),
        at_(at),
        values_(automaton) {}

  core::Grid::Shape cells() const override { return source_->cells(); }
  core::Element element() const override { return source_->element(); }
  bool top_down() const override { return source_->top_down(); }
  bool turn() override { return source_->turn(); }
  std::string name() const override { return source_->name(); }
  std::string rule() const override { return source_->rule(); }
  std::uint64_t checksum() const override { return source_->checksum(); }
  void check(std::uint64_t sum) const override { source_->check(sum); }
  bool seek(core::Count row) override {
    bool const can = source_->seek(row);
    if (can) row_ = row;
    return can;
  }
  void next(core::Count rows, std::span<std::byte> bytes) override {
    source_->next(rows, bytes);
    io::visit_values(element(), bytes, [this](auto values) { look(values); });
    row_ += rows;
  }

 private:
  template <class F>
  void look(std::span<F const> values) const {
    if constexpr (!std::is_integral_v<T>) return;
    if constexpr (std::is_same_v<F, std::uint8_t>) {  // a pass in vectors
      auto const most = static_cast<std::uint8_t>(std::min(values_.hi, 255.0));
      std::uint8_t more = 0;
      for (F const value : values) more = static_cast<std::uint8_t>(more | (value > most));
      if (more == 0) return;
    }
    auto const wrong = std::find_if_not(values.begin(), values.end(),
                                        [&](F value) { return values_.holds(static_cast<double>(value)); });
    if (wrong != values.end()) fail(wrong - values.begin(), static_cast<double>(*wrong));
  }

  [[noreturn]] void fail(core::Count n, double value) const {
    auto const c = cells();
    core::Count const row = row_ + n / c[0], j = row % c[1];
    core::Index const x = at_ + core::Index{n % c[0], top_down() ? c[1] - 1 - j : j, row / c[1]};
    throw core::Error(name_, 0,
                      fmt::format("has state {} for cell ({} {} {}), but {}", value, x.i, x.j, x.k, values_.text()));
  }

  std::unique_ptr<io::RowSource> source_;
  std::string name_;
  core::Index at_;
  Values<T> values_;
  core::Count row_ = 0;  // next
};

}  // namespace tessera::run::automaton
