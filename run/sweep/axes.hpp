// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::run {

/// What a sweep varies: a name and the values it takes, as texts.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  bool samples = false;     ///< the values number equal attempts with other random numbers
  bool files = false;       ///< the values are files of the case
  std::int64_t group = -1;  ///< axes of one group take their values together
  std::string where = {};   ///< FILE:LINE
};

/// One value of each axis, in the order of the axes.
using Point = std::vector<std::string>;

/// The axes of a sweep and what they set in its case.
class Axes {
 public:
  /// Reads `axes`, `together` and `settings`. Patterns of `files` are looked for in the case. `own`: names of axes that mean
  /// something without being in a setting; with them there may be no settings. Throws core::Error.
  Axes(core::Dictionary& dictionary, std::string const& directory, std::vector<std::string> const& own = {});

  std::vector<Axis> const& all() const { return axes_; }
  Axis const& at(std::size_t n) const { return axes_[n]; }
  /// The place of an axis, -1 where none has that name.
  int find(std::string_view name) const;
  /// The axis of samples, -1 where there is none.
  int samples() const;
  /// Whether a setting holds the name of an axis.
  bool sets(std::string const& name) const;
  /// Throws core::Error for a setting of the command line that sets an entry which tasks set, too.
  void check_beside(std::vector<std::string> const& given) const;
  /// The same for a setting that the program gives each task.
  void check_free(std::string const& given) const;
  /// A line an axis for the log: what was taken.
  std::vector<std::string> told() const;

  /// All points: the last axis changes fastest.
  std::vector<Point> points() const;
  /// `L=64 p=0.59 seed=3`.
  std::string name(Point const& point) const;
  /// What determines a task, whatever the axes are called: its settings.
  std::string key(Point const& point) const;
  /// The files of the case that a point names, as they are now (input_stamp).
  std::map<std::string, std::string> inputs(Point const& point) const;
  /// Whether a file of the case lies where an axis of files has its own.
  bool varies(std::string const& file) const;
  /// FILE:entry.path=value of a point.
  std::vector<std::string> settings(Point const& point) const;
  /// Adds the settings of a point to those of a task, with their places: the line of the first axis that one holds, with the
  /// values of all of them.
  void set(Point const& point, TaskOptions& task) const;

 private:
  std::vector<Axis> axes_;
  std::string directory_;
  std::vector<std::string> settings_, places_;  ///< of each setting FILE:LINE
};

/// Throws core::Error for an axis that is called as a column which the tables have anyway. `axes`: the entry that has it.
[[noreturn]] void refuse_column(core::Dictionary const& axes, std::string const& name);

}  // namespace tessera::run
