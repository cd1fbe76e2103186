// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/gathered.hpp"

#include "core/error.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/loops.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera::solvers::network {
namespace {

/// What a halo needs for these steps.
core::Reach reach_of(std::vector<core::Index> const& steps) {
  auto reach = core::Reach::none;
  for (core::Index const& d : steps)
    reach = reach | core::Reach::of({static_cast<int>(d.i), static_cast<int>(d.j), static_cast<int>(d.k)});
  return reach;
}

/// Calls f(k, j, i) for the cells of a tile where the mask is not 0, in raster order. Of eight cells without one the eight are
/// looked at together: near the threshold of percolation one in a hundred is a site.
template <class F>
void for_sites(core::TileInfo const& tile, int slot, core::FieldView<std::uint8_t const> const& mask, F const& f) {
  core::for_rows(tile, [&](int k, int j) {
    std::uint8_t const* const row = mask.row(slot, k, j);
    for (int i = 0; i < tile.ni; ++i) {
      for (std::uint64_t eight = 0; i + 8 <= tile.ni; i += 8)
        if (std::memcpy(&eight, row + i, 8), eight != 0) break;
      if (i < tile.ni && row[i] != 0) f(k, j, i);
    }
  });
}

template <class F>
void for_sites(core::TileInfo const& tile, int slot, core::FieldView<double const> const& conductivity, F const& f) {
  core::for_cells(tile, [&](int k, int j, int i) {
    if (conductivity(slot, k, j, i) > 0) f(k, j, i);
  });
}

}  // namespace

std::vector<core::Index> steps_within(core::Grid const& grid, std::vector<core::Index> const& steps) {
  std::vector<core::Index> result = steps;
  if (steps.empty()) result = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  std::erase_if(result, [&](core::Index const& d) {
    return (grid.thin(0) && d.i != 0) || (grid.thin(1) && d.j != 0) || (grid.thin(2) && d.k != 0);
  });
  return result;
}

int depth_of(std::vector<core::Index> const& steps) {
  core::Count most = 1;
  for (core::Index const& d : steps) most = std::max({most, std::abs(d.i), std::abs(d.j), std::abs(d.k)});
  return static_cast<int>(most);
}

Sites::Sites(core::Layout const& layout, double bond, std::vector<core::Index> neighbours, bool units)
    : layout_(layout),
      bond_(bond),
      neighbours_(std::move(neighbours)),
      depth_(depth_of(neighbours_)),
      number_("numbers of sites", layout_, depth_, -1),
      first_(static_cast<std::size_t>(layout_.grid().tiles()) + 1, 0),
      units_(units) {}

Sites::Sites(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes,
             std::vector<core::Index> const& neighbours)
    : Sites(conducting.layout(), electrodes.bond, steps_within(conducting.layout().grid(), neighbours), true) {
  number(conducting);
  if (count_ <= std::numeric_limits<std::int32_t>::max()) find_rows(conducting, electrodes);
}

Sites::Sites(core::Field<double> const& conductivity, Electrodes const& electrodes)
    : Sites(conductivity.layout(), electrodes.bond, steps_within(conductivity.layout().grid(), {}), false) {
  number(conductivity);
  if (count_ > std::numeric_limits<std::int32_t>::max()) return;
  find_rows(conductivity, electrodes);
  auto const values = conductivity.host();
  values_.reserve(rows_.size() / row());
  for (int s = 0; s < layout_.tiles(); ++s)
    for_sites(layout_.info(s), s, values, [&](int k, int j, int i) { values_.push_back(values(s, k, j, i)); });
}

