// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/results.hpp"

#include "core/case/digest.hpp"
#include "core/files.hpp"
#include "core/grid/sweep.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/pictures/picture.hpp"
#include "io/snapshot.hpp"
#include "run/models/rating/page.hpp"
#include "run/restart/restart.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run::rating {
namespace detail {

struct Celsius {
  core::FieldView<double const> kelvin;
  core::FieldView<double> celsius;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    celsius(s, k, j, i) = kelvin(s, k, j, i) - 273.15;
  }
};

}  // namespace detail

namespace {

using Json = core::Report::Json;

/// By Richardson: errors are of second order in the width.
double error(double fine, double coarse) { return std::abs(fine - coarse) / 3; }

}  // namespace

double estimated_error(Site const& site, State const& fine, State const& coarse, std::size_t circuit) {
  if (!site.circuits[circuit].current)
    return error(fine.currents[circuit], coarse.currents[circuit]) / fine.currents[circuit];
  std::size_t const n = fine.hottest(site, circuit);
  return error(fine.cables[n].conductor, coarse.cables[n].conductor);
}

void Results::of_section(Section& section, std::vector<Sensitivity> const& sensitivities, core::Report& report) const {
  auto const balance = section.balance();
  double const surface = balance.in[static_cast<std::size_t>(core::Side::top)];
  report.results()["balance"] = {{"produced", balance.produced},
                                 {"surface", -surface},
                                 {"ground", -(balance.total_in() - surface)},
                                 {"error", balance.error()}};
  if (auto const dry = section.dry_area()) {
    report.results()["dryArea"] = *dry;
    session_.log.line("{:.4g} m2 of soil are dry, above {:.4g} C{}", *dry, *site_.dry_above,
                      site_.history.empty() ? "" : " now or in the history");
  }
  auto const& temperature = section.temperature();
  report.hash("T", core::hash(temperature));
  for (auto const& of : sensitivities) report.hash(of.map->name(), core::hash(*of.map));
  if (!writes_) return;
  core::Timed const timed(core::Part::io);
  io::SnapshotSeries series(session_.files.output("results"), session_.files.name());
  std::vector<core::FieldBase const*> fields{&temperature};
  for (auto const& of : sensitivities) fields.push_back(&*of.map);
  set_aside_later_snapshots(session_, 0, series.write(0, 0, fields, session_.files.texts()));
  core::Field<double> celsius("T", temperature.layout(), 0);
  core::for_each("celsius", temperature.layout().all(), detail::Celsius{temperature.view(), celsius.view()});
  io::draw_field(
      session_.files.output("results/T.png"), celsius,
      {.title = "Cables at their ratings", .region = around_cables(temperature.layout().grid()), .unit = "C"});
}

void Results::of_solver(Section const& section, core::Report& report) const {
  Json iterations = Json::array(), residuals = Json::array();
  double seconds = 0;
  for (auto const& p : section.solves()) {
    iterations.push_back(p.iterations);
    residuals.push_back(p.final);
    seconds += p.seconds;
  }
  auto const& last = section.solves().back();
  report["solvers"]["T"] = {{"solver", last.solver},      {"preconditioner", last.preconditioner},
                            {"iterations", iterations},   {"solveSeconds", seconds},
                            {"finalResidual", residuals}, {"converged", true}};
}

void Results::of_ratings(core::Field<double> const* temperature, Ratings const& fine, Ratings const& coarse,
                         core::Report& report) const {
  cables(fine.state, report);
  if (!site_.troughs.empty()) troughs(fine.state, report);
  circuits(fine.state, coarse.state, report);
  if (fine.daily) daily(*fine.daily, *coarse.daily, report);
  if (fine.emergency) emergency(*fine.emergency, *coarse.emergency, report);
  if (!fine.sensitivities.empty()) sensitivities(fine.sensitivities, report);
  if (writes_) write_page(fine, coarse, temperature);
}

void Results::write_page(Ratings const& fine, Ratings const& coarse, core::Field<double> const* temperature) const {
  Surroundings around;
  std::vector<Surroundings> maps;
  if (temperature != nullptr) {
    auto const part = around_cables(temperature->layout().grid());
    around = surroundings(*temperature, part);
    for (auto const& of : fine.sensitivities) maps.push_back(surroundings(*of.map, part));
  }
  io::on_root(session_.comm, [&] {
    core::write_file(session_.files.output("results/rating.html"),
                     page(session_.files.name(), site_, fine, coarse, around, maps));
  });
}

