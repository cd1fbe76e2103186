// SPDX-License-Identifier: Apache-2.0
// tessera._core: what the Python package `tessera` calls. Words and shapes that people use are made in the package; here
// arrays, dictionaries and errors go from one language to the other.
#include "core/error.hpp"
#include "core/report.hpp"
#include "core/times.hpp"
#include "core/version.hpp"
#include "io/readers/held.hpp"
#include "io/snapshot.hpp"
#include "python/bridge.pybind.hpp"
#include "run/run.hpp"

#include <memory>
#include <pybind11/stl.h>

namespace tessera::python {
namespace {

std::string text_everywhere(core::Comm const& comm, core::Report::Json const& json) {
  std::string text = comm.root() ? json.dump(-1, ' ', true, core::Report::Json::error_handler_t::replace) : "";
  comm.broadcast(text);
  return text;
}

py::dict run_case(std::string const& directory, std::vector<std::string> const& settings, std::string const& report,
                  std::string const& output, bool quiet, bool allow_code) {
  Turn const turn;
  int code = 0;
  std::string text;
  // the run itself compares case and settings
  call([] { return Arguments("run"); },
       [&](core::Comm const& comm) {
         core::times().restart();
         core::Report::Json found;
         code = run::run_case(comm, {.directory = directory,
                                     .settings = settings,
                                     .report = report,
                                     .quiet = quiet,
                                     .allow_code = allow_code,
                                     .output = output,
                                     .found = &found});
         text = text_everywhere(comm, found);
       });
  py::dict result;
  result["code"] = code;
  result["report"] = text;
  return result;
}

/// `texts`: dictionaries of a case by file; `arrays`: what it reads, by file, without gaps.
py::dict run_held(std::string const& name, std::map<std::string, std::string> const& texts,
                  std::map<std::string, py::array> const& arrays) {
  Turn const turn;
  run::CaseTexts dictionaries;
  for (auto const& [file, text] : texts) dictionaries[name + "/" + file] = text;
  std::vector<std::unique_ptr<io::HeldFile>> held;
  for (auto const& [file, array] : arrays)
    held.push_back(std::make_unique<io::HeldFile>(name + "/" + file,
                                                  io::HeldValues{array.data(), type_of(array), cells_of(array)}));
  std::vector<std::pair<std::string, py::array>> fields;
  run::TaskResult done;
  std::string text;
  auto const given = [&] {
    Arguments all(name);
    for (auto const& [file, words] : texts) all.add(file).add(words);
    for (auto const& [file, array] : arrays) all.add(file).add(array);
    return all;
  };
  call(given, [&](core::Comm const& comm) {
    auto const take = [&](std::vector<core::FieldBase const*> const& found, core::Box const& box) {
      for (auto const* field : found) {
        std::byte* to = nullptr;
        {
          py::gil_scoped_acquire const acquire;
          fields.emplace_back(field->name(), array_for(field->element(), box.shape()));
          to = static_cast<std::byte*>(fields.back().second.mutable_data());
        }
        collect(*field, box, to);
      }
    };
    done = run::run_task(comm, {.directory = name, .settings = {}, .output = {}, .texts = &dictionaries, .take = take});
    text = text_everywhere(comm, done.report);
    comm.broadcast(done.log);
  });
  py::dict result, named;
  for (auto const& [field, array] : fields) named[py::str(field)] = array;
  result["code"] = done.code;
  result["failure"] = done.failure;
  result["report"] = text;
  result["log"] = done.log;
  result["fields"] = named;
  return result;
}

/// The fingerprint of an array as the field of a run: by this rank alone.
std::string hash_of(py::array const& array) {
  Turn const turn;
  world();
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells_of(array)));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm(MPI_COMM_SELF));
  io::HeldFile const held("<array>", {array.data(), type_of(array), cells_of(array)});
  auto const fill = [&]<class T>(core::Field<T>&& field) {
    io::distribute(io::open_rows("<array>").get(), field);
    return core::hash(field);
  };
  switch (io::open_rows("<array>")->element()) {
  case core::Element::uint8:
    return fill(core::Field<std::uint8_t>("hash", layout, 0));
  case core::Element::int32:
    return fill(core::Field<std::int32_t>("hash", layout, 0));
  case core::Element::int64:
    return fill(core::Field<std::int64_t>("hash", layout, 0));
  case core::Element::float32:
    return fill(core::Field<float>("hash", layout, 0));
  case core::Element::float64:
    break;
  }
  return fill(core::Field<double>("hash", layout, 0));
}

py::array read_rows(std::string const& path) {
  Turn const turn;
  world();
  auto source = io::open_rows(path);
  if (source->top_down()) source = io::turned(std::move(source));
  auto const n = source->cells();
  auto array = array_for(source->element(), {n[0], n[1], n[2]});
  auto* to = static_cast<std::byte*>(array.mutable_data());
  std::size_t const row = static_cast<std::size_t>(n[0]) * io::size_of(source->element());
  for (core::Count r = 0; r < n[1] * n[2]; ++r) source->next(1, {to + static_cast<std::size_t>(r) * row, row});
  return array;
}

py::dict read_snapshot(std::string const& file) {
  Turn const turn;
  world();
  auto const info = io::read_snapshot(file);
  std::vector<std::string> names;
  for (auto const& item : info.fields) names.push_back(item.name);
  py::dict result;
  result["step"] = info.step;
  result["time"] = info.time;
  result["cells"] = info.cells;
  result["faces"] = info.faces;
  result["fields"] = names;
  result["provenance"] = info.provenance;
  return result;
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "Tessera's library, as the package tessera calls it.";
  py::register_exception<core::RunError>(m, "RunError", PyExc_RuntimeError).attr("__module__") = "tessera";
  py::register_exception<core::Error>(m, "InputError", PyExc_ValueError).attr("__module__") = "tessera";
  m.attr("version") = core::version;
  m.def("run_case", &run_case);
  m.def("run_held", &run_held);
  m.def("read_rows", &read_rows);
  m.def("hash_of", &hash_of);
  m.def("read_snapshot", &read_snapshot);
  m.def("snapshots_in", [](std::string const& folder) { return io::snapshots_in(folder); });
  m.def("end_in_error", &end_in_error);
  m.def("rank", [] { return world().rank(); });
  m.def("ranks", [] { return world().size(); });
  add_heat(m);
  add_distance(m);
  py::module_::import("atexit").attr("register")(py::cpp_function(&end));
}

}  // namespace tessera::python
