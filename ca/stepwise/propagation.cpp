// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/propagation.hpp"

#include "ca/stepwise/colours.hpp"
#include "ca/stepwise/propagation_rules.hpp"

namespace tessera::ca {
namespace propagation {

using Bytes = core::FieldView<std::uint8_t const>;

/// What the classification found in its cells.
struct TakeApart {
  core::FieldView<Colour const> cell;
  core::FieldView<Arms> arms;
  core::FieldView<std::uint8_t> marks;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    arms(slot, k, j, i) = arms_of(cell(slot, k, j, i));
    marks(slot, k, j, i) = marks_of(cell(slot, k, j, i));
  }
};

/// Masks over interior cells; the frame is never in them.
struct InBackbone {
  Bytes arms;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    return (arms(slot, k, j, i) & (reached | reached_second)) != 0;
  }
};
struct IsOccupied {
  Bytes occupied;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const { return occupied(slot, k, j, i) == 1; }
};
struct JoinsBoth {
  Bytes joined;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    constexpr int all = cell | first_bar | last_bar;
    return (joined(slot, k, j, i) & all) == all;
  }
};
struct IsMarked {
  Bytes marks;
  JoinsBoth spanning;
  Mark mark;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    return (marks(slot, k, j, i) & mark) != 0 && spanning(slot, k, j, i);
  }
};

template <class F>
struct IsDangling {
  JoinsBoth spanning;
  F in_backbone;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    return spanning(slot, k, j, i) && !in_backbone(slot, k, j, i);
  }
};

template <class F>
struct Interior {
  F f;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    return !compass.bar(info[slot].global(k, j, i)) && f(slot, k, j, i);
  }
};
template <class F>
struct WriteMask {
  Interior<F> f;
  core::FieldView<std::uint8_t> mask;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    mask(slot, k, j, i) = static_cast<std::uint8_t>(f(slot, k, j, i));
  }
};
/// What Join starts from.
template <class F>
struct StartJoin {
  Interior<F> f;
  core::FieldView<std::uint8_t> joined;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = f.info[slot].global(k, j, i);
    int const bar = f.compass.row(x) == 0 ? first_bar : last_bar;
    joined(slot, k, j, i) = static_cast<std::uint8_t>(f.compass.bar(x) ? bar : f(slot, k, j, i) != 0 ? cell : 0);
  }
};

/// One run of percolate_synchronously.
class Run {
 public:
  Run(core::Field<std::uint8_t>& occupied, PercolationOptions const& options)
      : occupied_(occupied),
        options_(options),
        layout_(occupied.layout()),
        info_(layout_.all().info.data()),
        sites_(paper::check_medium(occupied, options.direction)),
        compass_(options.direction, layout_.grid().cells()) {}

  SynchronousResult operator()() {
    PercolationResult& result = run_.result;
    take_labels();
    core::Field<std::uint8_t> marks("marks", layout_, 0);
    PhasedCells flood(Flood{compass_}, layout_, "arms", core::Reach::all);
    result.spans = classify(flood.state().first(), marks);
    Joined joined = no_cells_joined("joined to bars");
    if (result.spans) {
      run_.steps.classification = 1;
      run_.steps.flood = until_still(flood);
      run_.steps.clusters = join(IsOccupied{std::as_const(occupied_).view()}, joined);
    }
    auto const by_colour = std::as_const(marks).view(), by_bar = std::as_const(joined).state().view();
    result.spanning_sites =
        keep(options_.spanning, result.spanning, "spanning", "clusters that join bar to bar", JoinsBoth{by_bar});
    result.articulation_sites = keep(options_.articulation, result.articulation, "articulation",
                                     "cells of spanning clusters whose removal cuts cells off the bars",
                                     IsMarked{by_colour, {by_bar}, is_articulation});
    result.red_sites = keep(options_.red, result.red, "red", "cells whose removal ends the spanning",
                            IsMarked{by_colour, {by_bar}, is_red});
    find_backbone(InBackbone{std::as_const(flood).state().view()}, {by_bar});
    run_.cell_updates = layout_.comm().sum(cell_updates_);
    return std::move(run_);
  }