template <class T>
void Sites::number(core::Field<T> const& conducting) {
  auto const mask = conducting.host();
  for (int s = 0; s < layout_.tiles(); ++s) {
    std::int64_t sites = 0;
    for_sites(layout_.info(s), s, mask, [&](int, int, int) { ++sites; });
    first_[layout_.info(s).tile + 1] = sites;
  }
  layout_.comm().sum(std::span(first_));
  for (std::size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
  count_ = first_.back();
  if (count_ > std::numeric_limits<std::int32_t>::max()) return;
  auto const number = number_.host();
  for (int s = 0; s < layout_.tiles(); ++s) {
    auto next = static_cast<std::int32_t>(first_[layout_.info(s).tile]);
    for_sites(layout_.info(s), s, mask, [&](int k, int j, int i) { number(s, k, j, i) = next++; });
  }
  core::Halo(layout_, depth_, reach_of(neighbours_)).exchange(number_);
}

template <class T>
void Sites::find_rows(core::Field<T> const& conducting, Electrodes const& electrodes) {
  auto const mask = conducting.host();
  auto const number = std::as_const(number_).host();
  auto const view_of = [](core::Field<std::uint8_t> const* mask) {
    return mask != nullptr ? mask->host() : core::FieldView<std::uint8_t const>{};
  };
  auto const inlet = view_of(electrodes.inlet_mask), outlet = view_of(electrodes.outlet_mask);
  std::int64_t mine = 0;
  for (int s = 0; s < layout_.tiles(); ++s) mine += first_[layout_.info(s).tile + 1] - first_[layout_.info(s).tile];
  rows_.reserve(static_cast<std::size_t>(mine) * row());
  auto const find_row = [&](int s, int k, int j, int i) {
    auto const at = layout_.info(s).global(k, j, i);
    bool const in = electrodes.inlet_mask != nullptr ? inlet(s, k, j, i) != 0 : electrodes.inlet.contains(at);
    bool const out = electrodes.outlet_mask != nullptr ? outlet(s, k, j, i) != 0 : electrodes.outlet.contains(at);
    rows_.push_back((in ? 1 : 0) + (out ? 2 : 0));
    for (core::Index const& d : neighbours_) {
      auto const other = number(s, k + static_cast<int>(d.k), j + static_cast<int>(d.j), i + static_cast<int>(d.i));
      // once round a short periodic axis a step may lead back
      rows_.push_back(other == number(s, k, j, i) ? -1 : other);
      bonds_ += rows_.back() >= 0;
    }
  };
  for (int s = 0; s < layout_.tiles(); ++s)
    for_sites(layout_.info(s), s, mask, [&](int k, int j, int i) { find_row(s, k, j, i); });
  bonds_ = layout_.comm().sum(bonds_);
}

namespace {

/// Puts `per_site` values of each own site, by slot, in the order of the sites on rank 0; nothing elsewhere. Forgets `mine`.
/// Collective.
template <class T>
std::vector<T> gather_by_site(core::Layout const& layout, std::vector<std::int64_t> const& first, std::size_t per_site,
                              std::vector<T>& mine) {
  auto const numbers = [&](int tile) { return static_cast<std::size_t>(first[tile + 1] - first[tile]) * per_site; };
  core::Bytes bytes;
  bytes.reserve(mine.size() * sizeof(T) + static_cast<std::size_t>(layout.tiles()) * sizeof(int));
  std::size_t from = 0;
  for (int s = 0; s < layout.tiles(); ++s) {
    int const tile = layout.info(s).tile;
    core::append(bytes, tile);
    core::append(bytes, std::span(std::as_const(mine)).subspan(from, numbers(tile)));
    from += numbers(tile);
  }
  release(mine);
  auto blocks = layout.comm().gather_to_root(bytes);
  release(bytes);
  std::vector<T> all;
  if (!layout.comm().root()) return all;
  all.resize(static_cast<std::size_t>(first.back()) * per_site);
  for (auto& block : blocks) {
    for (core::ByteReader reader(block); !reader.done();) {
      auto const tile = reader.take<int>();
      reader.take(std::span(all).subspan(static_cast<std::size_t>(first[tile]) * per_site, numbers(tile)));
    }
    release(block);
  }
  return all;
}

}  // namespace

Network Sites::gather() {
  core::expect(count_ <= std::numeric_limits<std::int32_t>::max(), "more sites than numbers");
  auto const rows = gather_by_site(layout_, first_, row(), rows_);
  auto const values = units_ ? std::vector<double>() : gather_by_site(layout_, first_, 1, values_);
  if (!layout_.comm().root()) return {};
  auto const of = [&](std::int32_t n) { return std::span(rows).subspan(static_cast<std::size_t>(n) * row(), row()); };
  auto const sites = static_cast<std::int32_t>(count_);
  std::vector<double> source(sites, 0), sink(sites, 0);
  for (std::int32_t n = 0; n < sites; ++n) {
    double const bond = units_ ? bond_ : bond_ * values[n];
    if ((of(n)[0] & 1) != 0) source[n] = bond;
    if ((of(n)[0] & 2) != 0) sink[n] = bond;
  }
  return make_network(
      [&](auto const& bond) {
        for (std::int32_t n = 0; n < sites; ++n)
          for (std::int32_t other : of(n).subspan(1))
            if (other >= 0) bond(n, other, units_ ? 1.0 : between(values[n], values[other]));
      },
      std::move(source), std::move(sink));
}

void Sites::scatter(std::vector<double> values, core::Field<double>& field) const {
  layout_.comm().broadcast(values);
  core::for_each_on_host("values of sites", layout_,
                         [&, number = number_.host(), to = field.host()](int s, int k, int j, int i) {
                           if (auto const n = number(s, k, j, i); n >= 0) to(s, k, j, i) = values[n];
                         });
}

std::string agree_alone(double gap, double settled, double tolerance) {
  return fmt::format("currents agree to {:.1g} alone, as {}; their dissipation is settled to {:.1g}", gap,
                     tolerance > 0 ? fmt::format("the last solve's tolerance was {:.1g}", tolerance)
                                   : "conductivities lie far apart",
                     settled);
}

}  // namespace tessera::solvers::network
