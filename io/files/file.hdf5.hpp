// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "core/grid/field.hpp"

#include <hdf5.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// What reading and writing of HDF5 files share. Not for use outside of io.
namespace tessera::io::hdf5 {

/// An HDF5 object that is closed at the end of its scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }
  operator hid_t() const { return id_; }
  bool ok() const { return id_ >= 0; }
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing its errors, for a scope.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(Quiet const&) = delete;
  Quiet& operator=(Quiet const&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Runs f in a copy of this process (fork) and says whether that came to an end by itself within 10 s of processor time,
/// also by an exception. HDF5 does not survive some damaged files: what opens files of others tries it there first.
/// Cost: the copy of the page tables, some 10 ms a GB of memory in use. True where no process can be made.
///
/// Of files with damage that it survives, HDF5 1.10 keeps blocks of its own free lists, though no object is open
/// (H5Fget_obj_count is 0): it then says "infinite loop closing library" ("FL") when the program ends, and no more.
bool survives(std::function<void()> const& f);

/// Within `survives`: ends this process after so much processor time; 0: never.
void limit_time(std::uint64_t seconds);

/// Description of the last error: its origin, as HDF5 tells it.
std::string reason();

/// Types of values in memory and in files (little-endian, equal on all machines).
hid_t memory_type(core::Element element);
hid_t file_type(core::Element element);

/// Texts of UTF-8 of so many bytes, shorter ones filled up with zeros.
Handle text_type(std::size_t length);

/// Attributes of an object. Writing throws core::RunError, reading returns false or {} where there is none of that type.
void write_attribute(hid_t object, char const* name, std::string const& text);
void write_attribute(hid_t object, char const* name, std::span<double const> values);
void write_attribute(hid_t object, char const* name, std::span<std::int64_t const> values);
std::string read_text(hid_t object, char const* name);
/// Another text of the same length for an attribute: nothing in the file moves or grows.
void rewrite_attribute(hid_t object, char const* name, std::string const& text);
bool read_numbers(hid_t object, char const* name, std::span<double> values);
bool read_numbers(hid_t object, char const* name, std::span<std::int64_t> values);

/// Throws core::RunError with HDF5's reason unless id >= 0; returns id.
template <class Id>
Id checked(Id id, char const* what) {
  if (id >= 0) return id;
  throw core::RunError(std::string(what) + ": " + reason());
}

Handle make_group(hid_t parent, char const* name);

/// Contiguous dataset whose space is set aside in the file at once and not filled; groups on the way to it are made.
Handle make_dataset(hid_t parent, char const* name, hid_t type, hid_t space);

/// Dataset NAME in /fields of shape (nz, ny, nx) with the attributes units, dimensions, description and, if not empty, hash.
Handle make_field(hid_t fields, core::FieldInfo const& info, core::Element element, core::Grid::Shape cells,
                  std::string const& hash);

/// A text as a dataset.
void write_text(hid_t parent, char const* name, std::string const& text);
/// "" where there is none.
std::string read_text_dataset(hid_t parent, char const* name);

/// /grid of the part `region` of a grid: attributes cells, origin [m], spacing [m]; on a graded grid also the faces x, y, z.
void write_grid(hid_t file, core::Grid const& grid, core::Box const& region);

/// /state: step, time [s] and texts, each an attribute, or a dataset where it is too long for one.
void write_state(hid_t file, std::int64_t step, double time, std::map<std::string, std::string> const& texts);
/// All attributes of an object that are texts.
std::map<std::string, std::string> read_texts(hid_t object);

}  // namespace tessera::io::hdf5
