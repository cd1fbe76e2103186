// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/circuits.hpp"

#include "core/error.hpp"
#include "run/models/rating/joint_currents.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::run::rating {
namespace {

/// Number of the sheath among the cable's metal layers.
std::size_t sheath_number(Construction const& type) {
  std::size_t n = 0;
  for (std::size_t layer = 0; layer < *type.sheath; ++layer) n += type.layers[layer].material.metal();
  return n;
}

/// Heat in sheaths whose currents are computed.
class SheathLosses {
 public:
  SheathLosses(Site const& site, State const& state)
      : site_(site),
        state_(state),
        circulating_(site.cables.size(), 0.0) {
    for (Circuit const& c : site.circuits)
      if (c.frequency > 0 && std::find(frequencies_.begin(), frequencies_.end(), c.frequency) == frequencies_.end())
        frequencies_.push_back(c.frequency);
    for (double f : frequencies_) circulate(f);
  }

  double operator()(std::size_t n) const {
    Cable const& cable = site_.cables[n];
    Circuit const& circuit = site_.circuits[cable.circuit];
    Construction const& type = site_.type(cable);
    double const rs = resistance_of(n), current = state_.currents[cable.circuit];
    double watts = rs * circulating_[n] * circulating_[n];
    if (!circuit.eddies || circuit.positions.size() != 3 || circuit.frequency == 0) return watts;
    bool const flat = circuit.formation.kind == Formation::Kind::flat;
    double factor = eddy_factor(
        type.layers[*type.sheath], circuit.formation, flat && cable.place == circuit.formation.middle,
        flat && cable.place == (circuit.formation.middle + 1) % 3, circuit.frequency, rs, state_.cables[n].resistance);
    if (circuit.bonding == Circuit::Bonding::both_ends) {
      double const k = 2 * std::numbers::pi * circuit.frequency * 2e-7;
      double const x = k * std::log(circuit.formation.spacing / type.layers[*type.sheath].mean_radius()),
                   xm = k * std::log(2.0);
      factor *= flat ? eddy_share(rs / (x + xm), rs / (x - xm / 3)) : eddy_share(rs / x, rs / x);
    }
    return watts + factor * state_.cables[n].resistance * current * current;
  }

 private:
  double resistance_of(std::size_t n) const {
    Construction const& type = site_.type(site_.cables[n]);
    return resistance(type.layers[*type.sheath], state_.cables[n].metal[sheath_number(type)]);
  }

  void circulate(double frequency) {
    std::vector<Sheath> sheaths;
    std::vector<std::size_t> number;
    for (std::size_t n = 0; n < site_.cables.size(); ++n) {
      Cable const& cable = site_.cables[n];
      Circuit const& circuit = site_.circuits[cable.circuit];
      if (circuit.frequency != frequency) continue;
      Construction const& type = site_.type(cable);
      Sheath sheath;
      sheath.position = cable.position;
      sheath.current = state_.currents[cable.circuit];
      sheath.phase = -2 * std::numbers::pi * static_cast<double>(cable.place) / 3;
      if (type.sheath) {
        sheath.radius = type.layers[*type.sheath].mean_radius();
        sheath.resistance = resistance_of(n);
        // the sheath of a cable alone has nothing to close its current
        if (circuit.bonding == Circuit::Bonding::both_ends && circuit.positions.size() == 3)
          sheath.bonded = static_cast<int>(cable.circuit);
      }
      sheaths.push_back(sheath);
      number.push_back(n);
    }
    auto const currents = circulating_currents(sheaths, frequency);
    for (std::size_t n = 0; n < number.size(); ++n) circulating_[number[n]] = currents[n];
  }

  Site const& site_;
  State const& state_;
  std::vector<double> frequencies_, circulating_;
};

/// Given currents, and for the others what would be if they were alone, sharing the rise.
std::vector<double> first_guess(Site const& site, Responses const& responses) {
  State rest = at_rest(site);
  for (auto const& c : site.circuits) rest.currents[&c - site.circuits.data()] = c.current.value_or(1);
  set_losses(site, rest);
  auto const sought =
      std::count_if(site.circuits.begin(), site.circuits.end(), [](auto const& c) { return !c.current; });
  for (std::size_t n = 0; n < site.cables.size(); ++n) {
    std::size_t const c = site.cables[n].circuit;
    if (site.circuits[c].current) continue;
    double own = 1;  // in a trough, about [K m/W]
    if (n < responses.cables.size()) {
      std::size_t const part = responses.cables[n].conductor;
      own = responses.rise[part][responses.load_of[part]];
    }
    rest.currents[c] = std::sqrt(std::max(1.0, site.circuits[c].limit - site.ambient) /
                                 (3 * own * rest.cables[n].resistance * static_cast<double>(sought)));
  }
  return rest.currents;
}

}  // namespace

