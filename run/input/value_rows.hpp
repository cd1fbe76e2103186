// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/files/values.hpp"
#include "io/rows.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::run {

/// The rows of a picture with 1 where its values are occupied, else 0.
template <class IsOccupied>
class MaskRows final : public io::RowSource {
 public:
  MaskRows(std::unique_ptr<io::RowSource> source, IsOccupied const& is_occupied)
      : source_(std::move(source)),
        is_occupied_(is_occupied) {}
  core::Grid::Shape cells() const override { return source_->cells(); }
  core::Element element() const override { return core::Element::uint8; }
  bool top_down() const override { return source_->top_down(); }
  std::string name() const override { return source_->name(); }
  std::uint64_t checksum() const override { return source_->checksum(); }
  void check(std::uint64_t sum) const override { source_->check(sum); }
  bool seek(core::Count row) override { return source_->seek(row); }
  void next(core::Count rows, std::span<std::byte> mask) override {
    values_.resize(mask.size() * io::size_of(source_->element()));
    source_->next(rows, values_);
    io::visit_values(source_->element(), values_, [&](auto values) {
      for (std::size_t n = 0; n < values.size(); ++n) mask[n] = std::byte{is_occupied_(values[n])};
    });
  }

 private:
  std::unique_ptr<io::RowSource> source_;
  IsOccupied is_occupied_;
  std::vector<std::byte> values_;
};

/// Calls f(values) for the rows of a file, one after the other.
template <class F>
void for_rows_of(io::RowSource& source, F const& f) {
  auto const n = source.cells();
  std::vector<std::byte> row(static_cast<std::size_t>(n[0]) * io::size_of(source.element()));
  for (core::Count j = 0; j < n[1] * n[2]; ++j) {
    source.next(1, row);
    io::visit_values(source.element(), row, f);
  }
}

}  // namespace tessera::run
