// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/digest.hpp"
#include "core/comm/comm.hpp"
#include "core/grid/field.hpp"

#include <functional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

namespace tessera::python {

namespace py = pybind11;

/// All ranks. MPI and Kokkos start with the first call, so that mpi4py may start MPI before.
core::Comm const& world();
/// Ends them.
void end();
/// Of a program that ends by an error: ends the other ranks, which may wait for this one. Nothing on one rank.
void end_in_error();

/// One call at a time: taken by a function that the package calls before it does anything else. Throws core::RunError where another
/// thread of Python has it.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;
};

/// What a function was called with, which is the same on all ranks.
class Arguments {
 public:
  explicit Arguments(std::string_view function) { add(function); }
  Arguments& add(std::string_view text);
  /// Type, shape and values; one without gaps.
  Arguments& add(py::array const& array);
  Arguments& add(double number);
  /// Digits that tell these from others.
  std::string digits() const { return digest_.digits(); }

 private:
  core::Digest digest_;
};

/// Runs work of the library on all ranks, other threads of Python going on meanwhile. Throws what it throws, core::Error on all ranks
/// where `given` differs, and KeyboardInterrupt after Ctrl-C, which asks a run in steps to end; a second Ctrl-C ends the process.
/// Cost of `given` on several ranks: a pass over the arrays.
void call(std::function<Arguments()> const& given, std::function<void(core::Comm const&)> const& work);

/// The name of an array's type in files: bool, uint8, float64 ...
std::string type_of(py::array const& array);
/// nx, ny, nz of an array (ny, nx) or (nz, ny, nx).
core::Grid::Shape cells_of(py::array const& array);
/// An array for the cells of a box, (nz, ny, nx).
py::array array_for(core::Element element, core::Index shape);
/// Puts all cells of the box into memory, on all ranks. Collective.
void collect(core::FieldBase const& field, core::Box const& box, std::byte* to);

/// The functions `heat` and `distance` of the module.
void add_heat(py::module_& module);
void add_distance(py::module_& module);

}  // namespace tessera::python
