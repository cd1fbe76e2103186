// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/site.hpp"

#include "core/error.hpp"
#include "core/registry.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::run::rating {
namespace {

/// Temperatures are degrees Celsius; kelvins lie outside of these.
constexpr core::Dictionary::Range<double> of_the_ground{-60, 60};

/// `resistivity [K m/W]` or `conductivity [W/(m K)]`, one of the two; `capacity`.
Material read_ground(core::Dictionary const& in, Materials const& materials) {
  Material m;
  m.capacity = 2e6;
  bool const named = in.contains("material"), by_rho = in.contains("resistivity"),
             by_lambda = in.contains("conductivity");
  if (named + by_rho + by_lambda != 1)
    in.fail("resistivity", "expected one of resistivity [K m/W], conductivity [W/(m K)] and material");
  if (named) m = materials.named(in);
  if (by_rho) m.resistivity = in.get_in<double>("resistivity", {1e-3, 1e3});
  if (by_lambda) m.resistivity = 1 / in.get_in<double>("conductivity", {1e-3, 1e3});
  m.capacity = in.get_in<double>("capacity", {1e4, 1e8}, m.capacity);
  if (in.contains("dryResistivity")) m.dry = in.get_in<double>("dryResistivity", {m.resistivity, 1e3});
  return m;
}

}  // namespace

Site::Site(core::Dictionary& in) {
  Materials const materials(in.find_sub("materials"));
  ambient = in.get_in<double>("ambient", of_the_ground);
  auto& constructions = in.sub("types");
  for (auto const& name : constructions.keys())
    types.push_back(read_construction(constructions.sub(name), name, materials));
  auto& list = in.sub("circuits");
  auto const names = list.keys();
  bool const in_troughs = std::any_of(names.begin(), names.end(),
                                      [&](std::string const& name) { return list.sub(name).contains("trough"); });
  if (auto* all = in_troughs ? &in.sub("troughs") : in.find_sub("troughs"))
    for (auto const& name : all->keys()) troughs.emplace_back(all->sub(name), name, ambient);
  for (auto const& name : names) read_circuit(list.sub(name), name, materials);
  if (circuits.empty()) in.fail_entry("circuits", "is empty, expected a circuit");
  for (std::size_t t = 0; t < troughs.size(); ++t)
    if (std::none_of(circuits.begin(), circuits.end(),
                     [&](Circuit const& c) { return c.trough && c.trough->trough() == t; }))
      in.sub("troughs").fail_entry(troughs[t].name, "holds no circuit, expected one with trough { name ...; }");
  auto const lies_in_trough = std::stable_partition(
      cables.begin(), cables.end(), [&](Cable const& cable) { return !circuits[cable.circuit].trough; });
  in_ground = static_cast<std::size_t>(lies_in_trough - cables.begin());
  if (in_ground > 0) {
    read_soil(in, materials);
    read_drying(in);
  } else {
    refuse_ground(in);
  }
  check_places(list);
  read_history(in);
}

void Site::refuse_ground(core::Dictionary const& in) const {
  for (char const* key : {"soil", "surface", "beds", "dryAbove", "history", "mesh"})
    if (in.contains(key)) in.fail_expected(key, "none: all circuits lie in troughs, none in the ground");
}

void Site::read_soil(core::Dictionary& in, Materials const& materials) {
  soil = read_ground(in.sub("soil"), materials);
  if (auto* surface = in.find_sub("surface")) {
    if (surface->get_choice("type", {"isothermal", "convective"}) == "convective")
      convection = surface->get_in<double>("h", {1e-3, 1e4});
  }
  auto* list = in.find_sub("beds");
  if (list == nullptr) return;
  for (auto const& name : list->keys()) {
    auto& bed = list->sub(name);
    auto const box = bed.get<std::array<std::array<double, 2>, 2>>("box");
    if (!(box[0][0] < box[1][0] && box[0][1] < box[1][1] && box[1][1] <= 0))
      bed.fail_expected("box", "((x y) (x y)), the lower left corner first, y not above 0, the surface");
    beds.push_back({name, box[0], box[1], read_ground(bed, materials)});
  }
}

void Site::read_drying(core::Dictionary& in) {
  bool const some =
      soil.dry > 0 || std::any_of(beds.begin(), beds.end(), [](Bed const& b) { return b.material.dry > 0; });
  if (in.contains("dryAbove")) {
    dry_above = in.get_in<double>("dryAbove", of_conductors);
    if (!some) in.fail_expected("dryAbove", "dryResistivity in soil or in a bed beside it");
    if (*dry_above <= ambient)
      in.fail_expected(
          "dryAbove",
          fmt::format("a temperature above `ambient`, {} C: the ground would be dry without a load", ambient));
  } else if (some) {
    in.fail("dryAbove", "expected the temperature above which soil takes its dryResistivity [C]");
  }
}

