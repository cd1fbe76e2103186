// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/topics.hpp"
#include "core/registry.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/function1.hpp"
#include "solvers/heat/boundary.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tessera::run::heat {

/// What holds on one side of the grid, as a function of time.
struct SideCondition {
  std::function<solvers::Boundary(double time)> at;
  bool varies = false;
  /// What lies on the other side is another region, behind layers of this resistance [m2 K/W]; `at` is then for nobody.
  std::optional<double> layers = {};
  /// Of time, what `at` is made of: adjusted steps meet where these turn.
  std::vector<io::foam::Function1> functions = {};
  /// Where the faces have a temperature that the case gives over time: the `value` that time directories say of them.
  std::optional<io::foam::Function1> value = {};
  /// The faces' temperature follows from that of the cells, and OpenFOAM reads it as `value`: time directories have it.
  bool follows = false;

  static SideCondition constant(solvers::Boundary boundary) {
    return {[boundary = std::move(boundary)](double) { return boundary; }, false};
  }
  SideCondition&& following() && {
    follows = true;
    return std::move(*this);
  }
};

/// sum thickness / kappa of the entries `thicknessLayers` [m] and `kappaLayers` [W/(m K)], as OpenFOAM has them [m2
/// K/W]. Throws core::Error.
double resistance_of_layers(core::Dictionary const& dictionary);

/// The entry of a patch in 0/T, for its faces in one plane.
class PatchEntry {
 public:
  PatchEntry(core::Dictionary const& dictionary, io::foam::Mesh const& mesh, io::foam::Patch const& patch,
             io::foam::Patch::Plane const& plane, bool in_kelvin, core::Dictionary::Reader const& reader)
      : dictionary(dictionary),
        mesh_(mesh),
        patch_(patch),
        plane_(plane),
        in_kelvin_(in_kelvin),
        reader_(reader) {}

  core::Dictionary const& dictionary;
  /// A Function1 of time.
  io::foam::Function1 function(char const* key) const {
    return io::foam::Function1::read_bare(dictionary, key, reader_);
  }
  /// One value a face, or one for all where they are equal.
  solvers::FaceValues values(char const* key) const;
  /// The same, each from `least` to `most`. Throws core::Error with the entry's line for one that is not.
  solvers::FaceValues values(char const* key, double least, double most) const;
  /// The same of temperatures: core::Error for one below 0, where the equation is in kelvin.
  solvers::FaceValues temperatures(char const* key) const;
  /// make(value), a Boundary, of the Function1 `key` at each time.
  template <class Make>
  SideCondition in_time(char const* key, Make make) const {
    auto const f = function(key);
    return {[f, make](double time) { return make(f(time)); }, !f.constant(), {}, {f}};
  }
  /// A Function1 of time that is a temperature. One below 0, where the equation is in kelvin, is refused with the entry's line: here
  /// where it is constant, else by `at` when a step comes to it.
  struct Temperature {
    io::foam::Function1 function;
    std::function<double(double time)> at;
  };
  Temperature temperature(char const* key) const;
  /// make(T), a Boundary, of the temperature `key` at each time.
  template <class Make>
  SideCondition temperature_in_time(char const* key, Make make) const {
    auto const t = temperature(key);
    return {[at = t.at, make](double time) { return make(at(time)); }, !t.function.constant(), {}, {t.function}};
  }
  /// Passes over what OpenFOAM writes of the mixed condition that its own are made of. Throws core::Error for values that are no numbers.
  void pass_over_mixed() const;
  /// Of the whole patch [m2].
  double area() const;
  /// resistance_of_layers, 0 where there are none [m2 K/W].
  double layers() const { return dictionary.contains("thicknessLayers") ? resistance_of_layers(dictionary) : 0; }

 private:
  io::foam::Mesh const& mesh_;
  io::foam::Patch const& patch_;
  io::foam::Patch::Plane plane_;
  bool in_kelvin_;
  core::Dictionary::Reader const& reader_;
};

/// A boundary condition by the name of its type in 0/T: a file of conditions/.
class ConditionType {
 public:
  static constexpr std::string_view kind = "boundary condition";
  virtual ~ConditionType() = default;
  /// Throws core::Error with file and line.
  virtual SideCondition read(PatchEntry const& entry) const = 0;
  /// Whether it wants a conductivity, which laplacianFoam's equation has not.
  virtual bool is_in_watts() const { return false; }
};
using ConditionTypes = core::Registry<ConditionType>;

/// Tells `tessera help` of a type: `keys` as they stand in the entry.
bool tell_condition(std::string const& name, std::string const& doc, std::string const& keys);

/// Registers T, for a static variable.
template <class T>
bool add_condition(std::string const& name, std::string const& doc, std::string const& keys = {}) {
  return ConditionTypes::add<T>(name, doc) && tell_condition(name, doc, keys);
}

/// Reads the entry of a patch in 0/T for its faces in a plane. Values may be uniform or one a face. Types that are not
/// registered are refused by name, as are those in watts where the equation has no conductivity (`in_watts` false):
/// core::Error with file and line.
SideCondition read_side_condition(io::foam::FieldFile& file, io::foam::Mesh const& mesh, io::foam::Patch const& patch,
                                  io::foam::Patch::Plane const& plane, bool in_watts,
                                  core::Dictionary::Reader const& reader);

}  // namespace tessera::run::heat
