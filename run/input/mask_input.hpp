// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/rows.hpp"
#include "run/model.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::run {

/// A picture (or any file that a reader reads) of two kinds of cells, as cases name it:
///   file "constant/medium.png"; occupied dark | light;
///   box ((0 0 0) (64 64 64));       of the file these cells alone, lo <= x < hi; all that follows is of them
/// and at most one of
///   threshold 0.5;                  a share: of the range of the file's type for integers (uint8: of 0 .. 255, int16: of
///                                   -32768 .. 32767), of the range of the file's own values for floating point
///   threshold otsu;                 what parts the file's values best in two (run/input/otsu.hpp)
///   level 21500;                    a value of the file
///   phase 2;  phases (1 2);         cells of these whole numbers are occupied; `occupied` is refused
/// A value is light if it is not below the limit. A file whose values are all 0 or 1 is a mask: the range is 0 .. 1 then,
/// whatever its type. NaN is never occupied; NaN and infinite values belong to no range.
class MaskInput {
 public:
  core::Grid::Shape cells{};               ///< of the file, or of its box
  core::Grid::Shape whole{};               ///< of the file
  std::optional<core::Box> box;            ///< the part of the file that is taken
  std::optional<io::Placement> placement;  ///< of the file

  /// Reads the entries and opens the file for its size. Throws core::Error with the place. Collective.
  MaskInput(Session& session, core::Dictionary& input);

  /// What messages call it: the file as the case names it.
  std::string const& name() const { return name_; }

  /// Streams the picture into `mask`, its bottom left cell at `at`: 1 where occupied, else 0. Cells outside the picture, and
  /// where `within` is 0, become 0 and have no part in ranges and limits. The limit used, type and range of the values, and NaN,
  /// go to the log and are returned for the report.
  /// Throws core::Error if the file is damaged or does not fit into the grid, if there is nothing to take a share of, or
  /// if the case gives no limit and all cells lie on one side of the default. Collective.
  core::Report::Json load(core::Field<std::uint8_t>& mask, core::Index at,
                          core::Field<std::uint8_t> const* within = nullptr) const;
  /// The same into states that lie with a store (core::RowStore), without a field of values, which the limit is looked for in: the file
  /// is read by the root for that, once more by `otsu`, before it is streamed. Cells outside the picture are left alone.
  core::Report::Json load_rows(core::Field<std::uint8_t>& states, core::Index at) const;
  /// Streams the values of the file themselves into `values`; cells outside the picture are left alone. Collective.
  void load_values(core::Field<double>& values, core::Index at) const;
  /// Calls f(value) for each cell, on the root, without a field; what f throws is thrown on all ranks. Collective.
  void for_each_value(core::Comm const& comm, std::function<void(double)> const& f) const;

 private:
  void read_box();
  std::unique_ptr<io::RowSource> open(core::Comm const& comm) const;
  enum class By { share, otsu, level, phases };
  struct Seen;
  struct Limit;
  template <class T>
  core::Report::Json load_as(io::RowSource* source, io::StoredType const& type, core::Field<T>& value,
                             core::Field<std::uint8_t>& mask, core::Index at,
                             core::Field<std::uint8_t> const* within) const;
  struct Found;
  template <class Histogram>
  Limit limit_of(Seen const& seen, io::StoredType const& type, bool whole_numbers, Histogram const& histogram) const;
  template <class Histogram>
  Found find(Seen const& seen, io::StoredType const& type, bool whole_numbers, Histogram const& histogram) const;
  core::Report::Json tell(Found found, Seen const& seen, io::StoredType const& type, std::int64_t occupied,
                          core::Count cells) const;

  std::string name_, file_;
  By by_ = By::share;
  bool given_ = false;  ///< the limit, by the case
  double number_ = 0.5;
  std::vector<std::int64_t> phases_;
  bool dark_ = true;
  core::Dictionary const* input_;
  Log* log_;
};

}  // namespace tessera::run
