// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/explorer.hpp"

#include "ca/backbones.hpp"
#include "ca/distances.hpp"
#include "ca/stepwise/paper.hpp"
#include "ca/stepwise/propagation.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/conduction.hpp"

#include <limits>
#include <utility>

namespace tessera::run::percolation {
namespace detail {

struct Without {
  core::FieldView<std::uint8_t const> all, less;
  core::FieldView<std::uint8_t> rest;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    rest(s, k, j, i) = all(s, k, j, i) != 0 && less(s, k, j, i) == 0;
  }
};
struct InBox {
  core::FieldView<std::uint8_t> mask;
  core::TileInfo const* info;
  core::Box box;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    mask(s, k, j, i) = box.contains(info[s].global(k, j, i)) ? 1 : 0;
  }
};
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

using Mask = core::Field<std::uint8_t>;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Mask> dangling_ends(Mask const& spanning, Mask const& backbone) {
  auto rest = std::make_unique<Mask>(
      core::FieldInfo{"dangling", "sites of spanning clusters off the backbone", "1", {}}, spanning.layout(), 0);
  core::for_each("dangling", spanning.layout().all(), detail::Without{spanning.view(), backbone.view(), rest->view()});
  return rest;
}

void rename(std::unique_ptr<Mask>& mask, std::string const& name) {
  auto info = mask->info();
  info.name = name;
  auto renamed = std::make_unique<Mask>(std::move(info), mask->layout(), mask->halo());
  renamed->swap_values(*mask);
  mask = std::move(renamed);
}

/// The layer of cells of a box beside a side.
core::Box beside(core::Box box, core::Side side) {
  core::Count core::Index::*const along[3] = {&core::Index::i, &core::Index::j, &core::Index::k};
  auto const axis = along[static_cast<int>(side) / 2];
  if (static_cast<int>(side) % 2 == 1)
    box.lo.*axis = box.hi.*axis - 1;
  else
    box.hi.*axis = box.lo.*axis + 1;
  return box;
}

}  // namespace

Explorer::Explorer(Settings const& settings, Medium const& medium, core::Layout const& layout)
    : settings_(settings),
      medium_(medium),
      layout_(layout) {
  for (Crossing const& crossing : settings.crossings) {
    bool const needed = crossing.ends() && (!settings.plane || settings.shortest_path || settings.conductivity);
    ends_.push_back(needed ? std::optional(ends_of(crossing)) : std::nullopt);
  }
  if (settings.plane)
    percolator_.emplace(layout);
  else
    finder_.emplace(layout);
}

Explorer::Ends Explorer::ends_of(Crossing const& crossing) {
  Ends ends{std::make_unique<Mask>("inlet", layout_, 0), std::make_unique<Mask>("outlet", layout_, 0), false, {}, {}};
  auto const fill = [&](Port const& port, Mask& mask, core::Box& box, core::Report::Json& found) {
    if (port.mask) {
      found = port.mask->load(mask, medium_.interior.lo);
      ends.masks = true;
      return;
    }
    box = beside(medium_.interior, *port.side);
    core::for_each("port", layout_.all(), detail::InBox{mask.view(), layout_.all().info.data(), box});
  };
  fill(crossing.inlet, *ends.inlet, ends.inlet_box, inlet_);
  fill(crossing.outlet, *ends.outlet, ends.outlet_box, outlet_);
  return ends;
}

void Explorer::describe_ports(core::Report& report) const {
  if (!inlet_.is_null()) report["inlet"] = inlet_;
  if (!outlet_.is_null()) report["outlet"] = outlet_;
}

std::vector<std::string> Explorer::mask_hashes() const {
  std::vector<std::string> hashes;
  for (auto const& ends : ends_)
    if (ends && ends->masks)
      for (Mask const* mask : {ends->inlet.get(), ends->outlet.get()})
        hashes.push_back(mask->name() + "Mask " + core::hash(*mask));
  return hashes;
}

