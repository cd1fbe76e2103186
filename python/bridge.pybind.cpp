// SPDX-License-Identifier: Apache-2.0
#include "python/bridge.pybind.hpp"

#include "core/comm/runtime.hpp"
#include "core/comm/signals.hpp"
#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "core/version.hpp"
#include "io/rows.hpp"
#include "run/guard/same_run.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::python {
namespace {

std::unique_ptr<core::Runtime>& runtime() {
  static std::unique_ptr<core::Runtime> one;
  return one;
}

volatile std::sig_atomic_t interrupted = 0;

extern "C" void ask_to_end(int) {
  interrupted = 1;
  std::raise(SIGTERM);
}

/// While one lives, Ctrl-C asks the run to end after its step, as SIGTERM does; the second Ctrl-C ends the process.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction ask {};
    ask.sa_handler = ask_to_end;
    ask.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigemptyset(&ask.sa_mask);
    interrupted = 0;
    sigaction(SIGINT, &ask, &before_);
  }
  ~Interruptible() { sigaction(SIGINT, &before_, nullptr); }

 private:
  core::SignalCatcher catcher_;
  struct sigaction before_ {};
};

bool turn_taken = false;  // by who holds Python's lock

/// The cells of the box, all of which this rank has.
void copy_cells(core::FieldBase const& field, core::Box const& box, std::byte* to) {
  core::Layout const& layout = field.layout();
  core::Index const n = box.shape();
  core::visit(field, [&]<class T>(core::Field<T> const& f) {
    core::for_each_tile_on_host(
        "copy", layout, [&, all = reinterpret_cast<T*>(to), rows = core::RowReader(f)](int slot) {
          auto values = rows;
          core::TileInfo const& tile = layout.info(slot);
          core::Box const part = core::intersect(box, layout.grid().tile_box(tile.tile));
          if (part.empty()) return;
          for (auto k = part.lo.k; k < part.hi.k; ++k)
            for (auto j = part.lo.j; j < part.hi.j; ++j)
              std::copy_n(
                  values.row(slot, static_cast<int>(k - tile.k0), static_cast<int>(j - tile.j0)) + part.lo.i - tile.i0,
                  part.hi.i - part.lo.i, all + ((k - box.lo.k) * n.j + j - box.lo.j) * n.i + part.lo.i - box.lo.i);
        });
  });
}

}  // namespace

core::Comm const& world() {
  static char name[] = "tessera";
  static char* arguments[] = {name, nullptr};
  static int count = 1;
  static char** values = arguments;
  if (!runtime()) runtime() = std::make_unique<core::Runtime>(count, values);
  return runtime()->world();
}

void end() { runtime().reset(); }

void end_in_error() {
  if (runtime() && runtime()->world().size() > 1) runtime()->end_job(core::Exit::failed);
}

Turn::Turn() {
  if (std::exchange(turn_taken, true)) throw core::RunError("another thread is running Tessera: one call at a time");
}

Turn::~Turn() { turn_taken = false; }

Arguments& Arguments::add(std::string_view text) {
  digest_.add(text);
  digest_.separate();
  return *this;
}

Arguments& Arguments::add(double number) { return add(fmt::format("{}", number)); }

Arguments& Arguments::add(py::array const& array) {
  add(type_of(array));
  for (py::ssize_t a = 0; a < array.ndim(); ++a) add(std::to_string(array.shape(a)));
  std::string_view const bytes(static_cast<char const*>(array.data()), static_cast<std::size_t>(array.nbytes()));
  return add(std::to_string(std::hash<std::string_view>()(bytes)));  // eight bytes at a time
}

void call(std::function<Arguments()> const& given, std::function<void(core::Comm const&)> const& work) {
  core::Comm const& comm = world();
  std::string const digits = comm.size() > 1 ? given().digits() : "";
  int signal = 0;
  {
    Interruptible const interruptible;
    py::gil_scoped_release const release;
    runtime()->call([&] {
      run::require_same_run(comm, core::version, digits, "other arrays or arguments", "those");
      work(comm);
    });
    signal = core::SignalCatcher::caught();
  }
  if (interrupted != 0) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (signal != 0) std::raise(signal);  // it was meant for the process
}

std::string type_of(py::array const& array) {
  auto const type = array.dtype();
  if (type.kind() == 'b') return "bool";
  char const* const kind = type.kind() == 'u' ? "uint" : type.kind() == 'i' ? "int" : "float";
  return kind + std::to_string(8 * type.itemsize());
}

core::Grid::Shape cells_of(py::array const& array) {
  core::Grid::Shape cells{1, 1, 1};
  for (py::ssize_t a = 0; a < array.ndim(); ++a) cells[static_cast<std::size_t>(array.ndim() - 1 - a)] = array.shape(a);
  return cells;
}

py::array array_for(core::Element element, core::Index shape) {
  static char const* const names[] = {"u1", "i4", "i8", "f4", "f8"};
  return {py::dtype(names[static_cast<int>(element)]), std::vector<py::ssize_t>{shape.k, shape.j, shape.i}};
}

void collect(core::FieldBase const& field, core::Box const& box, std::byte* to) {
  core::Comm const& comm = field.layout().comm();
  if (comm.size() == 1) return copy_cells(field, box, to);
  io::IntoMemory sink(to);
  io::gather(field, box, comm.root() ? &sink : nullptr);
  auto const bytes = static_cast<std::size_t>(box.cells()) * io::size_of(field.element());
  constexpr std::size_t most = std::size_t{1} << 24;
  for (std::size_t at = 0; at < bytes; at += most) {
    core::Bytes piece(to + at, to + std::min(bytes, at + most));
    comm.broadcast(piece);
    std::copy(piece.begin(), piece.end(), to + at);
  }
}

}  // namespace tessera::python
