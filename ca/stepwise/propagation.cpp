// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/propagation.hpp"

#include "ca/stepwise/colours.hpp"
#include "ca/stepwise/propagation_rules.hpp"

namespace tessera::ca {
namespace propagation {

using Bytes = core::FieldView<std::uint8_t const>;

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
        compass_(options.direction, layout_.grid().cells()),
        halo_(layout_, 1) {}

  SynchronousResult operator()() {
    PercolationResult& result = run_.result;
    take_labels();
    core::Field<Arms> arms("arms", layout_, 1);
    core::Field<std::uint8_t> marks("marks", layout_, 0), joined("joined to bars", layout_, 1);
    result.spans = classify(arms, marks);
    if (result.spans) {
      run_.steps.classification = 1;
      run_.steps.flood = until_still(Flood{compass_}, arms);
      run_.steps.clusters = join(IsOccupied{std::as_const(occupied_).view()}, joined);
    }
    auto const by_colour = std::as_const(marks).view(), by_bar = std::as_const(joined).view();
    result.spanning_sites =
        keep(options_.spanning, result.spanning, "spanning", "clusters that join bar to bar", JoinsBoth{by_bar});
    result.articulation_sites = keep(options_.articulation, result.articulation, "articulation",
                                     "cells of spanning clusters whose removal cuts cells off the bars",
                                     IsMarked{by_colour, {by_bar}, is_articulation});
    result.red_sites = keep(options_.red, result.red, "red", "cells whose removal ends the spanning",
                            IsMarked{by_colour, {by_bar}, is_red});
    find_backbone(arms, joined);
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
    auto const colours = paper::colour_white_clusters(occupied_, compass_, halo_, {});
    run_.steps.colours = colours.progress.steps;
    cell_updates_ += colours.progress.cell_updates;
    if (!colours.spans()) return false;
    core::for_each(
        "classify arms", layout_.all(),
        Classify{colours.field.view(), arms.view(), marks.view(), info_, compass_, colours.left, colours.right});
    cell_updates_ += layout_.cells();
    return true;
  }

  template <class R>
  std::int64_t until_still(R const& rule, core::Field<std::uint8_t>& state) {
    core::Field<std::uint8_t> next("next state", layout_, 1);
    paper::Jacobi steps(rule, state, next, halo_);
    std::int64_t const n = steps.until_still();
    cell_updates_ += steps.cell_updates();
    return n;
  }

  /// Which bars the interior cells with f are joined to through such cells; returns the steps.
  template <class F>
  std::int64_t join(F const& f, core::Field<std::uint8_t>& joined) {
    core::for_each("join bars", layout_.all(), StartJoin<F>{{f, info_, compass_}, joined.view()});
    return until_still(Join{compass_}, joined);
  }

  /// D1: cells with a group reached. D2: those of them that are joined to both bars by such cells.
  void find_backbone(core::Field<Arms> const& arms, core::Field<std::uint8_t> const& joined) {
    InBackbone const d1{arms.view()};
    if (options_.definition == Definition::D1 || !run_.result.spans) return keep_backbone(d1, joined);
    core::Field<std::uint8_t> electrodes("joined to electrodes", layout_, 1);
    run_.steps.electrodes = join(d1, electrodes);
    keep_backbone(JoinsBoth{std::as_const(electrodes).view()}, joined);
  }
  template <class F>
  void keep_backbone(F const& in_backbone, core::Field<std::uint8_t> const& joined) {
    PercolationResult& result = run_.result;
    result.backbone_sites =
        keep(options_.backbone, result.backbone, "backbone", "cells on some path from bar to bar", in_backbone);
    result.dangling_sites =
        keep(options_.dangling, result.dangling, "dangling", "cells of spanning clusters outside the backbone",
             IsDangling<F>{{joined.view()}, in_backbone});
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
  core::Halo halo_;
  std::int64_t cell_updates_ = 0;  ///< of this rank
  SynchronousResult run_;
};

}  // namespace propagation

SynchronousResult percolate_synchronously(core::Field<std::uint8_t>& occupied, PercolationOptions const& options) {
  core::Timed const timed(core::Part::compute);
  return propagation::Run(occupied, options)();
}

}  // namespace tessera::ca