void Results::cables(State const& state, core::Report& report) const {
  Log& log = session_.log;
  log.line("\n{:<16} {:>10} {:>12} {:>10} {:>10} {:>12}", "cable", "current A", "conductor C", "metal C", "surface C",
           "losses W/m");
  std::string table =
      "cable,current_A,conductor_C,surface_C,conductor_loss_W_per_m,dielectric_loss_W_per_m,losses_W_per_m\n";
  Json json = Json::object();
  for (std::size_t n = 0; n < state.cables.size(); ++n) {
    auto const& cable = site_.cables[n];
    auto const& s = state.cables[n];
    double const current = state.currents[cable.circuit];
    bool const limiting = !site_.circuits[cable.circuit].current && state.hottest(site_, cable.circuit) == n;
    log.line("{:<16} {:>10.2f} {:>12.2f} {:>10} {:>10.2f} {:>12.3f}{}", cable.name, current, s.conductor,
             s.metal.empty() ? "-" : fmt::format("{:.2f}", s.metal.front()), s.surface, s.losses(),
             limiting ? "  limits" : "");
    table += fmt::format("{},{:.8g},{:.6f},{:.6f},{:.8g},{:.8g},{:.8g}\n", cable.name, current, s.conductor, s.surface,
                         s.conductor_loss, s.dielectric_loss, s.losses());
    json[cable.name] = {{"current", current},
                        {"resistance", s.resistance},
                        {"conductorLoss", s.conductor_loss},
                        {"dielectricLoss", s.dielectric_loss},
                        {"metalLoss", s.metal_loss},
                        {"losses", s.losses()},
                        {"conductor", s.conductor},
                        {"metal", s.metal},
                        {"surface", s.surface}};
    if (s.duct) json[cable.name]["duct"] = *s.duct;
  }
  report.results()["cables"] = json;
  write_table("postProcessing/cables.csv", table);
}

void Results::troughs(State const& state, core::Report& report) const {
  Json json = Json::object();
  for (std::size_t t = 0; t < site_.troughs.size(); ++t) {
    auto const& trough = site_.troughs[t];
    double const watts = heat_in_trough(site_, state, t);
    json[trough.name] = {{"air", state.troughs[t]}, {"losses", watts}, {"perimeter", trough.perimeter}};
    session_.log.line("Trough {}: air at {:.2f} C, which gives off {:.2f} W/m through {:.4g} m of its perimeter",
                      trough.name, state.troughs[t], watts, trough.perimeter);
  }
  report.results()["troughs"] = json;
  std::string bits;
  for (std::size_t n = site_.in_ground; n < state.cables.size(); ++n)
    bits += fmt::format("{:a} ", state.cables[n].conductor);
  report.hash("troughs", core::Digest::of(bits));
}

void Results::circuits(State const& state, State const& coarse, core::Report& report) const {
  Json json = Json::object();
  for (std::size_t c = 0; c < site_.circuits.size(); ++c) {
    Circuit const& circuit = site_.circuits[c];
    std::size_t const n = state.hottest(site_, c);
    double const temperature = state.cables[n].conductor, current = state.currents[c];
    json[circuit.name] = {{"current", current},
                          {"rated", !circuit.current},
                          {"temperature", temperature},
                          {"limit", circuit.limit},
                          {"hottest", site_.cables[n].name}};
    std::string good = "in a trough, by formulas";
    if (!circuit.trough) {
      double const estimate = estimated_error(site_, state, coarse, c);
      json[circuit.name]["estimatedError"] = estimate;
      good = circuit.current ? fmt::format("the mesh is good for {:.2g} K", estimate)
                             : fmt::format("the mesh is good for {:.2g} %", 100 * estimate);
    }
    if (circuit.current)
      session_.log.line("Circuit {}: {:.2f} C at {:.6g} A{}; {}", circuit.name, temperature, current,
                        temperature > circuit.limit ? fmt::format(", ABOVE its limit of {:.4g} C", circuit.limit) : "",
                        good);
    else
      session_.log.line("Circuit {}: may carry {:.2f} A; {}", circuit.name, current, good);
  }
  report.results()["circuits"] = json;
}

