// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"
#include "core/grid/sweep.hpp"
#include "run/models/percolation/analysis.hpp"

#include <algorithm>

namespace tessera::run::percolation::analyses {

/// Clusters of each phase of a label image, whatever is occupied.
class PhaseTable final : public Analysis {
 public:
  static constexpr char const* help =
      "phaseTable yes;   of constant/percolationProperties: of each phase its share of the medium, its clusters, and "
      "whether "
      "one of them\n"
      "                  spans, over neighbours of the lattice; what is occupied does not matter\n"
      "phaseValues (1 2 3);   the whole numbers that phases have in the file (of random media: 0 empty, 1 occupied)\n"
      "Found, for phase 1: phases.1.sites, share, clusters, largestCluster; from inlet to outlet phases.1.spans, "
      "spanningClusters,\n"
      "spanningSites; tables postProcessing/phases.csv and, along each direction, phaseSpans.csv";

  void read(core::Dictionary& properties, Settings const& settings) override {
    phases_ = properties.get<std::vector<std::int64_t>>("phaseValues");
    if (phases_.empty()) properties.fail_entry("phaseValues", "is empty, expected whole numbers");
    std::ranges::sort(phases_);
    if (auto const twice = std::ranges::adjacent_find(phases_); twice != phases_.end())
      properties.fail_entry("phaseValues", fmt::format("holds {} twice", *twice));
    keeps_ = !settings.input.ensemble;
  }
  bool wants_ends() const override { return true; }
  double bytes() const override { return 13; }

  void look(Subject const& subject, Findings& findings) override {
    FoundTable table{"phases", {"phase", "sites", "share", "clusters", "largestCluster"}, {}};
    for_each_phase(subject, {.lattice = subject.settings.lattice}, [&](double phase, ca::ClusterResult const& found) {
      auto const sites = static_cast<double>(found.sites), share = sites / static_cast<double>(subject.medium.sites),
                 clusters = static_cast<double>(found.clusters), largest = static_cast<double>(found.largest);
      add(findings.common, phase, "sites", Quantity::Kind::count, sites);
      add(findings.common, phase, "share", Quantity::Kind::number, share);
      add(findings.common, phase, "clusters", Quantity::Kind::count, clusters);
      add(findings.common, phase, "largestCluster", Quantity::Kind::count, largest);
      table.rows.push_back({phase, sites, share, clusters, largest});
    });
    if (keeps_) findings.tables.push_back(std::move(table));
  }

  void look_across(Subject const& subject, Crossing const&, Ends const& ends, Crossed& found) override {
    FoundTable table{"phaseSpans", {"phase", "spans", "spanningClusters", "spanningSites"}, {}};
    for_each_phase(subject,
                   {.lattice = subject.settings.lattice, .inlet = ends.inlet.get(), .outlet = ends.outlet.get()},
                   [&](double phase, ca::ClusterResult const& result) {
                     auto const clusters = static_cast<double>(result.connecting.clusters),
                                sites = static_cast<double>(result.connecting.sites), spans = clusters > 0 ? 1.0 : 0.0;
                     add(found.quantities, phase, "spans", Quantity::Kind::flag, spans);
                     add(found.quantities, phase, "spanningClusters", Quantity::Kind::count, clusters);
                     add(found.quantities, phase, "spanningSites", Quantity::Kind::count, sites);
                     table.rows.push_back({phase, spans, clusters, sites});
                   });
    if (keeps_) found.tables.push_back(std::move(table));
  }

 private:
  static void add(std::vector<Quantity>& to, double phase, char const* what, Quantity::Kind kind, double value) {
    to.push_back({fmt::format("phases.{:.0f}.{}", phase, what), kind, value, false});
  }

  /// Calls found(phase, clusters of its sites). The values of the file are read anew, so that nothing of them stays.
  template <class Found>
  void for_each_phase(Subject const& subject, ca::ClusterOptions const& options, Found const& found) const {
    core::Layout const& layout = subject.occupied.layout();
    auto const value = values(subject);
    core::Field<std::uint8_t> mask("phase", layout, 0);
    ca::ClusterFinder finder(layout);
    Inside const inside(subject.medium, layout);
    Places const& places = subject.medium.places;
    core::Index const origin = subject.medium.interior.lo;
    for (auto const phase : phases_) {
      auto const here = static_cast<double>(phase);
      core::for_each_on_host("phase", layout,
                             [&, from = std::as_const(*value).host(), to = mask.host()](int s, int k, int j, int i) {
                               to(s, k, j, i) = from(s, k, j, i) == here && inside(s, k, j, i) &&
                                                places.at(layout.info(s).global(k, j, i) - origin) == Place::site;
                             });
      found(here, finder.run(mask, options));
    }
  }

  std::vector<std::int64_t> phases_;
  bool keeps_ = true;
};

[[maybe_unused]] static bool const added =
    add_analysis<PhaseTable>("phaseTable", "of each phase of a label image: share, clusters, what spans");

}  // namespace tessera::run::percolation::analyses