void Site::read_history(core::Dictionary& in) {
  if (!in.contains("history")) return;
  if (!dry_above) in.fail_expected("history", "dryAbove beside it: what was is remembered by soil that dried out");
  std::vector<std::string> names;
  for (auto const& c : circuits) names.push_back(c.name);
  for (auto const& item : in.items("history")) {
    if (item.dictionary == nullptr) in.fail_expected("history", "a list of { CIRCUIT current; ... }");
    std::vector<double> currents(circuits.size(), 0.0);
    for (auto const& name : item.dictionary->keys()) {
      auto const found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) item.dictionary->fail(name, core::unknown_name("circuit", name, names));
      currents[static_cast<std::size_t>(found - names.begin())] = item.dictionary->get_in<double>(name, {0, 1e6});
    }
    history.push_back(std::move(currents));
  }
}

Site Site::carrying(std::vector<double> const& currents) const {
  Site result = *this;
  for (std::size_t c = 0; c < circuits.size(); ++c) result.circuits[c].current = currents[c];
  return result;
}

void Site::read_circuit(core::Dictionary& in, std::string const& name, Materials const& materials) {
  Circuit c;
  c.name = name;
  auto const type = in.get<std::string>("type");
  auto const found = std::find_if(types.begin(), types.end(), [&](auto const& t) { return t.name == type; });
  if (found == types.end()) {
    std::vector<std::string> valid;
    for (auto const& t : types) valid.push_back(t.name);
    in.fail("type", core::unknown_name("type", type, valid));
  }
  c.type = static_cast<std::size_t>(found - types.begin());
  if (auto* duct = in.find_sub("duct")) c.duct.emplace(*duct, *found, materials);
  c.positions = in.get<std::vector<std::array<double, 2>>>("positions");
  if (c.positions.size() != 1 && c.positions.size() != 3)
    in.fail_expected("positions", "one cable or the three of a circuit: ((x y) (x y) (x y))");
  c.formation = formation_of(c.positions);
  if (auto* trough = in.find_sub("trough")) {
    if (c.duct) in.fail_expected("trough", "none beside duct");
    c.trough.emplace(*trough, troughs, *found, c.positions);
  }
  c.frequency = in.get_in<double>("frequency", {0, 1000}, 50);
  auto const bonding = in.get_choice("bonding", {"bothEnds", "oneEnd", "crossed"}, "bothEnds");
  c.bonding = bonding == "bothEnds" ? Circuit::Bonding::both_ends
              : bonding == "oneEnd" ? Circuit::Bonding::one_end
                                    : Circuit::Bonding::crossed;
  bool const currents = found->sheath && c.frequency > 0 && c.positions.size() == 3;
  // circulating currents are much larger than eddies, which IEC 60287-1-1 neglects beside them
  c.eddies = in.get_or<bool>("eddies", currents && c.bonding != Circuit::Bonding::both_ends);
  if (c.eddies && currents && c.formation.kind == Formation::Kind::other)
    in.fail("eddies",
            "eddy currents of sheaths are known in trefoil and flat formation: expected positions of one of them, "
            "eddies no, or lossFactor in the layer");
  if (in.contains("eddies") && c.eddies && !currents)
    in.fail_expected("eddies", "no: there is no sheath whose currents are computed");
  if (c.frequency > 0 && c.positions.size() == 3 && c.formation.kind == Formation::Kind::other && !found->proximity)
    in.fail_entry("positions",
                  fmt::format("are neither trefoil nor flat, for which the proximity effect is known: expected yp in "
                              "the conductor of type {}",
                              type));
  auto const current = in.stream("current");
  if (current.peek().text == "rated")
    in.get<std::string>("current");
  else
    c.current = in.get_in<double>("current", {0, 1e6});
  c.limit = in.get_in<double>("limit", of_conductors, found->limit);
  c.where = in.location("limit");
  if (in.contains("load")) {
    if (c.trough)
      in.fail_expected("load", "none beside trough: how fast a trough gets warm is not known, its rating is steady");
    c.load = in.get<std::vector<double>>("load");
    auto const outside = [](double share) { return !(share >= 0 && share <= 1); };
    if (c.load.empty() || 1440 % c.load.size() != 0 || std::any_of(c.load.begin(), c.load.end(), outside) ||
        *std::max_element(c.load.begin(), c.load.end()) != 1)
      in.fail_expected(
          "load",
          "shares of the peak in equal parts of a day of whole minutes, from 0 to 1, the largest 1: 24 for hours, "
          "96 for quarters of an hour");
  }
  for (std::size_t n = 0; n < c.positions.size(); ++n)
    cables.push_back(
        {c.positions.size() == 1 ? name : fmt::format("{}-{}", name, n + 1), circuits.size(), n, c.positions[n]});
  circuits.push_back(std::move(c));
}