void Results::daily(DailyRating const& rating, DailyRating const& coarse, core::Report& report) const {
  std::string head = "hour", text;
  for (std::size_t c = 0; c < site_.circuits.size(); ++c) {
    auto const& circuit = site_.circuits[c];
    head += fmt::format(",{0}_A,{0}_C", circuit.name);
    double const estimate = circuit.current ? error(rating.highest[c], coarse.highest[c])
                                            : error(rating.peaks[c], coarse.peaks[c]) / rating.peaks[c];
    report.results()["daily"][circuit.name] = {{"peak", rating.peaks[c]},
                                               {"factor", rating.factors[c]},
                                               {"highest", rating.highest[c]},
                                               {"estimatedError", estimate}};
    session_.log.line(
        "Circuit {}: {} {:.2f} A at the peak of its day, {:.4f} of the steady current; the hottest conductor reaches "
        "{:.2f} C; the mesh is good for {:.2g} {}",
        circuit.name, circuit.current ? "has" : "may carry", rating.peaks[c], rating.factors[c], rating.highest[c],
        circuit.current ? estimate : 100 * estimate, circuit.current ? "K" : "%");
  }
  for (auto const& row : rating.day) {
    text += fmt::format("{:.8g}", row.hour);
    for (std::size_t c = 0; c < row.currents.size(); ++c)
      text += fmt::format(",{:.8g},{:.6f}", row.currents[c], row.temperatures[c]);
    text += "\n";
  }
  write_table("postProcessing/daily.csv", head + "\n" + text);
}

void Results::emergency(EmergencyRating const& rating, EmergencyRating const& coarse, core::Report& report) const {
  auto const& name = site_.circuits[rating.circuit].name;
  double const estimate = rating.sought_current ? error(rating.current, coarse.current) / rating.current
                                                : error(rating.seconds, coarse.seconds) / rating.seconds;
  report.results()["emergency"] = {
      {"circuit", name},           {"current", rating.current},         {"seconds", rating.seconds},
      {"reached", rating.reached}, {"temperature", rating.temperature}, {"estimatedError", estimate}};
  if (rating.reached)
    session_.log.line("Circuit {}: {:.2f} A may flow for {:.4g} h, until {:.2f} C; the mesh is good for {:.2g} % of {}",
                      name, rating.current, rating.seconds / 3600, rating.temperature, 100 * estimate,
                      rating.sought_current ? "the current" : "the time");
  else
    session_.log.line("Circuit {}: {:.2f} A stay below the limit for {:.4g} d: {:.2f} C then", name, rating.current,
                      rating.seconds / 86400, rating.temperature);
  std::string text = "seconds,conductor_C\n";
  for (auto const& row : rating.curve) text += fmt::format("{:.8g},{:.6f}\n", row.time, row.temperature);
  write_table("postProcessing/emergency.csv", text);
}

void Results::sensitivities(std::vector<Sensitivity> const& of, core::Report& report) const {
  Json json = Json::object();
  for (std::size_t c = 0; c < of.size(); ++c) {
    auto const& s = of[c];
    char const* const unit = site_.circuits[c].current ? "K" : "A";
    Json beds = Json::object();
    std::string line = fmt::format("{:+.4g} {} for 1 K m/W more of soil", s.soil, unit);
    for (std::size_t b = 0; b < s.beds.size(); ++b) {
      beds[site_.beds[b].name] = s.beds[b];
      line += fmt::format(", {:+.4g} of bed {}", s.beds[b], site_.beds[b].name);
    }
    line += fmt::format("; {:+.4g} for 1 K of the ground", s.ambient);
    if (s.depth) line += fmt::format("; {:+.4g} for 1 m of depth", *s.depth);
    if (s.spacing) line += fmt::format("; {:+.4g} for 1 m in each gap between cables", *s.spacing);
    session_.log.line("Circuit {} gains {}", site_.circuits[c].name, line);
    auto& out =
        json[site_.circuits[c].name] = {{"unit", unit}, {"soil", s.soil}, {"beds", beds}, {"ambient", s.ambient}};
    if (s.depth) out["depth"] = *s.depth;
    if (s.spacing) out["spacing"] = *s.spacing;
  }
  report.results()["sensitivity"] = json;
}

void Results::write_table(char const* name, std::string const& text) const {
  if (!writes_) return;
  io::on_root(session_.comm, [&] {
    auto const file = session_.files.output(name);
    core::make_folder_of(file);
    core::write_file(file, text);
  });
}

/// From the surface to twice the depth, and as far to the sides.
core::Box Results::around_cables(core::Grid const& grid) const {
  double const depth = site_.deepest();
  double left = site_.cables.front().position[0], right = left;
  for (auto const& cable : site_.buried()) {
    left = std::min(left, cable.position[0]);
    right = std::max(right, cable.position[0]);
  }
  auto const& x = grid.axis(0);
  auto const& y = grid.axis(1);
  return {{x.faces_below(left - depth), y.faces_below(-2 * depth), 0}, {x.faces_up_to(right + depth), y.cells(), 1}};
}

}  // namespace tessera::run::rating