 private:
  /// Labels, numbers and sizes of clusters, and the occupation: no business of the automaton.
  void take_labels() {
    PercolationResult& result = run_.result;
    result.occupation = static_cast<double>(sites_) / static_cast<double>(interior(layout_.grid()).cells());
    if (!options_.label && !options_.clusters && !options_.sizes) return;
    PercolationOptions wanted = options_;
    wanted.spanning = wanted.backbone = wanted.articulation = wanted.red = wanted.dangling = false;
    auto labelled = percolate(occupied_, wanted);
    result.label = std::move(labelled.label);
    result.sizes = std::move(labelled.sizes);
    result.clusters = labelled.clusters;
    result.spanning_clusters = labelled.spanning_clusters;
    result.largest_cluster = labelled.largest_cluster;
  }

  /// Colours the white clusters and classifies the black cells; whether black cells join bar to bar.
  bool classify(core::Field<Arms>& arms, core::Field<std::uint8_t>& marks) {
    PhasedCells cells(Classification{{compass_}, {{}, {{compass_}}}}, layout_, "colours");
    auto const colours = paper::colour_white_clusters(cells, occupied_, {});
    run_.steps.colours = colours.progress.steps;
    if (colours.spans()) {
      auto& rule = cells.stage<phase::classify>();
      rule.left = colours.left;
      rule.right = colours.right;
      cells.take<phase::classify>();
      core::for_each("arms and marks", layout_.all(),
                     TakeApart{std::as_const(cells).state().view(), arms.view(), marks.view()});
    }
    cell_updates_ += cells.cell_updates();
    return colours.spans();
  }

  template <class R>
  std::int64_t until_still(PhasedCells<R>& cells) {
    std::int64_t const n = cells.template until_still<0>().steps;
    cell_updates_ += cells.cell_updates();
    return n;
  }

  using Joined = PhasedCells<Join>;
  Joined no_cells_joined(char const* name) const { return Joined({compass_}, layout_, name, core::Reach::all); }
  /// Which bars the interior cells with f are joined to through such cells; returns the steps.
  template <class F>
  std::int64_t join(F const& f, Joined& joined) {
    core::for_each("join bars", layout_.all(), StartJoin<F>{{f, info_, compass_}, joined.state().view()});
    return until_still(joined);
  }

  /// D1: cells with a group reached. D2: those of them that are joined to both bars by such cells.
  void find_backbone(InBackbone const& d1, JoinsBoth const& spanning) {
    if (options_.definition == Definition::D1 || !run_.result.spans) return keep_backbone(d1, spanning);
    Joined electrodes = no_cells_joined("joined to electrodes");
    run_.steps.electrodes = join(d1, electrodes);
    keep_backbone(JoinsBoth{std::as_const(electrodes).state().view()}, spanning);
  }
  template <class F>
  void keep_backbone(F const& in_backbone, JoinsBoth const& spanning) {
    PercolationResult& result = run_.result;
    result.backbone_sites =
        keep(options_.backbone, result.backbone, "backbone", "cells on some path from bar to bar", in_backbone);
    result.dangling_sites =
        keep(options_.dangling, result.dangling, "dangling", "cells of spanning clusters outside the backbone",
             IsDangling<F>{spanning, in_backbone});
  }

  /// Counts the interior cells with f and writes them to a new field where it is wanted.
  template <class F>
  std::int64_t keep(bool wanted, std::unique_ptr<core::Field<std::uint8_t>>& field, char const* name,
                    char const* description, F const& f) {
    Interior<F> const inside{f, info_, compass_};
    if (wanted) {
      field = std::make_unique<core::Field<std::uint8_t>>(core::FieldInfo{name, description, "1", {}}, layout_, 0);
      core::for_each("write mask", layout_.all(), WriteMask<F>{inside, field->view()});
    }
    return core::count("count mask", layout_, inside);
  }

  core::Field<std::uint8_t>& occupied_;
  PercolationOptions const& options_;
  core::Layout const& layout_;
  core::TileInfo const* info_;
  std::int64_t sites_;  ///< interior black cells
  Compass compass_;
  std::int64_t cell_updates_ = 0;  ///< of this rank
  SynchronousResult run_;
};

}  // namespace propagation

SynchronousResult percolate_synchronously(core::Field<std::uint8_t>& occupied, PercolationOptions const& options) {
  core::Timed const timed(core::Part::compute);
  return propagation::Run(occupied, options)();
}

}  // namespace tessera::ca
