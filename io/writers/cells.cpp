// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/part_file.hpp"
#include "io/files/values.hpp"
#include "io/writer.hpp"

#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

/// Plaintext pattern: a row a line from the top, . for 0 and O for 1. Other values are refused. Memory: one row.
class Cells final : public RowSink {
 public:
  Cells(std::string const& file, RowFormat const& format) : name_(checked(file, format)), format_(format), out_(file) {
    out_.write("!Name: " + one_line(format.name) + "\n");
    row_.resize(format.cells[0]);
  }

  bool top_down() const override { return true; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = row_.size() * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r) {
      detail::exactly<std::int64_t>(format_.element, values.subspan(static_cast<std::size_t>(r) * bytes, bytes), row_,
                                    name_);
      line_.clear();
      for (auto const value : row_) {
        if (value != 0 && value != 1)
          throw core::Error(name_, 0,
                            fmt::format("cannot hold the value {}, expected 0 or 1 (or the format .rle)", value));
        line_ += value == 0 ? '.' : 'O';
      }
      out_.write(line_ += '\n');
    }
  }
  void finish() override { out_.finish(); }

 private:
  static std::string const& checked(std::string const& file, RowFormat const& format) {
    if (format.cells[2] != 1)
      throw core::Error(file, 0, fmt::format("a pattern holds one layer, not {}", format.cells[2]));
    return file;
  }
  static std::string one_line(std::string text) {
    for (char& c : text)
      if (c == '\n' || c == '\r') c = ' ';
    return text;
  }

  std::string name_;
  RowFormat format_;
  std::vector<std::int64_t> row_;
  std::string line_;
  detail::PartFile out_;
};

class CellsWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"cells"}; }
  bool has_name() const override { return true; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Cells>(file, format);
  }
};

[[maybe_unused]] bool const added = Writers::add<CellsWriter>("cells", "plaintext pattern of . and O, two states");

}  // namespace
}  // namespace tessera::io::writers
