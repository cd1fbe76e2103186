// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::run {

/// Calls f(span of T const) with values of an element type as they come from a file's rows (io::RowSource).
template <class F>
void visit_values(core::Element element, std::span<std::byte const> bytes, F const& f) {
  auto const as = [&]<class T>(std::type_identity<T>) {
    f(std::span<T const>(reinterpret_cast<T const*>(bytes.data()), bytes.size() / sizeof(T)));
  };
  switch (element) {
  case core::Element::uint8:
    return as(std::type_identity<std::uint8_t>{});
  case core::Element::int32:
    return as(std::type_identity<std::int32_t>{});
  case core::Element::int64:
    return as(std::type_identity<std::int64_t>{});
  case core::Element::float32:
    return as(std::type_identity<float>{});
  case core::Element::float64:
    break;
  }
  as(std::type_identity<double>{});
}

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
    visit_values(source_->element(), values_, [&](auto values) {
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
    visit_values(source.element(), row, f);
  }
}

}  // namespace tessera::run
