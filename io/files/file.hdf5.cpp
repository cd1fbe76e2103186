// SPDX-License-Identifier: Apache-2.0
#include "io/files/file.hdf5.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::io::hdf5 {

// what is opened is closed where it was opened; at the end HDF5 would only complain of files that it found damaged
[[maybe_unused]] static herr_t const no_exit = H5dont_atexit();

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

void limit_time(std::uint64_t seconds) {
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = seconds == 0 ? limit.rlim_max : std::min<rlim_t>(seconds, limit.rlim_max);
  setrlimit(RLIMIT_CPU, &limit);
}

bool survives(std::function<void()> const& f) {
  pid_t const child = fork();
  if (child < 0) return true;
  if (child == 0) {
    // no reports of crashes from MPI's handlers, no core file, no endless loop
    for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGXCPU, SIGALRM})
      std::signal(signal, SIG_DFL);
    rlimit const none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit_time(10);
    int const silent = open("/dev/null", O_WRONLY | O_CLOEXEC);  // what the C library says of a broken heap
    if (silent >= 0) dup2(silent, STDERR_FILENO);
    try {
      f();
    } catch (...) {  // what is wrong is said by who tries again
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status);
}

std::string reason() {
  std::string text;
  auto const keep_last = [](unsigned, H5E_error2_t const* error, void* data) -> herr_t {
    if (error->desc != nullptr && *error->desc != '\0') *static_cast<std::string*>(data) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

hid_t memory_type(core::Element element) {
  switch (element) {
  case core::Element::uint8:
    return H5T_NATIVE_UINT8;
  case core::Element::int32:
    return H5T_NATIVE_INT32;
  case core::Element::int64:
    return H5T_NATIVE_INT64;
  case core::Element::float32:
    return H5T_NATIVE_FLOAT;
  case core::Element::float64:
    break;
  }
  return H5T_NATIVE_DOUBLE;
}

hid_t file_type(core::Element element) {
  switch (element) {
  case core::Element::uint8:
    return H5T_STD_U8LE;
  case core::Element::int32:
    return H5T_STD_I32LE;
  case core::Element::int64:
    return H5T_STD_I64LE;
  case core::Element::float32:
    return H5T_IEEE_F32LE;
  case core::Element::float64:
    break;
  }
  return H5T_IEEE_F64LE;
}

Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(length, 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

namespace {

void write_numbers(hid_t object, char const* name, hid_t on_disk, hid_t in_memory, void const* values,
                   std::size_t count) {
  hsize_t const n = count;
  Handle const space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr), H5Sclose);
  Handle const attribute(H5Acreate2(object, name, on_disk, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  checked(hid_t{attribute}, "an attribute cannot be made");
  checked(H5Awrite(attribute, in_memory, values), "an attribute cannot be written");
}

bool read_numbers(hid_t object, char const* name, hid_t in_memory, void* values, std::size_t count) {
  if (H5Aexists(object, name) <= 0) return false;
  Handle const attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) return false;
  Handle const space(H5Aget_space(attribute), H5Sclose), type(H5Aget_type(attribute), H5Tclose);
  if (!space.ok() || !type.ok() || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count)) return false;
  auto const kind = H5Tget_class(type);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Aread(attribute, in_memory, values) >= 0;
}

}  // namespace

void write_attribute(hid_t object, char const* name, std::string const& text) {
  Handle const type = text_type(text.size()), space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle const attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  checked(hid_t{attribute}, "an attribute cannot be made");
  checked(H5Awrite(attribute, type, text.c_str()), "an attribute cannot be written");
}

void rewrite_attribute(hid_t object, char const* name, std::string const& text) {
  Handle const type = text_type(text.size());
  Handle const attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  checked(hid_t{attribute}, "an attribute cannot be opened");
  checked(H5Awrite(attribute, type, text.c_str()), "an attribute cannot be written");
}

void write_attribute(hid_t object, char const* name, std::span<double const> values) {
  write_numbers(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size());
}

void write_attribute(hid_t object, char const* name, std::span<std::int64_t const> values) {
  write_numbers(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data(), values.size());
}

std::string read_text(hid_t object, char const* name) {
  if (H5Aexists(object, name) <= 0) return {};
  Handle const attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) return {};
  Handle const type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  bool const plain = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  if (!plain || H5Sget_simple_extent_npoints(space) != 1 || H5Tget_size(type) > 65536) return {};
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  return text;
}

