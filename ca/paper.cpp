// SPDX-License-Identifier: Apache-2.0
#include "ca/paper.hpp"

#include "ca/paper/automata.hpp"
#include "ca/synchronous.hpp"

#include <fmt/format.h>

namespace tessera::ca {
namespace paper {

/// Whether a tile must be computed: a cell of it changed in the last step, or one of its halo. Halos are compared with
/// those of the other buffer, which were exchanged a step ago.
template <class T>
struct Awake {
  core::FieldView<T const> now, before;
  core::TileInfo const* info;
  std::int64_t const* changed;
  int depth;
  int* awake;

  KOKKOS_FUNCTION void operator()(int slot) const {
    core::TileInfo const& t = info[slot];
    bool found = changed[slot] > 0;
    for (int j = -depth; j < t.nj + depth && !found; ++j) {
      bool const beside = j >= 0 && j < t.nj;
      for (int i = -depth; i < t.ni + depth && !found; ++i) {
        if (beside && i == 0) i = t.ni;
        found = now(slot, 0, j, i) != before(slot, 0, j, i);
      }
    }
    awake[slot] = found;
  }
};

/// Steps of one rule on two buffers. Tiles at rest are left alone: both buffers hold the same there.
template <class R>
class Jacobi {
 public:
  using Value = StateOf<R>;
  Jacobi(R rule, core::Field<Value>& state, core::Field<Value>& next, core::Halo& halo)
      : rule_(std::move(rule)),
        state_(state),
        next_(next),
        halo_(halo),
        layout_(state.layout()),
        changed_("changed cells", static_cast<std::size_t>(layout_.tiles())),
        awake_("tiles awake", static_cast<std::size_t>(layout_.tiles())) {}

  /// One step of all tiles.
  void once() {
    halo_.exchange(state_);
    advance(all());
    state_.swap_values(next_);
  }
  /// Steps until no cell changes anywhere; returns the number of those that changed something.
  std::int64_t until_still() {
    for (std::int64_t steps = 0;; ++steps) {
      halo_.exchange(state_);
      advance(steps == 0 ? all() : awake());
      if (changes() == 0) return steps;
      state_.swap_values(next_);
    }
  }

  std::int64_t cell_updates() const { return cell_updates_; }  ///< of this rank

 private:
  void advance(core::Tiles const& tiles) {
    Kokkos::deep_copy(changed_, 0);
    if (tiles.count() == 0) return;
    ca::detail::StepTile<R> const kernel{
        std::as_const(state_).view(), next_.view(), tiles.info.data(), rule_, 0, changed_.data()};
    if constexpr (core::detail::on_host)
      core::for_each_tile("paper step", tiles, kernel);
    else
      core::for_each("paper step", tiles, ca::detail::StepCell<R>{kernel});
  }
  core::Tiles const& all() {
    cell_updates_ += layout_.cells();
    return layout_.all();
  }
  core::Tiles awake() {
    core::Tiles const& all = layout_.all();
    core::for_each_tile("paper awake", all,
                        Awake<Value>{std::as_const(state_).view(), std::as_const(next_).view(), all.info.data(),
                                     changed_.data(), halo_.depth(), awake_.data()});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), awake_);
    std::vector<int> slots;
    for (int slot = 0; slot < layout_.tiles(); ++slot)
      if (host(static_cast<std::size_t>(slot)) != 0) {
        slots.push_back(slot);
        core::TileInfo const& t = layout_.info(slot);
        cell_updates_ += core::Count{t.ni} * t.nj;
      }
    return layout_.select(slots);
  }
  std::int64_t changes() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    std::int64_t n = 0;
    for (std::size_t t = 0; t < host.extent(0); ++t) n += host(t);
    core::Timed const reduction(core::Part::reduce);
    return layout_.comm().sum(n);
  }

  R rule_;
  core::Field<Value>&state_, &next_;
  core::Halo& halo_;
  core::Layout const& layout_;
  Kokkos::View<std::int64_t*> changed_;
  Kokkos::View<int*> awake_;
  std::int64_t cell_updates_ = 0;
};

/// 1 for cells of the frame in the wrong colour.
struct WrongFrame {
  core::FieldView<std::uint8_t const> occupied;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    std::uint8_t const value = occupied(slot, k, j, i);
    return compass.bar(x) ? value != 1 : compass.side(x) && value != 0;
  }
};

/// 1 for interior black cells.
struct Black {
  core::FieldView<std::uint8_t const> occupied;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    return occupied(slot, k, j, i) == 1 && !compass.bar(info[slot].global(k, j, i));
  }
};

/// 1 for interior cells of a kind.
struct IsKind {
  core::FieldView<Cell const> cell;
  core::TileInfo const* info;
  Compass compass;
  Kind wanted;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    return kind(cell(slot, k, j, i)) == wanted && !compass.bar(info[slot].global(k, j, i));
  }
};

