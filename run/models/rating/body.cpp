// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/body.hpp"

#include "core/grid/sweep.hpp"
#include "run/models/heat/interfaces.hpp"

#include <algorithm>
#include <functional>

namespace tessera::run::rating {

namespace foam = io::foam;

foam::Solid::Part disc(std::array<double, 2> const& at, double radius) { return foam::make_disc(at[0], at[1], radius); }

foam::Solid::Part ring(std::array<double, 2> const& at, double inner, double outer) {
  auto solid = std::make_shared<foam::Solid>();
  solid->take(foam::Solid::Step::add, disc(at, outer));
  solid->take(foam::Solid::Step::subtract, disc(at, inner));
  return solid;
}

namespace {

using Shapes = std::vector<std::pair<foam::Solid::Part, double>>;
using OfLayer = std::function<double(std::size_t cable, std::size_t layer)>;

double conductivity_of(Material const& m) { return 1 / m.resistivity; }
double dry_conductivity_of(Material const& m) { return 1 / std::max(m.resistivity, m.dry); }
double capacity_of(Material const& m) { return m.capacity; }

/// A property of all there is, the later over the earlier.
Shapes shapes(Site const& site, double (*property)(Material const&), OfLayer const& of_layer) {
  Shapes result;
  for (auto const& bed : site.beds)
    result.emplace_back(foam::make_box({bed.low[0], bed.low[1], -1}, {bed.high[0], bed.high[1], 1}),
                        property(bed.material));
  for (std::size_t c = 0; c < site.buried().size(); ++c) {
    auto const& cable = site.cables[c];
    Construction const& type = site.type(cable);
    for (std::size_t n = type.layers.size(); n-- > 0;)
      result.emplace_back(disc(cable.position, type.layers[n].outer), of_layer(c, n));
    result.emplace_back(disc(cable.position, type.conductor_radius), property(type.conductor));
  }
  return result;
}

OfLayer of_material(Site const& site, double (*property)(Material const&)) {
  return [&site, property](std::size_t cable, std::size_t layer) {
    return property(site.type(site.cables[cable]).layers[layer].material);
  };
}

foam::Drawing drawing_of(double ground, Shapes const& shapes) {
  foam::Drawing drawing(ground);
  for (auto const& [shape, value] : shapes) drawing.draw(shape, value);
  return drawing;
}

/// The values at the cells' centres.
void fill(core::Field<double>& field, double ground, Shapes const& shapes) {
  core::Layout const& layout = field.layout();
  core::Grid const& grid = layout.grid();
  field.fill(ground);
  auto const out = field.host();
  for (auto const& [shape, value] : shapes) {
    core::Box const box = foam::cells_near(*shape, grid);
    for (int slot = 0; slot < layout.tiles(); ++slot)
      core::for_cells(layout.info(slot), box, [&, &shape = shape, value = value](int k, int j, int i) {
        if (shape->contains(foam::centre(grid, layout.info(slot).global(k, j, i)))) out(slot, k, j, i) = value;
      });
  }
}

/// Of the layers on either side of one.
double poorer_neighbour(Site const& site, std::size_t cable, std::size_t layer, double (*property)(Material const&)) {
  Construction const& type = site.type(site.cables[cable]);
  Material const& inside = layer == 0 ? type.conductor : type.layers[layer - 1].material;
  Material const& outside = layer + 1 == type.layers.size() ? site.soil : type.layers[layer + 1].material;
  return std::min(property(inside), property(outside));
}

}  // namespace

Body::Body(Site const& site, core::Layout const& layout, State state)
    : site_(site),
      layout_(layout),
      lambda_(core::FieldInfo{.name = "lambda", .description = "conductivity", .units = "W/(m K)"}, layout, 1) {
  make_shells();
  auto* const property = state == State::wet ? conductivity_of : dry_conductivity_of;
  double const ground = property(site.soil);
  auto const of_layer = of_material(site, property);
  auto const all = shapes(site, property, of_layer);
  fill(lambda_, ground, all);
  auto const drawing = drawing_of(ground, all);
  cuts_ = heat::cut_faces(drawing, layout);
  auto const without =
      drawing_of(ground, shapes(site, property, [&](std::size_t cable, std::size_t layer) {
                   return shell(cable, layer) ? poorer_neighbour(site, cable, layer, property) : of_layer(cable, layer);
                 }));
  auto const faces = shells_->faces(drawing, without, layout);
  cuts_.insert(cuts_.end(), faces.begin(), faces.end());  // the later ones hold
}

void Body::make_shells() {
  core::Grid const& grid = layout_.grid();
  auto const width = [&](std::array<double, 2> const& at, int axis) {
    auto const& a = grid.axis(axis);
    return a.width(a.faces_up_to(at[static_cast<std::size_t>(axis)]) - 1);
  };
  std::vector<heat::Shell> list;
  for (std::size_t c = 0; c < site_.buried().size(); ++c) {
    auto const& cable = site_.cables[c];
    auto const& layers = site_.type(cable).layers;
    for (std::size_t n = 0; n < layers.size(); ++n) {
      if (!layers[n].material.metal() || !layers[n].thin(std::min(width(cable.position, 0), width(cable.position, 1))))
        continue;
      number_[{c, n}] = list.size();
      list.push_back({cable.position[0], cable.position[1], layers[n].mean_radius(),
                      conductivity_of(layers[n].material) * layers[n].thickness()});
    }
  }
  shells_ = std::make_unique<heat::Shells>(list, grid);
  for (auto const& [layer, number] : number_)
    if (!shells_->has(number)) crowded_.push_back(layer);
}

std::optional<std::size_t> Body::shell(std::size_t cable, std::size_t layer) const {
  auto const found = number_.find({cable, layer});
  if (found == number_.end() || !shells_->has(found->second)) return std::nullopt;
  return found->second;
}

core::Field<double> Body::capacity() const {
  core::Field<double> result("rhoC", layout_, 0);
  double const ground = capacity_of(site_.soil);
  auto const all = shapes(site_, capacity_of, of_material(site_, capacity_of));
  fill(result, ground, all);
  heat::fill_means(drawing_of(ground, all), result);
  return result;
}

}  // namespace tessera::run::rating