Findings Explorer::operator()(Mask& occupied, core::Random random) {
  Findings findings;
  for (std::size_t n = 0; n < settings_.crossings.size(); ++n) {
    Crossing const& crossing = settings_.crossings[n];
    findings.crossings.push_back(settings_.paper ? cross_paper(crossing, occupied, random, findings)
                                 : settings_.plane
                                     ? cross_plane(crossing, occupied, findings)
                                     : cross_lattice(crossing, ends_[n] ? &*ends_[n] : nullptr, occupied, findings));
    Crossed& found = findings.crossings.back();
    if (!ends_[n]) continue;
    if (settings_.shortest_path) add_path(*ends_[n], occupied, found);
    if (settings_.conductivity) {
      Mask const* conducting = found.backbone ? found.backbone.get() : found.spanning.get();
      core::expect(conducting != nullptr, "conduction needs the backbone or the spanning clusters");
      add_conductivity(crossing, *ends_[n], findings.common.front().value, *conducting, found);
    }
  }
  add_wrapping(findings);
  for (Crossed& c : findings.crossings) {
    // masks that were needed on the way; the story of the published automata shows the spanning clusters
    if (!settings_.keeps("spanning") && !settings_.keeps("marked")) c.spanning.reset();
    if (!settings_.keeps("backbone")) c.backbone.reset();
    if (findings.crossings.size() > 1)
      for (auto* mask : {&c.spanning, &c.backbone, &c.dangling, &c.articulation, &c.red, &c.marked})
        if (*mask) rename(*mask, (*mask)->name() + "_" + c.name);  // NAME_DIRECTION
  }
  return findings;
}

Crossed Explorer::cross_plane(Crossing const& crossing, Mask& occupied, Findings& findings) {
  auto const direction = crossing.axis == 0 ? ca::Direction::x : ca::Direction::y;
  ca::frame(occupied, direction);
  bool const first = findings.crossings.empty();
  ca::PercolationOptions const options{.direction = direction,
                                       .definition = settings_.definition,
                                       .label = settings_.keeps("label") && first,
                                       .spanning = settings_.keeps("spanning"),
                                       .backbone = settings_.keeps("backbone") || settings_.conductivity,
                                       .articulation = settings_.keeps("articulation"),
                                       .red = settings_.keeps("red"),
                                       .dangling = settings_.keeps("dangling"),
                                       .sizes = first && !settings_.input.ensemble};
  ca::SynchronousResult stepwise;
  if (settings_.synchronous) {
    stepwise = ca::percolate_synchronously(occupied, options);
    findings.add_steps(stepwise.steps.total() + stepwise.steps.clusters + stepwise.steps.electrodes,
                       stepwise.cell_updates);
  }
  ca::PercolationResult& result = settings_.synchronous ? stepwise.result : percolator_->run(occupied, options);
  Crossed found;
  found.name = crossing.name;
  found.spans = result.spans;
  found.flag("spans", result.spans);
  found.count("spanningClusters", result.spanning_clusters);
  found.count("spanningSites", result.spanning_sites);
  found.count("backboneSites", result.backbone_sites);
  found.count("danglingSites", result.dangling_sites);
  found.count("articulationSites", result.articulation_sites);
  found.count("redSites", result.red_sites);
  if (settings_.synchronous) {
    found.count("steps.colours", stepwise.steps.colours);
    found.count("steps.classification", stepwise.steps.classification);
    found.count("steps.flood", stepwise.steps.flood);
    found.count("steps.total", stepwise.steps.total());
  }
  if (first) {
    findings.add("occupation", result.occupation);
    if (settings_.conductivity) findings.add("porosity", result.occupation);
    findings.count("clusters", result.clusters);
    findings.count("largestCluster", result.largest_cluster);
    for (auto const& [cells, clusters] : result.sizes) findings.sizes.push_back({cells, clusters});
    findings.label = std::move(result.label);
    if (findings.label) number_input(*findings.label);
  }
  found.spanning = std::move(result.spanning);
  found.backbone = std::move(result.backbone);
  found.dangling = std::move(result.dangling);
  found.articulation = std::move(result.articulation);
  found.red = std::move(result.red);
  return found;
}

