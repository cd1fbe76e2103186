// SPDX-License-Identifier: Apache-2.0
#include "io/files/part_file.hpp"
#include "io/files/types.hpp"
#include "io/writer.hpp"

#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

/// An array for numpy.load, of shape (nz, ny, nx), or (ny, nx) of one layer; y upwards, little-endian, C order. Version 1.0
/// of numpy's format.
class Npy final : public RowSink {
 public:
  Npy(std::string const& file, RowFormat const& format)
      : name_(file),
        element_(format.element),
        type_(detail::raw_type(format.type, format.element, file)),
        out_(file) {
    auto const [nx, ny, nz] = format.cells;
    std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}, {}), }}",
                                     type_.bytes == 1 ? '|' : '<', type_.name[0], type_.bytes,
                                     nz > 1 ? std::to_string(nz) + ", " : "", ny, nx);
    // the values begin at a multiple of 64 bytes: eight of the beginning, two of the header's length, the end of its line
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::string beginning("\x93NUMPY\x01\0", 8);
    beginning += static_cast<char>(header.size() & 255);
    beginning += static_cast<char>(header.size() >> 8);
    out_.write(beginning + header);
  }

  void next(core::Count, std::span<std::byte const> values) override {
    detail::store(element_, values, type_, bytes_, name_);
    out_.write({reinterpret_cast<char const*>(bytes_.data()), bytes_.size()});
  }
  void finish() override { out_.finish(); }

 private:
  std::string name_;
  core::Element element_;
  detail::RawType type_;
  std::vector<std::byte> bytes_;
  detail::PartFile out_;
};

class NpyWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"npy"}; }
  std::vector<std::string> types() const override { return detail::raw_type_names(); }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Npy>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<NpyWriter>("npy", "array of numpy, (nz, ny, nx) or (ny, nx), y upwards");

}  // namespace
}  // namespace tessera::io::writers
