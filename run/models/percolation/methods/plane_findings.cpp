// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/methods/plane_findings.hpp"

#include "core/grid/sweep.hpp"

#include <utility>

namespace tessera::run::percolation::methods {
namespace detail {

/// Labels by the numbers of cells of the grid become labels by those of a box of it.
template <class T>
struct Renumber {
  core::FieldView<T> label;
  T across;         ///< cells of a row of the grid
  T width, x0, y0;  ///< of the box
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    T& here = label(s, k, j, i);
    if (here == 0) return;
    T const cell = here - 1;
    here = (cell / across - y0) * width + cell % across - x0 + 1;
  }
};

}  // namespace detail

namespace {

/// The numbers in labels are those of the input's cells: an added frame has none.
void number_input(core::FieldBase& label, Medium const& medium) {
  core::Box const& box = medium.input;
  if (box == medium.grid->box()) return;
  core::visit(label, [&]<class T>(core::Field<T>& field) {
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
      core::for_each("renumber", field.layout().all(),
                     detail::Renumber<T>{field.view(), static_cast<T>(medium.grid->cells()[0]),
                                         static_cast<T>(box.shape().i), static_cast<T>(box.lo.i),
                                         static_cast<T>(box.lo.j)});
  });
}

}  // namespace

ca::PercolationOptions plane_options(Settings const& settings, Query const& query) {
  return {.direction = direction_of(query.crossing),
          .definition = settings.definition,
          .label = settings.wants_labels() && query.first(),
          .spanning = settings.keeps("spanning") || settings.verify,
          .backbone = settings.keeps("backbone") || settings.conductivity,
          .articulation = settings.keeps("articulation"),
          .red = settings.keeps("red"),
          .dangling = settings.keeps("dangling"),
          .sizes = query.first() && !settings.input.ensemble};
}

Crossed take(ca::PercolationResult& result, Settings const& settings, Medium const& medium, Query const& query) {
  Crossed found;
  found.name = query.crossing.name;
  found.spans = result.spans;
  found.flag("spans", result.spans);
  found.count("spanningClusters", result.spanning_clusters);
  found.count("spanningSites", result.spanning_sites);
  found.count("backboneSites", result.backbone_sites);
  found.count("danglingSites", result.dangling_sites);
  found.count("articulationSites", result.articulation_sites);
  found.count("redSites", result.red_sites);
  if (query.first()) {
    Findings& findings = query.findings;
    findings.add("occupation", result.occupation);
    if (settings.conductivity) findings.add("porosity", result.occupation);
    findings.count("clusters", result.clusters);
    findings.count("largestCluster", result.largest_cluster);
    findings.sizes = std::move(result.sizes);
    findings.label = std::move(result.label);
    if (findings.label) number_input(*findings.label, medium);
  }
  found.spanning = std::move(result.spanning);
  found.backbone = std::move(result.backbone);
  found.dangling = std::move(result.dangling);
  found.articulation = std::move(result.articulation);
  found.red = std::move(result.red);
  return found;
}

}  // namespace tessera::run::percolation::methods
