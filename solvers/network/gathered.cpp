// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/gathered.hpp"

#include "core/error.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/loops.hpp"

#include <limits>
#include <utility>

namespace tessera::solvers::network {

Sites::Sites(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes)
    : layout_(conducting.layout()),
      bond_(electrodes.bond),
      number_("numbers of sites", layout_, 1, -1),
      first_(static_cast<std::size_t>(layout_.grid().tiles()) + 1, 0) {
  number(conducting);
  if (count_ <= std::numeric_limits<std::int32_t>::max()) find_rows(electrodes);
}

void Sites::number(core::Field<std::uint8_t> const& conducting) {
  auto const mask = conducting.host();
  core::for_own_cells(layout_, [&](int s, int k, int j, int i) {
    if (mask(s, k, j, i) != 0) ++first_[layout_.info(s).tile + 1];
  });
  layout_.comm().sum(std::span(first_));
  for (std::size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
  count_ = first_.back();
  if (count_ > std::numeric_limits<std::int32_t>::max()) return;
  auto const number = number_.host();
  for (int s = 0; s < layout_.tiles(); ++s) {
    auto next = static_cast<std::int32_t>(first_[layout_.info(s).tile]);
    core::for_cells(layout_.info(s), [&](int k, int j, int i) {
      if (mask(s, k, j, i) != 0) number(s, k, j, i) = next++;
    });
  }
  core::Halo(layout_, 1, core::Reach::faces).exchange(number_);
}

void Sites::find_rows(Electrodes const& electrodes) {
  auto const number = std::as_const(number_).host();
  auto const view_of = [](core::Field<std::uint8_t> const* mask) {
    return mask != nullptr ? mask->host() : core::FieldView<std::uint8_t const>{};
  };
  auto const inlet = view_of(electrodes.inlet_mask), outlet = view_of(electrodes.outlet_mask);
  auto const& grid = layout_.grid();
  core::for_own_cells(layout_, [&](int s, int k, int j, int i) {
    if (number(s, k, j, i) < 0) return;
    auto const at = layout_.info(s).global(k, j, i);
    bool const in = electrodes.inlet_mask != nullptr ? inlet(s, k, j, i) != 0 : electrodes.inlet.contains(at);
    bool const out = electrodes.outlet_mask != nullptr ? outlet(s, k, j, i) != 0 : electrodes.outlet.contains(at);
    Row row{{-1, -1, -1}, (in ? 1 : 0) + (out ? 2 : 0)};
    if (!grid.thin(0)) row.lower[0] = number(s, k, j, i - 1);
    if (!grid.thin(1)) row.lower[1] = number(s, k, j - 1, i);
    if (!grid.thin(2)) row.lower[2] = number(s, k - 1, j, i);
    for (std::int32_t other : row.lower) bonds_ += other >= 0;
    rows_.push_back(row);
  });
  bonds_ = layout_.comm().sum(bonds_);
}

Network Sites::gather() const {
  core::expect(count_ <= std::numeric_limits<std::int32_t>::max(), "more sites than numbers");
  core::Bytes mine;
  std::size_t from = 0;
  for (int s = 0; s < layout_.tiles(); ++s) {
    int const tile = layout_.info(s).tile;
    auto const n = static_cast<std::size_t>(first_[tile + 1] - first_[tile]);
    core::append(mine, tile);
    core::append(mine, std::span(rows_).subspan(from, n));
    from += n;
  }
  auto const blocks = layout_.comm().gather_to_root(mine);
  if (!layout_.comm().root()) return {};

  std::vector<Row> rows(count_);
  for (auto const& block : blocks)
    for (core::ByteReader reader(block); !reader.done();) {
      auto const tile = reader.take<int>();
      reader.take(std::span(rows).subspan(first_[tile], first_[tile + 1] - first_[tile]));
    }
  std::vector<Bond> bonds;
  bonds.reserve(bonds_);
  std::vector<double> source(count_, 0), sink(count_, 0);
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(count_); ++n) {
    Row const& row = rows[n];
    if ((row.ends & 1) != 0) source[n] = bond_;
    if ((row.ends & 2) != 0) sink[n] = bond_;
    for (std::int32_t other : row.lower)
      if (other >= 0) bonds.push_back({n, other, 1});
  }
  return make_network(bonds, std::move(source), std::move(sink));
}

}  // namespace tessera::solvers::network