Crossed Explorer::cross_paper(Crossing const& crossing, Mask& occupied, core::Random random, Findings& findings) {
  auto const direction = crossing.axis == 0 ? ca::Direction::x : ca::Direction::y;
  ca::frame(occupied, direction);
  auto paper = ca::run_paper(occupied, {.direction = direction,
                                        .update = settings_.random_order ? ca::Update::random : ca::Update::synchronous,
                                        .random = random});
  auto& exact = percolator_->run(occupied, {.direction = direction,
                                            .label = false,
                                            .spanning = settings_.keeps("marked"),
                                            .backbone = settings_.keeps("marked") || settings_.keeps("backbone"),
                                            .articulation = false,
                                            .red = false});
  if (findings.crossings.empty()) findings.add("occupation", paper.occupation);
  findings.add_steps(paper.steps.total(), paper.cell_updates);
  Crossed found;
  found.name = crossing.name;
  found.spans = paper.spans;
  found.flag("spans", paper.spans);
  found.count("backboneSites", exact.backbone_sites);
  found.count("markedSites", paper.backbone_sites);
  found.count("removedSites", paper.removed_sites);
  found.count("whiteSites", paper.white_sites);
  found.count("taggedSites", paper.tagged_sites);
  found.count("restoredSites", paper.restored_sites);
  found.count("steps.A1", paper.steps.a1);
  found.count("steps.A2", paper.steps.a2);
  found.count("steps.A3", paper.steps.a3);
  found.count("steps.A4", paper.steps.a4);
  found.count("steps.A5", paper.steps.a5);
  found.count("steps.total", paper.steps.total());
  found.spanning = std::move(exact.spanning);
  found.backbone = std::move(exact.backbone);
  if (settings_.keeps("marked")) found.marked = std::move(paper.backbone);
  return found;
}

Crossed Explorer::cross_lattice(Crossing const& crossing, Ends const* ends, Mask const& occupied, Findings& findings) {
  bool const first = findings.crossings.empty(), dangling = settings_.keeps("dangling") && settings_.backbone;
  bool const mask = settings_.keeps("spanning") || dangling || (settings_.conductivity && !settings_.backbone);
  bool const ported = crossing.axis < 0;
  auto clusters = finder_->run(occupied, {.lattice = settings_.lattice,
                                          .inlet = ported ? ends->inlet.get() : nullptr,
                                          .outlet = ported ? ends->outlet.get() : nullptr,
                                          .label = settings_.keeps("label") && first,
                                          .spanning = mask && !ported,
                                          .axis = crossing.axis,
                                          .connecting = mask && ported});
  if (first) {
    double const occupation = static_cast<double>(clusters.sites) / static_cast<double>(medium_.sites());
    findings.add("occupation", occupation);
    if (settings_.conductivity) findings.add("porosity", occupation);
    findings.count("clusters", clusters.clusters);
    findings.count("largestCluster", clusters.largest);
    for (auto const& [size, count] : clusters.sizes) findings.sizes.push_back({size, count});
    findings.label = std::move(clusters.label);
  }
  auto const axis = static_cast<std::size_t>(ported ? 0 : crossing.axis);
  auto const spanning = ported              ? clusters.connecting
                        : crossing.periodic ? clusters.wrapping[axis]
                                            : clusters.spanning[axis];
  Crossed found;
  found.name = crossing.name;
  found.spans = static_cast<bool>(spanning);
  found.flag(crossing.periodic ? "wraps" : "spans", found.spans);
  found.count(crossing.periodic ? "wrappingClusters" : "spanningClusters", spanning.clusters);
  found.count(crossing.periodic ? "wrappingSites" : "spanningSites", spanning.sites);
  found.spanning = std::move(ported ? clusters.connecting_mask : clusters.spanning_mask);
  if (ported && found.spanning) rename(found.spanning, "spanning");
  if (!ends || !settings_.backbone) return found;

  auto blocks = ca::backbone_between(occupied, *ends->inlet, *ends->outlet, settings_.lattice,
                                     {.backbone = settings_.keeps("backbone") || dangling || settings_.conductivity,
                                      .articulation = settings_.keeps("articulation"),
                                      .red = settings_.keeps("red")});
  found.count("backboneSites", blocks.backbone_sites);
  found.count("danglingSites", spanning.sites - blocks.backbone_sites);
  found.count("articulationSites", blocks.articulation_sites);
  found.count("redSites", blocks.red_sites);
  if (dangling) found.dangling = dangling_ends(*found.spanning, *blocks.backbone);
  found.backbone = std::move(blocks.backbone);
  found.articulation = std::move(blocks.articulation);
  found.red = std::move(blocks.red);
  return found;
}

