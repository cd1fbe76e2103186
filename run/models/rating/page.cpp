// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/page.hpp"

#include "core/version.hpp"
#include "io/pictures/contours.hpp"
#include "io/pictures/page.hpp"
#include "io/pictures/plots.hpp"
#include "io/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace tessera::run::rating {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string fixed(double x, int digits = 2) { return fmt::format("{:.{}f}", x, digits); }

Rows circuits(Site const& site, Ratings const& fine, Ratings const& coarse) {
  Rows rows{{"circuit", "current A", "conductor C", "limit C", "mesh good for"}};
  bool const daily = fine.daily.has_value();
  if (daily) rows[0].insert(rows[0].end(), {"peak of the day A", "factor", "highest C"});
  for (std::size_t c = 0; c < site.circuits.size(); ++c) {
    Circuit const& circuit = site.circuits[c];
    double const error = circuit.trough ? 0 : estimated_error(site, fine.state, coarse.state, c);
    double const highest = fine.state.highest(site)[c];
    std::vector<std::string> row{circuit.name + (circuit.current ? " (given)" : ""), fixed(fine.state.currents[c]),
                                 fixed(highest) +
                                     (circuit.current && highest > circuit.limit ? " above its limit" : ""),
                                 fixed(circuit.limit, 1),
                                 circuit.trough    ? "by formulas"
                                 : circuit.current ? fmt::format("{:.2g} K", error)
                                                   : fmt::format("{:.2g} %", 100 * error)};
    if (daily)
      row.insert(row.end(),
                 {fixed(fine.daily->peaks[c]), fixed(fine.daily->factors[c], 4), fixed(fine.daily->highest[c])});
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows cables(Site const& site, State const& state) {
  Rows rows{{"cable", "current A", "conductor C", "first metal C", "surface C", "conductor W/m", "dielectric W/m",
             "metals W/m", "all W/m", ""}};
  for (std::size_t n = 0; n < state.cables.size(); ++n) {
    auto const& cable = site.cables[n];
    auto const& s = state.cables[n];
    double metals = 0;
    for (double w : s.metal_loss) metals += w;
    bool const limiting = !site.circuits[cable.circuit].current && state.hottest(site, cable.circuit) == n;
    rows.push_back({cable.name, fixed(state.currents[cable.circuit]), fixed(s.conductor),
                    s.metal.empty() ? "" : fixed(s.metal.front()), fixed(s.surface), fixed(s.conductor_loss, 3),
                    fixed(s.dielectric_loss, 3), fixed(metals, 3), fixed(s.losses(), 3), limiting ? "limits" : ""});
  }
  return rows;
}

void draw(Site const& site, Cable const& cable, io::ContourPlot& plot) {
  Construction const& type = site.type(cable);
  for (auto const& layer : type.layers)
    plot.circles.push_back({cable.position[0], cable.position[1], layer.outer, false});
  plot.circles.push_back({cable.position[0], cable.position[1], type.conductor_radius, true});
}

io::ContourPlot drawing(Site const& site, Surroundings const& around) {
  io::ContourPlot plot;
  plot.unit = "degrees Celsius";
  plot.x = around.x;
  plot.y = around.y;
  plot.values = around.values;
  for (auto const& bed : site.beds) plot.boxes.push_back({bed.low[0], bed.low[1], bed.high[0], bed.high[1]});
  for (auto const& cable : site.buried()) draw(site, cable, plot);
  if (site.dry_above) plot.dashed = {*site.dry_above};
  return plot;
}

/// Round all cables in the ground, so many of their largest radius beyond them.
void zoom(Site const& site, io::ContourPlot& plot, double beyond) {
  plot.left = plot.bottom = 1e300;
  plot.right = plot.top = -1e300;
  double largest = 0;
  for (auto const& cable : site.buried()) largest = std::max(largest, site.type(cable).outer());
  for (auto const& cable : site.buried()) {
    plot.left = std::min(plot.left, cable.position[0] - beyond * largest);
    plot.right = std::max(plot.right, cable.position[0] + beyond * largest);
    plot.bottom = std::min(plot.bottom, cable.position[1] - beyond * largest);
    plot.top = std::min(0.0, std::max(plot.top, cable.position[1] + beyond * largest));
  }
}

std::string isotherms(Site const& site, Surroundings const& around) {
  auto plot = drawing(site, around);
  std::string const dry = site.dry_above ? fmt::format("; dashed: {:.4g} C, soil is dry within{}", *site.dry_above,
                                                       site.history.empty() ? "" : " and where it dried before")
                                         : "";
  plot.title = "Isotherms" + dry;
  plot.left = around.x.front();
  plot.right = around.x.back();
  plot.bottom = around.y.front();
  plot.top = 0;
  std::string body = "<div class=\"plots\">\n<div>" + io::contour_plot(plot) + "</div>\n";
  plot.title = "The cables";
  zoom(site, plot, 2.5);
  // the levels of what is shown
  std::vector<double> shown;
  for (std::size_t j = 0; j < plot.y.size(); ++j)
    for (std::size_t i = 0; i < plot.x.size(); ++i)
      if (plot.x[i] > plot.left && plot.x[i] < plot.right && plot.y[j] > plot.bottom && plot.y[j] < plot.top)
        shown.push_back(plot.values[j * plot.x.size() + i]);
  if (!shown.empty()) {
    auto const [low, high] = std::minmax_element(shown.begin(), shown.end());
    double const step = *high - *low > 25 ? 5 : *high - *low > 10 ? 2 : 1;
    for (double n = std::ceil(*low / step); n * step < *high; ++n) plot.levels.push_back(n * step);
  }
  return body + "<div>" + io::contour_plot(plot) + "</div>\n</div>\n";
}

/// Each trough with its cables and the temperatures of their conductors.
std::string troughs(Site const& site, State const& state) {
  Rows rows{{"trough", "air C", "heat of its cables W/m", "perimeter m", "air above C"}};
  std::string plots;
  for (std::size_t t = 0; t < site.troughs.size(); ++t) {
    auto const& trough = site.troughs[t];
    rows.push_back({trough.name, fixed(state.troughs[t]), fixed(heat_in_trough(site, state, t), 3),
                    fixed(trough.perimeter, 3), fixed(trough.ambient, 1)});
    io::ContourPlot plot;
    plot.title = fmt::format("Trough {}: air at {:.1f} C, conductors [C]", trough.name, state.troughs[t]);
    double const margin = 0.05 * (trough.high[0] - trough.low[0]);
    plot.left = trough.low[0] - margin;
    plot.right = trough.high[0] + margin;
    plot.bottom = trough.low[1] - margin;
    plot.top = margin;
    plot.boxes.push_back({trough.low[0], trough.low[1], trough.high[0], trough.high[1]});
    for (std::size_t n = site.in_ground; n < site.cables.size(); ++n) {
      auto const& cable = site.cables[n];
      if (site.circuits[cable.circuit].trough->trough() != t) continue;
      draw(site, cable, plot);
      plot.texts.push_back(
          {cable.position[0], cable.position[1] + 1.1 * site.type(cable).outer(), fixed(state.cables[n].conductor, 1)});
    }
    plots += "<div>" + io::contour_plot(plot) + "</div>\n";
  }
  return "<h2>Troughs</h2>\n" + io::html_table(rows) + "<div class=\"plots\">\n" + plots + "</div>\n";
}

std::string day(Site const& site, DailyRating const& rating) {
  io::LinePlot temperature{"Hottest conductor through the day", "hour", "C", {}}, current{"Current", "hour", "A", {}};
  for (std::size_t c = 0; c < site.circuits.size(); ++c) {
    io::LinePlot::Curve t{site.circuits[c].name, {}}, i{site.circuits[c].name, {}};
    double begin = 0;
    t.points.emplace_back(begin, rating.day.back().temperatures[c]);  // the day before is like this one
    for (auto const& row : rating.day) {
      t.points.emplace_back(row.hour, row.temperatures[c]);
      i.points.emplace_back(begin, row.currents[c]);  // from the end of the step before to the end of this one
      i.points.emplace_back(row.hour, row.currents[c]);
      begin = row.hour;
    }
    temperature.curves.push_back(std::move(t));
    current.curves.push_back(std::move(i));
    if (!site.circuits[c].current)
      temperature.curves.push_back(
          {"limit of " + site.circuits[c].name, {{0, site.circuits[c].limit}, {24, site.circuits[c].limit}}, true});
  }
  return "<div class=\"plots\">\n<div>" + io::line_plot(temperature) + "</div>\n<div>" + io::line_plot(current) +
         "</div>\n</div>\n";
}

std::string overload(Site const& site, EmergencyRating const& rating) {
  bool const days = rating.seconds > 3 * 86400;
  double const unit = days ? 86400 : 3600;
  io::LinePlot::Curve curve{site.circuits[rating.circuit].name, {}};
  for (auto const& row : rating.curve) curve.points.emplace_back(row.time / unit, row.temperature);
  return "<div class=\"plots\">\n<div>" +
         io::line_plot({fmt::format("Emergency: {:.6g} A", rating.current), days ? "days" : "hours", "C", {curve}}) +
         "</div>\n</div>\n";
}

Rows gains(Site const& site, std::vector<Sensitivity> const& of) {
  Rows rows{{"circuit gains", "soil, 1 K m/W more"}};
  for (auto const& bed : site.beds) rows[0].push_back(fmt::format("{}, 1 K m/W more", bed.name));
  rows[0].insert(rows[0].end(), {"ground, 1 K more", "1 m deeper", "gaps, 1 m more"});
  for (std::size_t c = 0; c < of.size(); ++c) {
    auto const& s = of[c];
    auto const told = [&](std::optional<double> x) {
      return x ? fmt::format("{:+.4g} {}", *x, site.circuits[c].current ? "K" : "A") : "";
    };
    std::vector<std::string> row{site.circuits[c].name, told(s.soil)};
    for (double const bed : s.beds) row.push_back(told(bed));
    row.insert(row.end(), {told(s.ambient), told(s.depth), told(s.spacing)});
    rows.push_back(std::move(row));
  }
  return rows;
}

/// How much of what the ground brings lies where it brings at least as much as here, in hundredths of all.
std::vector<double> shares(Site const& site, Sensitivity const& of, Surroundings const& map) {
  double all = of.soil * site.soil.resistivity;
  for (std::size_t b = 0; b < of.beds.size(); ++b) all += of.beds[b] * site.beds[b].material.resistivity;
  std::vector<std::size_t> order(map.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const gain = [&](std::size_t n) { return map.values[n] / -all; };  // the one sign, whatever is asked for
  auto const in_cable = [&](std::size_t n) { return map.values[n] == 0; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gain(a) > gain(b); });
  std::vector<double> result(order.size());
  double sum = 0;
  for (std::size_t n : order) {
    sum += gain(n) * map.areas[n];
    result[n] = in_cable(n) ? 0 : 100 * sum;
  }
  return result;
}

std::string what_the_ground_brings(Site const& site, Ratings const& fine, std::vector<Surroundings> const& maps) {
  std::string body = "<h2>What the ground brings</h2>\n" + io::html_table(gains(site, fine.sensitivities)) +
                     "<p>Changes at small differences, all other circuits at their own limits. The lines hold so many "
                     "hundredths of what ground that conducts better brings to a circuit: backfill pays within "
                     "them.</p>\n<div class=\"plots\">\n";
  for (std::size_t c = 0; c < maps.size(); ++c) {
    auto plot = drawing(site, maps[c]);
    plot.values = shares(site, fine.sensitivities[c], maps[c]);
    plot.levels = {25, 50, 75, 90};
    plot.dashed = {};
    plot.title = "Where better ground brings circuit " + site.circuits[c].name +
                 (site.circuits[c].current ? " lower temperatures" : " more current");
    plot.unit = "% of it within";
    plot.left = maps[c].x.front();
    plot.right = maps[c].x.back();
    plot.bottom = maps[c].y.front();
    plot.top = 0;
    body += "<div>" + io::contour_plot(plot) + "</div>\n";
  }
  return body + "</div>\n";
}

}  // namespace

Surroundings surroundings(core::Field<double> const& field, core::Box const& part) {
  core::Layout const& layout = field.layout();
  Surroundings result;
  bool const root = layout.comm().root();
  if (root) result.values.resize(static_cast<std::size_t>(part.cells()));
  io::IntoMemory sink(reinterpret_cast<std::byte*>(result.values.data()));
  io::gather(field, part, root ? &sink : nullptr);
  if (!root) return result;
  if (field.info().units == "K")
    for (double& t : result.values) t -= 273.15;
  auto const& grid = layout.grid();
  for (auto i = part.lo.i; i < part.hi.i; ++i) result.x.push_back(grid.axis(0).centre(i));
  for (auto j = part.lo.j; j < part.hi.j; ++j) result.y.push_back(grid.axis(1).centre(j));
  for (auto j = part.lo.j; j < part.hi.j; ++j)
    for (auto i = part.lo.i; i < part.hi.i; ++i) result.areas.push_back(grid.axis(0).width(i) * grid.axis(1).width(j));
  return result;
}

std::string page(std::string const& name, Site const& site, Ratings const& fine, Ratings const& coarse,
                 Surroundings const& temperature, std::vector<Surroundings> const& maps) {
  std::string body = io::html_table(circuits(site, fine, coarse));
  if (fine.emergency) {
    auto const& e = *fine.emergency;
    body += fmt::format("<p>Emergency of circuit {}: {:.2f} A {} {:.4g} h, {:.2f} C at the end.</p>\n",
                        io::escaped(site.circuits[e.circuit].name), e.current,
                        e.reached ? "may flow for" : "stay below the limit for", e.seconds / 3600, e.temperature);
  }
  if (site.in_ground > 0) body += isotherms(site, temperature);
  body += io::html_table(cables(site, fine.state));
  if (!site.troughs.empty()) body += troughs(site, fine.state);
  if (!maps.empty()) body += what_the_ground_brings(site, fine, maps);
  if (fine.daily) body += day(site, *fine.daily);
  if (fine.emergency) body += overload(site, *fine.emergency);
  return io::html({"Cable rating: " + name, {fmt::format("Tessera {} ({})", core::version, core::commit)}, body});
}

}  // namespace tessera::run::rating