double CableState::losses() const {
  return conductor_loss + dielectric_loss + std::accumulate(metal_loss.begin(), metal_loss.end(), 0.0);
}

State at_rest(Site const& site) {
  State state;
  state.currents.assign(site.circuits.size(), 0.0);
  for (auto const& cable : site.cables) {
    auto const& layers = site.type(cable).layers;
    CableState s;
    s.conductor = s.surface = site.ambient;
    s.metal.assign(static_cast<std::size_t>(
                       std::count_if(layers.begin(), layers.end(), [](auto const& l) { return l.material.metal(); })),
                   site.ambient);
    s.metal_loss.assign(s.metal.size(), 0.0);
    s.dielectric_loss = dielectric_loss(site.type(cable), site.circuits[cable.circuit].frequency);
    state.cables.push_back(std::move(s));
  }
  for (auto const& trough : site.troughs) state.troughs.push_back(trough.ambient);
  return state;
}

std::size_t State::hottest(Site const& site, std::size_t circuit) const {
  std::size_t best = Responses::none;
  for (std::size_t n = 0; n < cables.size(); ++n)
    if (site.cables[n].circuit == circuit && (best == Responses::none || cables[n].conductor > cables[best].conductor))
      best = n;
  return best;
}

std::vector<double> State::highest(Site const& site) const {
  std::vector<double> result;
  for (std::size_t c = 0; c < site.circuits.size(); ++c) result.push_back(cables[hottest(site, c)].conductor);
  return result;
}

std::vector<double> State::heat(Responses const& responses) const {
  std::vector<double> result(responses.loads, 0.0);
  for (std::size_t n = 0; n < responses.cables.size(); ++n) {
    auto const& parts = responses.cables[n];
    result[responses.load_of[parts.conductor]] = cables[n].conductor_loss;
    for (std::size_t m = 0; m < parts.metals.size(); ++m)
      result[responses.load_of[parts.metals[m]]] = cables[n].metal_loss[m];
  }
  result.back() = 1;
  return result;
}

void set_losses(Site const& site, State& state) {
  for (std::size_t n = 0; n < site.cables.size(); ++n) {
    Cable const& cable = site.cables[n];
    Circuit const& circuit = site.circuits[cable.circuit];
    auto& s = state.cables[n];
    double const current = state.currents[cable.circuit];
    s.resistance = ac_resistance(site.type(cable), circuit.formation, circuit.frequency, s.conductor);
    s.conductor_loss = current * current * s.resistance;
  }
  SheathLosses const sheath(site, state);
  for (std::size_t n = 0; n < site.cables.size(); ++n) {
    std::size_t metal = 0;
    Construction const& type = site.type(site.cables[n]);
    for (std::size_t layer = 0; layer < type.layers.size(); ++layer) {
      if (!type.layers[layer].material.metal()) continue;
      auto const& given = type.layers[layer].loss_factor;
      // direct currents induce nothing
      bool const induces = site.circuits[site.cables[n].circuit].frequency > 0;
      state.cables[n].metal_loss[metal++] = !given ? sheath(n) : induces ? *given * state.cables[n].conductor_loss : 0;
    }
  }
}

double set_temperatures(Site const& site, std::vector<CableParts> const& parts, std::vector<double> const& rises,
                        State& state) {
  double change = 0;
  auto const set = [&](double& t, std::size_t part) {
    double const now = site.ambient + rises[part];
    change = std::max(change, std::abs(now - t));
    t = now;
  };
  for (std::size_t n = 0; n < parts.size(); ++n) {
    auto& s = state.cables[n];
    set(s.conductor, parts[n].conductor);
    for (std::size_t m = 0; m < parts[n].metals.size(); ++m) set(s.metal[m], parts[n].metals[m]);
    s.surface = site.ambient + rises[parts[n].surface];
  }
  return change;
}