/// The numbers in labels are those of the input's cells: an added frame has none.
void Explorer::number_input(core::FieldBase& label) const {
  core::Box const& box = medium_.input;
  if (box == medium_.grid->box()) return;
  core::visit(label, [&]<class T>(core::Field<T>& field) {
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
      core::for_each("renumber", layout_.all(),
                     detail::Renumber<T>{field.view(), static_cast<T>(medium_.grid->cells()[0]),
                                         static_cast<T>(box.shape().i), static_cast<T>(box.lo.i),
                                         static_cast<T>(box.lo.j)});
  });
}

/// On a torus, with all directions: whether something wraps round either axis, and round both.
void Explorer::add_wrapping(Findings& findings) const {
  if (findings.crossings.size() < 2) return;
  bool either = false, both = true;
  for (std::size_t n = 0; n < findings.crossings.size(); ++n) {
    if (!settings_.crossings[n].periodic) return;
    either = either || findings.crossings[n].spans;
    both = both && findings.crossings[n].spans;
  }
  findings.common.push_back({"wrapsAny", Quantity::Kind::flag, either ? 1.0 : 0.0, false});
  findings.common.push_back({"wrapsAll", Quantity::Kind::flag, both ? 1.0 : 0.0, false});
}

/// Sites on a shortest path from end to end, and how much longer it is than a straight one.
void Explorer::add_path(Ends const& ends, Mask const& occupied, Crossed& found) const {
  ca::ShortestPath path;
  if (found.spans) path = ca::shortest_path(occupied, *ends.inlet, *ends.outlet, settings_.lattice);
  found.quantities.push_back(
      {"shortestPath", Quantity::Kind::count, path.sites > 0 ? static_cast<double>(path.sites) : undefined});
  found.add("tortuosity", path.sites > 0 ? path.tortuosity : undefined);
}

/// Conductance of the backbone, and what it says of the medium between opposite sides:
///   conductivity      in units of the conductivity of a fully occupied medium: conductance x length / area
///   tortuosityFactor  porosity / conductivity, as image tools define it
void Explorer::add_conductivity(Crossing const& crossing, Ends const& ends, double occupation, Mask const& conducting,
                                Crossed& found) const {
  solvers::Conduction result;
  if (found.spans)
    result = solvers::conduct(conducting,
                              {.inlet = ends.inlet_box,
                               .outlet = ends.outlet_box,
                               .inlet_mask = ends.masks ? ends.inlet.get() : nullptr,
                               .outlet_mask = ends.masks ? ends.outlet.get() : nullptr,
                               .bond = settings_.electrode_bond},
                              settings_.potential);
  found.add("conductance", result.conductance);
  found.solves = std::move(result.solves);
  found.notes = std::move(result.notes);
  if (crossing.axis < 0) return;
  auto const shape = medium_.interior.shape();
  double const cells[3] = {static_cast<double>(shape.i), static_cast<double>(shape.j), static_cast<double>(shape.k)};
  double const along = cells[crossing.axis];
  double const area = cells[(crossing.axis + 1) % 3] * cells[(crossing.axis + 2) % 3];
  double const length = settings_.electrode_bond == 1 ? along + 1 : along;
  double const conductivity = result.conductance * length / area;
  found.add("conductivity", conductivity);
  found.add("tortuosityFactor", found.spans ? occupation / conductivity : undefined);
}

}  // namespace tessera::run::percolation
