// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "core/registry.hpp"
#include "core/times.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/control.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/mesh.hpp"
#include "io/foam/time_control.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// A quantity that function objects can look at.
struct FunctionField {
  /// Values in the cells; nullptr for a quantity that lives on the boundary alone, such as a heat flux.
  core::Field<double> const* cells = nullptr;
  /// Value on the boundary face of `side` of an own cell (slot, k, j, i), on the host. Empty: that of the cell.
  std::function<double(core::Side side, int slot, int k, int j, int i)> face = {};
  Dimensions dimensions = {};
  /// boundaryField of a file, where the quantity has conditions of its own. Empty: its values there, of type
  /// calculated.
  std::function<std::string()> boundary = {};
  bool automatic = false;  ///< the application itself writes it where results are written
  /// Of a vector, which has no values of its own: three quantities in cells. Only writeObjects takes vectors.
  std::vector<FunctionField> components = {};

  double at_face(core::Side side, int slot, int k, int j, int i) const {
    return face ? face(side, slot, k, j, i) : cells->host()(slot, k, j, i);
  }
};

/// The time directories of a run, as function objects use them.
struct TimeDirectories {
  /// Writes a field into that of a step, with uniform/time. Empty where the run writes none (no writeFormat).
  /// Collective.
  std::function<void(std::string const& name, FunctionField const& field, StepTime const& now)> write = {};
  /// A field of the one that the run begins with; none where there is no such file. Collective.
  std::function<std::optional<FieldFile>(std::string const& name)> read = {};
  /// What function objects left there in uniform/functionObjects/functionObjectProperties; nullptr: nothing.
  core::Dictionary const* properties = nullptr;
};

/// What function objects see of a run. The application keeps it current; it must outlive them.
struct FunctionContext {
  core::Layout const* layout;  ///< of the fields; another one, of the same grid, after tiles have moved
  Mesh const& mesh;
  CellSets const& sets;
  Control const& control;
  std::string folder;                           ///< CASE/postProcessing
  std::map<std::string, FunctionField> fields;  ///< by name: T, DT ...; wallHeatFlux on the boundary [W/m^2], inwards
  std::vector<core::SolveRecord> solves = {};   ///< of the last step, in their order
  TimeDirectories directories = {};
  /// Called before objects look at a step: forms quantities that nobody else needs. Collective.
  std::function<void()> refresh = {};
};

/// Text that a function object gives: equal on all ranks, written by the root.
class FunctionOutput {
 public:
  /// Appends to the file CASE/postProcessing/NAME/FILE, which the run makes anew at first. A run that goes on from
  /// another one keeps the rows of START/FILE (START: name of the time at which the first of them began) up to there,
  /// and lines that begin with # are written only where the file is new.
  void append(std::string const& file, std::string const& text) { files_[file] += text; }
  void log(std::string const& text) { log_ += text; }
  /// What the object goes on from, as the body of its entry in TIME/uniform/functionObjects/functionObjectProperties.
  void properties(std::string text) { properties_ = std::move(text); }

  std::map<std::string, std::string> const& files() const { return files_; }
  std::string const& log() const { return log_; }
  std::string const& properties() const { return properties_; }

 private:
  std::map<std::string, std::string> files_;
  std::string log_, properties_;
};

/// What an entry `NAME { type TYPE; ... }` of `functions` in controlDict is made from.
struct FunctionEntry {
  std::string const& name;
  core::Dictionary& dictionary;
  FunctionContext const& context;
};

/// Looks at the fields of a run and writes down numbers, in OpenFOAM's files and formats (v1912). Numbers have the same
/// bits on any number of ranks. The constructor reads the object's own keys and throws core::Error with file and line
/// for what is wrong or not there.
class FunctionObject {
 public:
  static constexpr std::string_view kind = "function object";
  virtual ~FunctionObject() = default;
  /// Whether `execute` does anything.
  virtual bool executes() const { return false; }
  /// At each step that executeControl or writeControl asks for: the state after the step `now`. Collective.
  virtual void execute(StepTime const& now) { (void)now; }
  /// At each that writeControl asks for, after `execute`. Collective.
  virtual void write(StepTime const& now, FunctionOutput& output) = 0;

  /// Quantities that the object makes, for those that come after it.
  virtual std::map<std::string, FunctionField> fields() const { return {}; }
  /// Names of files that it writes into time directories.
  virtual std::vector<std::string> written() const { return {}; }
  /// Fields that it goes on from: snapshots hold them, and a run that goes on fills them before `resume`.
  virtual std::vector<core::FieldBase*> kept() { return {}; }
  /// What it goes on from besides, in one line; "" for nothing. Collective.
  virtual std::string state() const { return {}; }
  virtual void resume(std::string const& state) { (void)state; }
  /// Its tiles go to the layout `next`; the context still has the old one. Collective.
  virtual void move_to(core::Layout const& next) { (void)next; }
};

/// Function objects by their `type`.
using FunctionObjects = core::Registry<FunctionObject, FunctionEntry const&>;

/// The function objects of a case, with the times at which each is due: writeControl timeStep (default) | writeTime |
/// runTime | adjustableRunTime | onEnd | none, writeInterval, timeStart, timeEnd; `log yes` (default): what they find is
/// also written to the log.
class FunctionList {
 public:
  /// Makes those that `control.functions` names. Throws core::Error, also for keys that nobody reads. Collective.
  /// The context gets the quantities that they make.
  FunctionList(Control const& control, FunctionContext& context);
  ~FunctionList();
  bool empty() const;
  /// To be called after every step. Writes the files; returns the text for the log, which follows ExecutionTime there.
  /// Throws core::RunError on all ranks when a file cannot be written. Collective.
  std::string execute(StepTime const& now);

  std::vector<std::string> written() const;
  std::vector<core::FieldBase*> kept() const;
  void move_to(core::Layout const& next);

  /// What a restart needs besides `kept`, and going on with it at `time`, before the first step: files keep their rows
  /// up to that time.
  std::string state() const;
  void resume(std::string const& state, double time);

 private:
  struct Item;
  void append(Item& item, std::string const& file, std::string text) const;
  /// The rows that a run which goes on keeps of a file; "" where there are none.
  std::string rows_kept(std::string const& file, std::string const& path) const;
  void write_properties(StepTime const& now) const;

  FunctionContext const& context_;
  std::vector<Item> objects_;
  std::map<std::string, std::string> properties_;  ///< by the objects' names, as they were written last
  std::optional<double> resumed_at_;               ///< time of the last row kept, as files name it
};

}  // namespace tessera::io::foam