std::optional<State> at_currents(Site const& site, Responses const& responses, std::vector<double> const& currents) {
  State state = at_rest(site);
  state.currents = currents;
  constexpr double melts = 2000;  // [C]: no cable keeps this
  for (int iteration = 0; iteration < 1000; ++iteration) {
    set_losses(site, state);
    auto const heat = state.heat(responses);
    std::vector<double> rises(responses.rise.size());
    for (std::size_t part = 0; part < rises.size(); ++part) rises[part] = responses.at(part, heat);
    let_air_follow(site, state, responses.cables, rises);
    double const change =
        std::max(set_temperatures(site, responses.cables, rises, state), set_temperatures_in_troughs(site, state));
    if (change < 1e-9) {
      tell_ducts(site, state);
      return state;
    }
    for (auto const& s : state.cables)
      if (!(s.conductor < melts)) return std::nullopt;
  }
  return std::nullopt;
}

State rate(Site const& site, Responses const& responses) {
  Highest const highest = [&](std::vector<double> const& currents) -> std::optional<std::vector<double>> {
    auto const state = at_currents(site, responses, currents);
    if (!state) return std::nullopt;
    return state->highest(site);
  };
  return *at_currents(site, responses, seek(site, highest, first_guess(site, responses), 1e-7));
}

namespace {

/// By solutions for each try, where the responses lead nowhere: slower, and found wherever there is an answer.
State rate_by_tries(Section& section, Site const& site, Responses& responses, std::vector<double> begin) {
  Highest const highest = [&](std::vector<double> const& currents) -> std::optional<std::vector<double>> {
    auto moved = responses;
    try {
      return rate_on(section, site.carrying(currents), moved).highest(site);
    } catch (core::RunError const&) {
      return std::nullopt;
    }
  };
  auto const currents = seek(site, highest, std::move(begin), 1e-4, 1e-2);
  return rate_on(section, site.carrying(currents), responses);
}

}  // namespace

State rate_on(Section& section, Site const& site, Responses& responses) {
  bool const given = std::all_of(site.circuits.begin(), site.circuits.end(), [](auto const& c) { return !!c.current; });
  auto const led = [&]() -> std::optional<State> {
    try {
      return rate(site, responses);
    } catch (std::runtime_error const&) {
      if (!site.dry_above || given) throw;
      return std::nullopt;  // what responses to some heat tell of far less may be no truth where soil dries
    }
  };
  auto state = led();
  if (!state) return rate_by_tries(section, site, responses, first_guess(site, responses));
  bool known = false;
  std::vector<double> heat, rises;
  double moved = 5;  // [K]
  int back = 0;      // how often it went back to less current, nearer to where no heat is no rise
  for (int iteration = 0; iteration < 50; ++iteration) {
    auto const next_heat = state->heat(responses);
    bool const first = iteration == 0;
    // of currents that another mesh told
    auto const next_rises = section.solve(next_heat, first ? 100 : 1, std::max(1e-5, std::min(moved, 5.0) / 50));
    moved = 0;
    for (std::size_t part = 0; part < next_rises.size(); ++part)
      moved = std::max(moved, std::abs(next_rises[part] - responses.at(part, next_heat)));
    if (site.dry_above) {
      if (std::exchange(known, true)) responses.turn(heat, rises, next_heat, next_rises);
      responses.steepen(next_heat, next_rises);
    }
    responses.pass_through(next_heat, next_rises);
    auto currents = state->currents;
    state = led();
    bool const found = state.has_value();
    for (; !state && back < 8; ++back) {
      for (std::size_t c = 0; c < currents.size(); ++c)
        if (!site.circuits[c].current) currents[c] *= 0.7;
      state = at_currents(site, responses, currents);
    }
    if (!state) return rate_by_tries(section, site, responses, currents);
    if (found && moved < 1e-4 && !first) return *state;
    heat = next_heat;
    rises = next_rises;
  }
  if (site.dry_above && !given) return rate_by_tries(section, site, responses, state->currents);
  throw core::RunError("the temperatures of the section did not settle");
}

void let_history_dry(Section& section, Site const& site, Responses const& responses) {
  for (std::size_t n = 0; n < site.history.size(); ++n) {
    auto moved = responses;
    try {
      rate_on(section, site.carrying(site.history[n]), moved);
    } catch (core::RunError const& error) {
      throw core::RunError(fmt::format("{}, in state {} of the history", error.what(), n + 1));
    }
    section.keep_dry();
  }
}

}  // namespace tessera::run::rating