void Site::check_places(core::Dictionary& in) const {
  auto const where = [&](Cable const& cable) -> core::Dictionary& { return in.sub(circuits[cable.circuit].name); };
  for (std::size_t a = 0; a < cables.size(); ++a) {
    double const radius = type(cables[a]).outer();
    auto const [x, y] = cables[a].position;
    if (y + radius > 0)
      where(cables[a]).fail_entry("positions",
                                  fmt::format("put cable {} of radius {} m at y = {} m, expected it below the surface, "
                                              "y = 0",
                                              cables[a].name, radius, y));
    auto const outside = [&, x = x, y = y](auto const& box) {  // how far the axis is, below 0 within
      auto const beside = [&](double at, double low, double high) { return std::max(low - at, at - high); };
      return std::max(beside(x, box.low[0], box.high[0]), beside(y, box.low[1], box.high[1]));
    };
    auto const& placing = circuits[cables[a].circuit].trough;
    for (std::size_t t = 0; t < troughs.size(); ++t) {
      bool const own = placing && placing->trough() == t;
      if (own ? outside(troughs[t]) > -0.999 * radius : outside(troughs[t]) < radius)
        where(cables[a]).fail_entry("positions", fmt::format("put cable {} {} trough {}", cables[a].name,
                                                             own ? "not wholly into" : "into", troughs[t].name));
    }
    for (auto const& bed : beds)
      if (!placing && std::abs(outside(bed)) < radius)
        where(cables[a]).fail_entry("positions",
                                    fmt::format("put cable {} across the side of bed {}", cables[a].name, bed.name));
    for (std::size_t b = 0; b < a; ++b) {
      double const gap =
          std::hypot(x - cables[b].position[0], y - cables[b].position[1]) - radius - type(cables[b]).outer();
      if (gap < -1e-3 * radius)
        where(cables[a]).fail_entry(
            "positions", fmt::format("put cable {} {:.3g} m into cable {}", cables[a].name, -gap, cables[b].name));
    }
  }
}

bool Site::changes() const {
  return std::any_of(circuits.begin(), circuits.end(), [](Circuit const& c) { return !c.load.empty(); });
}

bool Site::ducts() const {
  return std::any_of(circuits.begin(), circuits.end(), [](Circuit const& c) { return c.duct.has_value(); });
}

std::size_t Site::loads() const {
  std::size_t result = 1;
  for (Cable const& cable : buried()) {
    auto const& layers = type(cable).layers;
    result += 1 + static_cast<std::size_t>(
                      std::count_if(layers.begin(), layers.end(), [](auto const& l) { return l.material.metal(); }));
  }
  return result;
}

double Site::drier() const {
  auto const ratio = [](Material const& m) { return m.dry > 0 ? m.dry / m.resistivity : 1.0; };
  double result = ratio(soil);
  for (auto const& bed : beds) result = std::max(result, ratio(bed.material));
  return result;
}

double Site::deepest() const {
  double depth = 0;
  for (auto const& cable : buried()) depth = std::max(depth, -cable.position[1]);
  return depth;
}

double Site::thinnest() const {
  double radius = type(cables.front()).conductor_radius;
  for (auto const& cable : buried()) radius = std::min(radius, type(cable).conductor_radius);
  return radius;
}

double Site::finest_detail() const {
  std::vector<Layer const*> metals;
  for (auto const& cable : buried())
    for (auto const& layer : type(cable).layers)
      if (layer.material.metal()) metals.push_back(&layer);
  auto const good = [&](double width) {
    return std::all_of(metals.begin(), metals.end(), [&](Layer const* l) { return l->thin(width) || l->thick(width); });
  };
  double best = thinnest() / 8;
  if (good(best)) return best;
  double const most = thinnest() / 4;
  std::vector<double> widths;
  for (Layer const* layer : metals)
    if (double const width = 1.41 * layer->thickness(); width > best && width <= most && good(width))
      widths.push_back(width);
  if (!widths.empty()) return *std::min_element(widths.begin(), widths.end());
  for (Layer const* layer : metals)
    if (!layer->thin(best)) best = std::min(best, layer->thickness() / 1.6);
  return best;
}

}  // namespace tessera::run::rating
