// SPDX-License-Identifier: Apache-2.0
#include "io/foam/turned_block.hpp"

#include "io/files/together.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace tessera::io::foam {
namespace {

/// Calls f(place in rows of the grid) for the cells of the block in OpenFOAM's order.
template <class F>
void for_each_in_own_order(CellBlock const& block, F const& f) {
  auto const n = block.shape();
  for (core::Count c = 0; c < block.cells(); ++c) {
    core::Index const x = block.cell(c) - block.lo;
    f(static_cast<std::size_t>((x.k * n.j + x.j) * n.i + x.i));
  }
}

/// With those that do not exist.
std::size_t cells_of_box(core::Box const& box) { return static_cast<std::size_t>(box.cells()); }

/// Values that are there, as rows.
class HeldRows final : public RowSource {
 public:
  HeldRows(std::vector<double> values, core::Box const& box, std::string name)
      : values_(std::move(values)),
        n_(box.shape()),
        name_(std::move(name)) {}
  core::Grid::Shape cells() const override { return {n_.i, n_.j, n_.k}; }
  core::Element element() const override { return core::Element::float64; }
  std::string name() const override { return name_; }
  void next(core::Count rows, std::span<std::byte> values) override {
    std::size_t const bytes = static_cast<std::size_t>(rows * n_.i) * sizeof(double);
    std::memcpy(values.data(), reinterpret_cast<std::byte const*>(values_.data()) + at_, bytes);
    at_ += bytes;
  }

 private:
  std::vector<double> values_;
  core::Index n_;
  std::string name_;
  std::size_t at_ = 0;
};

class HeldBytes final : public RowSink {
 public:
  void next(core::Count, std::span<std::byte const> values) override {
    bytes.insert(bytes.end(), values.begin(), values.end());
  }
  void finish() override {}
  std::vector<std::byte> bytes;
};

}  // namespace

std::vector<double> read_turned(ListRows& list, CellBlock const& block) {
  auto const n = block.order ? core::Index{block.cells(), 1, 1} : block.turn.shape(block);
  list.begin({{0, 0, 0}, n});
  std::vector<double> own(static_cast<std::size_t>(block.cells())), rows(cells_of_box(block));
  list.next(n.j * n.k, std::as_writable_bytes(std::span(own)));
  std::size_t from = 0;
  for_each_in_own_order(block, [&](std::size_t to) { rows[to] = own[from++]; });
  return rows;
}

std::vector<std::byte> in_own_order(std::span<std::byte const> rows, CellBlock const& block, std::size_t bytes) {
  std::vector<std::byte> own(bytes * static_cast<std::size_t>(block.cells()));
  std::size_t to = 0;
  for_each_in_own_order(
      block, [&](std::size_t from) { std::memcpy(own.data() + bytes * to++, rows.data() + bytes * from, bytes); });
  return own;
}

void distribute_block(ListRows* list, core::Field<double>& field, CellBlock const& block) {
  if (block.straight()) {
    if (list) list->begin(block);
    return distribute(list, field, block.lo);
  }
  std::unique_ptr<HeldRows> held;
  on_root(field.layout().comm(), [&] {
    if (list) held = std::make_unique<HeldRows>(read_turned(*list, block), block, list->name());
  });
  distribute(held.get(), field, block.lo);
}

void gather_block(core::FieldBase const& field, CellBlock const& block, RowSink* sink) {
  if (block.straight()) return gather(field, block, sink);
  HeldBytes held;
  gather(field, block, sink ? &held : nullptr);
  on_root(field.layout().comm(), [&] {
    if (!sink) return;
    auto const n = block.shape();
    auto const bytes = held.bytes.size() / cells_of_box(block);
    sink->next(n.j * n.k, in_own_order(held.bytes, block, bytes));
  });
}

}  // namespace tessera::io::foam