/// Sums up to the difference of the colours of the two side columns, taken at their lower ends.
struct SideColours {
  core::FieldView<Colour const> colour;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    if (!compass.side(x) || compass.row(x) != compass.rows - 2) return 0;
    return compass.column(x) == 0 ? colour(slot, k, j, i) : -colour(slot, k, j, i);
  }
};

/// The marked interior cells as a mask.
struct WriteMarked {
  core::FieldView<Cell const> cell;
  core::FieldView<std::uint8_t> mask;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    mask(slot, k, j, i) = cell(slot, k, j, i) == marked && !compass.bar(info[slot].global(k, j, i));
  }
};

/// One run of run_paper.
class Run {
 public:
  Run(core::Field<std::uint8_t>& occupied, Direction direction)
      : occupied_(occupied),
        layout_(occupied.layout()),
        info_(layout_.all().info.data()),
        compass_(direction, layout_.grid().cells()) {}

  PaperResult operator()() {
    auto const medium = std::as_const(occupied_).view();
    if (auto const n = core::count("paper frame", layout_, WrongFrame{medium, info_, compass_}); n > 0)
      throw core::Error(fmt::format(
          "the medium has {} cells of its frame in the wrong colour, expected black bars and white sides", n));
    sites_ = core::count("paper occupation", layout_, Black{medium, info_, compass_});
    result_.occupation = static_cast<double>(sites_) / static_cast<double>(interior(layout_.grid()).cells());
    result_.backbone = std::make_unique<core::Field<std::uint8_t>>(
        core::FieldInfo{"marked", "cells marked by the published automata", "1", {}}, layout_, 0);

    core::Field<Cell> cells("paper cells", layout_, 2, Cell{coloured});
    colour_and_cut(cells);
    if (result_.spans) find_backbone(cells);
    result_.cell_updates = layout_.comm().sum(cell_updates_);
    return std::move(result_);
  }

 private:
  /// A1, A2 and the first step of A3; the colours are not needed after it.
  void colour_and_cut(core::Field<Cell>& cells) {
    core::Halo halo(layout_, 1);
    core::Field<Colour> colour("paper colour", layout_, 1), next("next paper colour", layout_, 1);
    halo.exchange(occupied_);
    core::for_each("paper A1", layout_.all(), Seed{std::as_const(occupied_).view(), colour.view(), info_, compass_});
    result_.steps.a1 = 1;
    Jacobi spread(Spread{}, colour, next, halo);
    result_.steps.a2 = spread.until_still();
    cell_updates_ += layout_.cells() + spread.cell_updates();
    auto const colours = std::as_const(colour).view();
    result_.spans = core::count("paper sides", layout_, SideColours{colours, info_, compass_}) != 0;
    if (!result_.spans) return;
    // the last step changed nothing, so the halos of `colour` are those of its cells
    core::for_each("paper A3", layout_.all(), Cut{colours, cells.view(), compass_});
    cell_updates_ += layout_.cells();
  }

  /// The second step of A3, A4 and A5.
  void find_backbone(core::Field<Cell>& cells) {
    core::Halo halo(layout_, 2);
    core::Field<Cell> next("next paper cells", layout_, 2, Cell{coloured});
    Jacobi tag(Tag{compass_}, cells, next, halo);
    tag.once();
    result_.steps.a3 = 2;
    result_.white_sites = count(cells, white);
    result_.tagged_sites = count(cells, tagged);
    result_.removed_sites = sites_ - count(cells, black) - result_.white_sites - result_.tagged_sites;

    Jacobi mark(Mark{compass_}, cells, next, halo);
    result_.steps.a4 = mark.until_still();
    std::int64_t const before = count(cells, marked);
    Jacobi restore(Restore{compass_}, cells, next, halo);
    restore.once();
    result_.steps.a5 = 1;
    cell_updates_ += tag.cell_updates() + mark.cell_updates() + restore.cell_updates();
    result_.backbone_sites = count(cells, marked);
    result_.restored_sites = result_.backbone_sites - before;
    core::for_each("paper backbone", layout_.all(),
                   WriteMarked{std::as_const(cells).view(), result_.backbone->view(), info_, compass_});
  }

  std::int64_t count(core::Field<Cell> const& cells, Kind kind) const {
    return core::count("paper count", layout_, IsKind{cells.view(), info_, compass_, kind});
  }

  core::Field<std::uint8_t>& occupied_;
  core::Layout const& layout_;
  core::TileInfo const* info_;
  Compass compass_;
  std::int64_t sites_ = 0;         ///< interior black cells
  std::int64_t cell_updates_ = 0;  ///< of this rank
  PaperResult result_;
};

}  // namespace paper

PaperResult run_paper(core::Field<std::uint8_t>& occupied, Direction direction) {
  auto const n = occupied.layout().grid().cells();
  if (n[0] < 3 || n[1] < 3 || n[2] != 1)
    throw core::Error(fmt::format(
        "the published automata run on 2-D grids of 3 x 3 cells or more, frame included, but the grid has {} x {} x {}",
        n[0], n[1], n[2]));
  core::Timed const timed(core::Part::compute);
  return paper::Run(occupied, direction)();
}

}  // namespace tessera::ca