bool read_numbers(hid_t object, char const* name, std::span<double> values) {
  return read_numbers(object, name, H5T_NATIVE_DOUBLE, values.data(), values.size());
}
bool read_numbers(hid_t object, char const* name, std::span<std::int64_t> values) {
  return read_numbers(object, name, H5T_NATIVE_INT64, values.data(), values.size());
}

Handle make_group(hid_t parent, char const* name) {
  Handle group(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  checked(hid_t{group}, "a group cannot be made");
  return group;
}

Handle make_dataset(hid_t parent, char const* name, hid_t type, hid_t space) {
  Handle const properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_layout(properties, H5D_CONTIGUOUS);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);  // every value is written anyway
  H5Pset_obj_track_times(properties, false);          // no dates: equal content, equal bytes
  H5Pset_create_intermediate_group(links, 1);
  Handle dataset(H5Dcreate2(parent, name, type, space, links, properties, H5P_DEFAULT), H5Dclose);
  checked(hid_t{dataset}, "a dataset cannot be made");
  return dataset;
}

Handle make_field(hid_t fields, core::FieldInfo const& info, core::Element element, core::Grid::Shape cells,
                  std::string const& hash) {
  std::array<hsize_t, 3> const shape{static_cast<hsize_t>(cells[2]), static_cast<hsize_t>(cells[1]),
                                     static_cast<hsize_t>(cells[0])};
  Handle const space(H5Screate_simple(3, shape.data(), nullptr), H5Sclose);
  Handle dataset = make_dataset(fields, info.name.c_str(), file_type(element), space);
  write_attribute(dataset, "units", info.units);
  write_attribute(dataset, "dimensions", info.dimensions);
  write_attribute(dataset, "description", info.description);
  if (!hash.empty()) write_attribute(dataset, "hash", hash);
  return dataset;
}

void write_text(hid_t parent, char const* name, std::string const& text) {
  Handle const type = text_type(text.size()), space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle const dataset = make_dataset(parent, name, type, space);
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), "a text cannot be written");
}

std::string read_text_dataset(hid_t parent, char const* name) {
  Handle const dataset(H5Dopen2(parent, name, H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) return {};
  Handle const type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  bool const plain = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  if (!plain || H5Sget_simple_extent_npoints(space) != 1 || H5Dget_storage_size(dataset) != H5Tget_size(type))
    return {};
  std::string text(H5Tget_size(type), '\0');
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) return {};
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  return text;
}

void write_grid(hid_t file, core::Grid const& grid, core::Box const& region) {
  Handle const group = make_group(file, "grid");
  std::array<core::Count, 3> const lo{region.lo.i, region.lo.j, region.lo.k}, hi{region.hi.i, region.hi.j, region.hi.k};
  std::array<std::int64_t, 3> cells;
  std::array<double, 3> origin, spacing;
  bool uniform = true;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(static_cast<int>(a));
    cells[a] = hi[a] - lo[a];
    origin[a] = axis.face(lo[a]);
    spacing[a] = (axis.face(hi[a]) - origin[a]) / static_cast<double>(cells[a]);
    uniform = uniform && axis.uniform();
  }
  write_attribute(group, "cells", cells);
  write_attribute(group, "origin", origin);
  write_attribute(group, "spacing", spacing);  // on a graded grid the mean
  if (uniform) return;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const faces = grid.axis(static_cast<int>(a)).faces(lo[a], hi[a]);
    hsize_t const n = faces.size();
    Handle const space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    Handle const dataset = make_dataset(group, std::array{"x", "y", "z"}[a], H5T_IEEE_F64LE, space);
    checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, faces.data()),
            "the grid cannot be written");
  }
}

// an attribute lies in the header of its object, in a message of 64 KiB at most
constexpr std::size_t longest_attribute = 32768;

void write_state(hid_t file, std::int64_t step, double time, std::map<std::string, std::string> const& texts) {
  Handle const group = make_group(file, "state");
  write_attribute(group, "step", std::span<std::int64_t const>(&step, 1));
  write_attribute(group, "time", std::span<double const>(&time, 1));
  for (auto const& [name, text] : texts)
    text.size() > longest_attribute ? write_text(group, name.c_str(), text)
                                    : write_attribute(group, name.c_str(), text);
}

std::map<std::string, std::string> read_texts(hid_t object) {
  std::vector<std::string> names;
  auto const add = [](hid_t, char const* name, H5A_info_t const*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->push_back(name);
    return 0;
  };
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
  std::map<std::string, std::string> texts;
  for (auto const& name : names)
    if (auto text = read_text(object, name.c_str()); !text.empty()) texts[name] = std::move(text);
  return texts;
}

}  // namespace tessera::io::hdf5
