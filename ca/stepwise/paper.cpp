// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/paper.hpp"

#include "ca/stepwise/colours.hpp"

namespace tessera::ca {
namespace paper {

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

/// What the first step of A3 left in the place of colours.
struct TakeCells {
  core::FieldView<Colour const> colour;
  core::FieldView<Cell> cell;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    cell(slot, k, j, i) = static_cast<Cell>(colour(slot, k, j, i));
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
  Run(core::Field<std::uint8_t> const& occupied, PaperOptions const& options)
      : occupied_(occupied),
        options_(options),
        layout_(occupied.layout()),
        info_(layout_.all().info.data()),
        sites_(check_medium(occupied, options.direction)),
        compass_(options.direction, layout_.grid().cells()) {}

  PaperResult operator()() {
    result_.occupation = static_cast<double>(sites_) / static_cast<double>(interior(layout_.grid()).cells());
    result_.backbone = std::make_unique<core::Field<std::uint8_t>>(
        core::FieldInfo{"marked", "cells marked by the published automata", "1", {}}, layout_, 0);

    core::Field<Cell> cut("cut cells", layout_, ca::detail::farthest<Marking>());
    colour_and_cut(cut);
    if (result_.spans) find_backbone(cut);
    result_.cell_updates = layout_.comm().sum(cell_updates_);
    return std::move(result_);
  }

 private:
  /// A1, A2 and the first step of A3; the colours are not needed after it.
  void colour_and_cut(core::Field<Cell>& cut) {
    PhasedCells cells(Cutting{{compass_}, {{}, {{compass_}}}}, layout_, "colours");
    Colours const colours = colour_white_clusters(cells, occupied_, {options_.update, options_.random, 1});
    result_.steps.a1 = 1;
    result_.steps.a2 = colours.progress.steps;
    result_.spans = colours.spans();
    if (result_.spans) {
      cells.take<phase::cut>();
      core::for_each("paper cells", layout_.all(), TakeCells{std::as_const(cells).state().view(), cut.view()});
    }
    cell_updates_ += colours.progress.cell_updates + cells.cell_updates();
  }

  /// The second step of A3, A4 and A5.
  void find_backbone(core::Field<Cell>& cut) {
    PhasedCells cells(Marking{{compass_}, {{compass_}, {{compass_}}}}, layout_, "paper cells");
    core::Field<Cell>& state = cells.state().first();
    state.swap_values(cut);
    cells.take<phase::tag>();
    result_.steps.a3 = 2;
    result_.white_sites = count(state, white);
    result_.tagged_sites = count(state, tagged);
    result_.removed_sites = sites_ - count(state, black) - result_.white_sites - result_.tagged_sites;

    constexpr std::uint32_t far_from_a2 = 1u << 31;
    Progress const mark = until_still<phase::mark>(cells, {options_.update, options_.random, far_from_a2});
    result_.steps.a4 = mark.steps;
    std::int64_t const before = count(state, marked);
    cells.take<phase::restore>();
    result_.steps.a5 = 1;
    result_.backbone_sites = count(state, marked);
    result_.restored_sites = result_.backbone_sites - before;
    core::for_each("paper backbone", layout_.all(),
                   WriteMarked{std::as_const(state).view(), result_.backbone->view(), info_, compass_});
    cell_updates_ += mark.cell_updates + cells.cell_updates();
  }

  std::int64_t count(core::Field<Cell> const& cells, Kind kind) const {
    return core::count("paper count", layout_, IsKind{cells.view(), info_, compass_, kind});
  }

  core::Field<std::uint8_t> const& occupied_;
  PaperOptions options_;
  core::Layout const& layout_;
  core::TileInfo const* info_;
  std::int64_t sites_;  ///< interior black cells
  Compass compass_;
  std::int64_t cell_updates_ = 0;  ///< of this rank
  PaperResult result_;
};

}  // namespace paper

PaperResult run_paper(core::Field<std::uint8_t> const& occupied, PaperOptions const& options) {
  core::Timed const timed(core::Part::compute);
  return paper::Run(occupied, options)();
}

}  // namespace tessera::ca
