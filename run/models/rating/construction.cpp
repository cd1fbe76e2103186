// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/construction.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace tessera::run::rating {
namespace {

/// Radii in metres, so that one given in millimetres is found.
constexpr core::Dictionary::Range<double> radii{1e-4, 0.5};

/// R20 of a data sheet is told in Ohm/km.
void expect_per_metre(core::Dictionary const& in, double resistance20, double solid) {
  if (resistance20 > 100 * solid)
    in.fail_entry("R20",
                  fmt::format("is {} Ohm/m, {:.0f} times that of the metal without gaps, {:.4g}: expected Ohm/m, "
                              "which is a thousandth of Ohm/km",
                              resistance20, resistance20 / solid, solid));
}

void read_conductor(core::Dictionary& in, Construction& c, Materials const& materials) {
  c.conductor_radius = 0.5 * in.get_in<double>("diameter", radii);
  c.conductor = materials.named(in);
  if (!c.conductor.metal()) in.fail_expected("material", "a metal");
  double const circle = std::numbers::pi * c.conductor_radius * c.conductor_radius;
  if (in.contains("R20")) {
    if (in.contains("area")) in.fail_expected("area", "none beside R20");
    c.resistance20 = in.get_positive<double>("R20");
    if (c.resistance20 < 0.9 * c.conductor.rho20 / circle)
      in.fail_entry("R20", fmt::format("is {} Ohm/m, less than that of a solid circle, {:.4g}", c.resistance20,
                                       c.conductor.rho20 / circle));
    expect_per_metre(in, c.resistance20, c.conductor.rho20 / circle);
  } else {
    double const area = in.get_positive<double>("area");
    if (area > 1.001 * circle)
      in.fail_entry("area", fmt::format("is {} m2, more than the circle has, {:.4g}", area, circle));
    c.resistance20 = c.conductor.rho20 / area;
  }
  c.ks = in.get_in<double>("ks", {0, 2}, 1);
  c.kp = in.get_in<double>("kp", {0, 2}, 1);
  if (in.contains("ys")) c.skin = in.get_in<double>("ys", {0, 10});
  if (in.contains("yp")) c.proximity = in.get_in<double>("yp", {0, 10});
}

Layer read_layer(core::Dictionary& in, double inner, Materials const& materials) {
  Layer layer;
  layer.name = in.get<std::string>("name");
  layer.inner = inner;
  layer.outer = inner + in.get_in<double>("thickness", {1e-5, radii.most});
  layer.material = materials.named(in);
  if (layer.material.metal()) {
    double const ring = 2 * std::numbers::pi * layer.mean_radius() * layer.thickness();
    layer.resistance20 = in.get_positive<double>("R20", layer.material.rho20 / ring);
    if (in.contains("R20")) expect_per_metre(in, layer.resistance20, layer.material.rho20 / ring);
    if (in.contains("lossFactor")) layer.loss_factor = in.get_in<double>("lossFactor", {0, 100});
  }
  return layer;
}

void read_layers(core::Dictionary& in, Construction& c, Materials const& materials) {
  for (auto const& item : in.items("layers")) {
    if (item.dictionary == nullptr) in.fail_expected("layers", "a list of { name; thickness; material; }");
    Layer layer = read_layer(*item.dictionary, c.outer(), materials);
    for (auto const& other : c.layers)
      if (other.name == layer.name) item.dictionary->fail_entry("name", "is that of two layers");
    std::size_t const n = c.layers.size();
    if (layer.name == "insulation") c.insulation = n;
    if (layer.material.metal() && !layer.loss_factor) {
      if (c.sheath)
        item.dictionary->fail("material",
                              fmt::format("layer '{}' is of metal, as '{}' is: expected lossFactor in one of them",
                                          layer.name, c.layers[*c.sheath].name));
      c.sheath = n;
    }
    c.layers.push_back(std::move(layer));
  }
}

}  // namespace

Construction read_construction(core::Dictionary& in, std::string const& name, Materials const& materials) {
  Construction c;
  c.name = name;
  read_conductor(in.sub("conductor"), c, materials);
  read_layers(in, c, materials);
  c.limit = in.get_in<double>("limit", of_conductors, 90);
  c.voltage = in.get_in<double>("voltage", {0, 2e6}, 0);
  // no heat worth counting; numbers such as 132 are kV
  if (c.voltage > 0 && c.voltage < 1000)
    in.fail_entry("voltage",
                  fmt::format("is {} V, expected volts between phases from 1000 on, such as 132e3; cables of "
                              "less are rated without it",
                              c.voltage));
  if (c.voltage > 0 && !c.insulation)
    in.fail("layers", "voltage wants to know what it lies across: expected a layer named insulation");
  if (c.voltage > 0 && !(c.layers[*c.insulation].material.permittivity > 0))
    in.fail("layers",
            "voltage lies across layer 'insulation', expected a material with permittivity and lossFactor there");
  return c;
}

}  // namespace tessera::run::rating
