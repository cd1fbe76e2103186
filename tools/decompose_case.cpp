// SPDX-License-Identifier: Apache-2.0
// The command decompose: what each rank would get of a case, as a table and a picture.
#include "core/case/wrong_command.hpp"
#include "core/comm/runtime.hpp"
#include "io/pictures/palette.hpp"
#include "io/pictures/picture.hpp"
#include "partition/summary.hpp"
#include "run/balance/decompose.hpp"
#include "tools/commands.hpp"

#include <charconv>
#include <cmath>

namespace tessera::tools {

using run::Case;
using run::case_grid;
using run::Log;
using run::rank_rates;
using run::RunOptions;
using run::Session;
using run::share_out;
using run::Shares;
namespace {

using core::Count;

std::optional<std::vector<double>> parse_weights(std::string const& text, int ranks) {
  if (text.empty()) return std::nullopt;
  std::vector<double> weights;
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t const to = std::min(text.find(',', from), text.size());
    double w = 0;
    auto const [end, error] = std::from_chars(text.data() + from, text.data() + to, w);
    if (error != std::errc{} || end != text.data() + to || !(w > 0) || std::isinf(w))
      throw core::WrongCommand(fmt::format("--weights {}: '{}', expected numbers above 0 with commas between them",
                                           text, text.substr(from, to - from)));
    weights.push_back(w);
    from = to + 1;
  }
  if (weights.size() != static_cast<std::size_t>(ranks))
    throw core::WrongCommand(
        fmt::format("--weights has {} values, expected one for each of {} ranks", weights.size(), ranks));
  return weights;
}

void print(Log& log, Shares const& shares, std::vector<partition::RankShare> const& all, core::Grid const& grid) {
  log.line("{} x {} x {} cells in {} tiles of {} x {} x {}, method {}", grid.cells()[0], grid.cells()[1],
           grid.cells()[2], grid.tiles(), grid.tile()[0], grid.tile()[1], grid.tile()[2], shares.method);
  log.line("{:>6} {:>9} {:>14} {:>8} {:>12} {:>14} {:>10} {:>12}", "rank", "weight", "cells", "tiles", "cut cells",
           "halo bytes", "neighbours", "imbalance");
  Count cut = 0;
  double worst = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    auto const& x = all[r];
    log.line("{:>6} {:>9.4g} {:>14} {:>8} {:>12} {:>14} {:>10} {:>10.2f} %", r, shares.load.rank_rate[r], x.cells,
             x.tiles, x.cut, x.cut * 8, x.neighbours, 100 * x.imbalance);
    cut += x.cut;
    worst = std::max(worst, x.imbalance);
  }
  log.line("Edge cut {} cells; the slowest rank is {:.2f} % above the time in which all would end together", cut / 2,
           100 * worst);
  if (!shares.load.domains.empty())
    log.line("{} cells of the cut lie between nodes",
             partition::cut_cells(grid, shares.owners, shares.load.domains.front()) / 2);
  log.line("Halo bytes: received in one exchange of a field of doubles, over faces, one cell deep");
}

/// A grid with one cell a tile, in the tiles' places.
core::Grid tile_map(core::Grid const& grid) {
  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(static_cast<int>(a));
    std::vector<double> faces;
    for (Count i = 0; i < axis.cells(); i += grid.tile()[a]) faces.push_back(axis.face(i));
    faces.push_back(axis.high());
    axes[a] = core::Axis(std::move(faces));
  }
  return core::Grid(std::move(axes));
}

/// Colours that neighbours do not share; each rank has its own where there are enough.
void draw(std::string const& file, core::Grid const& grid, Shares const& shares,
          std::vector<partition::RankShare> const& all, core::Comm const& comm) {
  namespace c = io::colours;
  std::array const palette{c::sky_blue,   c::orange, c::green, c::yellow,    c::blue,
                           c::vermillion, c::purple, c::grey,  c::light_grey};
  int const ranks = shares.load.ranks(), colours = static_cast<int>(palette.size());
  auto const colour_of = partition::map_colours(partition::tile_graph(grid), shares.owners, ranks, colours);
  auto const map = std::make_shared<core::Grid const>(tile_map(grid));
  core::Layout const layout(map, core::block_owners(map->tiles(), comm.size()), comm);
  std::vector<core::Field<std::uint8_t>> masks;
  std::vector<io::Category> categories;
  for (int n = 0; n < std::min(ranks, colours); ++n) {
    auto& mask = masks.emplace_back("ranks", layout, 0);
    auto const on = mask.host();
    for (int slot = 0; slot < layout.tiles(); ++slot) {
      auto const& t = layout.info(slot);
      for (int k = 0; k < t.nk; ++k)
        for (int j = 0; j < t.nj; ++j)
          for (int i = 0; i < t.ni; ++i) {
            int const owner = shares.owners[grid.tile_number(t.global(k, j, i))];
            on(slot, k, j, i) = colour_of[owner] == n;
          }
    }
  }
  for (std::size_t n = 0; n < masks.size(); ++n) {
    std::string name = "ranks";
    int listed = 0;
    for (int r = 0; r < ranks; ++r)
      if (colour_of[r] == static_cast<int>(n)) {
        if (++listed <= 4) name += fmt::format("{} {}", listed > 1 ? "," : "", r);
        if (listed == 5) name += " ...";
      }
    if (ranks <= colours)
      name = fmt::format("rank {}: {:.1f} % of the cells", n,
                         100 * static_cast<double>(all[n].cells) / static_cast<double>(grid.total()));
    categories.push_back({name, palette[n], &masks[n]});
  }
  io::PictureStyle style{
      .title = fmt::format("Partition of {} tiles over {} ranks ({})", grid.tiles(), ranks, shares.method)};
  style.caption = fmt::format("{} × {} × {} cells, tiles of {} × {} × {}", grid.cells()[0], grid.cells()[1],
                              grid.cells()[2], grid.tile()[0], grid.tile()[1], grid.tile()[2]);
  style.shares = false;
  // the first rank is the background, so that the legend holds ranks alone
  io::Category const first = categories.front();
  if (categories.size() > 1) categories.erase(categories.begin());
  io::draw_masks(file, categories, first, style);
}

}  // namespace

int decompose_case(core::Comm const& comm, RunOptions const& options, int ranks, std::string const& weights,
                   int ranks_per_node) {
  Log log(comm.root() && !options.quiet);
  Case files(options.directory, options.settings, comm);
  Session session{comm, files, log};
  auto const rates = rank_rates(session, ranks, parse_weights(weights, ranks));
  auto const grid = case_grid(session, rates);
  std::vector<int> nodes;
  for (int rank = 0; ranks_per_node > 0 && rank < ranks; ++rank) nodes.push_back(rank / ranks_per_node);
  auto const shares = share_out(session, *grid, rates, nodes);
  auto const all = partition::summarize(*grid, shares.load, shares.owners);
  print(log, shares, all, *grid);
  std::string const file = files.path("results/partition.png");
  draw(file, *grid, shares, all, comm);
  log.line("Picture: {}", file);
  return core::Exit::done;
}

}  // namespace tessera::tools
