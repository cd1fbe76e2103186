// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/cluster_table.hpp"

#include "core/grid/sweep.hpp"
#include "run/models/percolation/analysis.hpp"

#include <algorithm>

namespace tessera::run::percolation::analyses {

/// What each cluster looks like, as a table.
class ClusterTable final : public Analysis {
 public:
  static constexpr char const* help = "clusterTable yes; of constant/percolationProperties: "
                                      "postProcessing/clusters.csv, a row a cluster, the largest first: label,\n"
                                      "                  sites, the first and last cells of its box along each axis, "
                                      "its centre, its radius of gyration (both in\n"
                                      "                  the unit of the grid), and which sides it touches (1 or 0). "
                                      "Beyond a periodic side a cluster is taken as its cells lie\n"
                                      "leastSites 1;     rows for clusters of so many sites or more";
  void read(core::Dictionary& properties, Settings const& settings) override {
    if (settings.input.ensemble)
      properties.fail_entry("clusterTable", "is for one medium; of several only numbers are kept");
    auto const fields = settings.method->fields();
    if (std::find(fields.begin(), fields.end(), "label") == fields.end())
      properties.fail_entry("clusterTable", "is yes, expected no: this method finds no labels");
    least_ = properties.get_in<std::int64_t>("leastSites", {1, std::numeric_limits<std::int64_t>::max()}, 1);
  }
  bool wants_labels() const override { return true; }
  core::By computed_by() const override { return core::By::one_thread; }
  double bytes() const override { return 1; }

  void look(Subject const& subject, Findings& findings) override {
    Medium const& medium = subject.medium;
    FoundTable table{"clusters", {"label", "sites"}, {}};
    core::Box const box = medium.bounds;
    core::Count const low[3] = {box.lo.i, box.lo.j, box.lo.k}, high[3] = {box.hi.i, box.hi.j, box.hi.k};
    core::Count const zero[3] = {medium.input.lo.i, medium.input.lo.j, medium.input.lo.k};
    std::vector<std::size_t> axes;
    for (std::size_t a = 0; a < 3; ++a)
      if (medium.grid->cells()[a] > 1) axes.push_back(a);
    auto const column = [&](char const* what) {
      for (std::size_t a : axes) table.columns.push_back(std::string(1, "xyz"[a]) + what);
    };
    column("First");
    column("Last");
    column("Centre");
    table.columns.push_back("gyration");
    for (std::size_t a : axes)
      for (std::size_t side : {2 * a, 2 * a + 1}) table.columns.push_back(std::string(core::side_names[side]));
    for (auto const& c : ca::cluster_table(*subject.label, least_)) {
      core::Count const first[3] = {c.box.lo.i, c.box.lo.j, c.box.lo.k}, last[3] = {c.box.hi.i, c.box.hi.j, c.box.hi.k};
      std::vector<double> row{static_cast<double>(c.label), static_cast<double>(c.cells)};
      for (std::size_t a : axes) row.push_back(static_cast<double>(first[a] - zero[a]));
      for (std::size_t a : axes) row.push_back(static_cast<double>(last[a] - 1 - zero[a]));
      for (std::size_t a : axes) row.push_back(c.centre[a]);
      row.push_back(c.gyration);
      for (std::size_t a : axes) {
        bool const open = !medium.grid->periodic(static_cast<int>(a));
        row.push_back(open && first[a] == low[a] ? 1 : 0);
        row.push_back(open && last[a] == high[a] ? 1 : 0);
      }
      table.rows.push_back(std::move(row));
    }
    findings.tables.push_back(std::move(table));
  }

 private:
  std::int64_t least_ = 1;
};

[[maybe_unused]] static bool const added = add_analysis<ClusterTable>(
    "clusterTable", "a row a cluster: sites, box, centre, radius of gyration, sides touched");

}  // namespace tessera::run::percolation::analyses
