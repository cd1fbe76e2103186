// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/part_file.hpp"
#include "io/files/types.hpp"
#include "io/writer.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

/// FILE.raw: the values one after the other, little-endian, x fastest, then y from the bottom, then z; and FILE.mhd, a
/// MetaImage header that says so, with which the reader of that name, ParaView, ITK and Fiji open the values without
/// being told their size. An earlier header goes away before the values change, so that no header describes other ones.
class Raw final : public RowSink {
 public:
  Raw(std::string const& file, RowFormat const& format)
      : name_(file),
        header_(detail::header_of(checked(file))),
        element_(format.element),
        type_(detail::raw_type(format.type, format.element, file)),
        text_(header(file, format, type_)),
        out_(file) {}

  void next(core::Count, std::span<std::byte const> values) override {
    detail::store(element_, values, type_, bytes_, name_);
    out_.write({reinterpret_cast<char const*>(bytes_.data()), bytes_.size()});
  }
  void finish() override {
    std::remove(header_.c_str());
    out_.finish();
    detail::write_atomically(header_, text_);
  }

 private:
  /// The header names the file in one line.
  static std::string const& checked(std::string const& file) {
    if (file.find_first_of("\r\n") != std::string::npos)
      throw core::Error(file, 0, "has an end of line in its name, which its header cannot hold");
    return file;
  }
  static std::string header(std::string const& file, RowFormat const& format, detail::RawType const& type) {
    auto const& n = format.cells;
    std::string place;
    if (format.placement) {
      auto const& [spacing, origin] = *format.placement;
      place = fmt::format("Offset = {} {} {}\nElementSpacing = {} {} {}\n", origin[0] + spacing[0] / 2,
                          origin[1] + spacing[1] / 2, origin[2] + spacing[2] / 2, spacing[0], spacing[1], spacing[2]);
    }
    return fmt::format(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"
        "{}DimSize = {} {} {}\nElementType = {}\nElementDataFile = {}\n",
        place, n[0], n[1], n[2], type.meta, std::filesystem::path(file).filename().string());
  }

  std::string name_, header_;
  core::Element element_;
  detail::RawType type_;
  std::string text_;
  std::vector<std::byte> bytes_;
  detail::PartFile out_;
};

class RawWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"raw"}; }
  bool has_place() const override { return true; }
  std::vector<std::string> types() const override { return detail::raw_type_names(); }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Raw>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<RawWriter>("raw", "values one after the other, with a MetaImage header FILE.mhd beside them");

}  // namespace
}  // namespace tessera::io::writers
