// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// A number that depends on another one (time, temperature): OpenFOAM's Function1<scalar>.
///
///   constant    v                     also a plain number, `uniform v`, `constant v`
///   table       ((x v) ...)           linear between, x ascending; `table ((x v) ...)` or { type table; values (...); }
///   tableFile   { file "..."; }       a list ((x v) ...) in a file, beside the dictionary's file unless absolute
///   csvFile     { file "..."; nHeaderLine; refColumn; componentColumns (N); separator ","; mergeSeparators; }   x and v
///               in columns of numbers; blank lines are passed over
///   polynomial  ((c e) ...)           sum c x^e
///   sine        { amplitude; frequency; scale 1; level 0; t0 0; }   scale amplitude sin(2 pi frequency (x - t0)) + level
///   square      { ...; markSpace 1; }                               scale amplitude (+1 or -1) + level
/// amplitude, frequency, scale and level may be functions of x themselves, and are read in all these forms (v1912 writes
/// `amplitude constant 10;`). The settings of a type stand in `KEY { type TYPE; ... }`, or after `KEY TYPE;` in KEYCoeffs;
/// those of sine, square, tableFile, csvFile, and the outOfBounds of `KEY table (...)`, also beside KEY, as v1912 writes them.
/// `outOfBounds` of a table: clamp (default), warn (as clamp), error, repeat.
class Function1 {
 public:
  Function1(double constant = 0) : values_{{0, constant}} {}
  /// Reads the entry. Throws core::Error with file and line; other types are refused by name. `reader` reads table files.
  static Function1 read(core::Dictionary const& dictionary, std::string_view key,
                        core::Dictionary::Reader const& reader = {});

  /// The same of an entry whose dimensions nobody compares: refused.
  static Function1 read_bare(core::Dictionary const& dictionary, std::string_view key,
                             core::Dictionary::Reader const& reader);

  /// Throws core::Error outside a table with outOfBounds error.
  double operator()(double x) const;
  /// The same at each x; for many of them in a row.
  void evaluate(std::span<double const> x, std::span<double> values) const;
  /// How far from x, up to `end`, one step may go: what lies between is nearly on the line from there to here. A step meets a
  /// table's point where the table departs from that line by more than a hundredth of its range, ends just before a square
  /// jumps, and at each quarter of a sine's period.
  double step_end(double x, double end) const;
  bool constant() const { return type_ == Type::table && values_.size() == 1; }
  /// The same function times a factor.
  Function1 scaled(double factor) const;

 private:
  enum class Type { table, polynomial, sine, square };
  enum class Bounds { clamp, error, repeat };
  static Function1 read(core::Dictionary const& dictionary, std::string_view key,
                        core::Dictionary::Reader const& reader, bool beside);
  void read_settings(core::Dictionary const& settings, std::string_view key, std::string const& type,
                     core::Dictionary::Reader const& reader);
  void read_bounds(core::Dictionary const& settings);
  void read_table(core::TokenStream in);
  void set_table(std::vector<std::pair<double, double>> rows);
  double in_table(double x) const;
  double on_line(std::size_t above, double x) const;
  double step_end_of_table(double x, double end) const;
  double step_end_of_wave(double x, double end) const;

  Type type_ = Type::table;
  Bounds bounds_ = Bounds::clamp;
  std::vector<std::pair<double, double>> values_;  // of a table (x, v), of a polynomial (coefficient, exponent)
  enum Part { amplitude, frequency, scale, level };
  double range_ = 0;              // of a table, from its least to its largest value
  std::vector<Function1> parts_;  // of sine and square, by Part
  double t0_ = 0, mark_space_ = 1;
  double factor_ = 1;
  std::string where_;
};

/// Whether a place lies behind x by more than the rounding of times, and one before `place` that does so no more.
bool lies_behind(double place, double x);
double just_before(double place, double x);

}  // namespace tessera::io::foam
