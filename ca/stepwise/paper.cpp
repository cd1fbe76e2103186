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

    Compass const& c = compass_;
    PhasedCells cells(Automata{{c}, {{}, {{c}, {{c}, {{c}, {{c}}}}}}}, layout_, "paper cells");
    Colours const colours = colour_white_clusters(cells, occupied_, {options_.update, options_.random, 1});
    result_.steps.a1 = 1;
    result_.steps.a2 = colours.progress.steps;
    result_.spans = colours.spans();
    std::int64_t updates = colours.progress.cell_updates;
    if (result_.spans) updates += find_backbone(cells);
    result_.cell_updates = layout_.comm().sum(updates + cells.cell_updates());
    return std::move(result_);
  }

 private:
  /// A3, A4 and A5; returns the cells that this rank computed in sweeps.
  std::int64_t find_backbone(PhasedCells<Automata>& cells) {
    core::Field<Cell> const& state = cells.state().first();
    cells.take<phase::cut>();
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
                   WriteMarked{state.view(), result_.backbone->view(), info_, compass_});
    return mark.cell_updates;
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
  PaperResult result_;
};

}  // namespace paper

PaperResult run_paper(core::Field<std::uint8_t> const& occupied, PaperOptions const& options) {
  core::Timed const timed(core::Part::compute);
  return paper::Run(occupied, options)();
}

}  // namespace tessera::ca
