// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/settings.hpp"

#include "core/case/error_list.hpp"
#include "io/foam/mesh.hpp"
#include "run/models/percolation/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

namespace tessera::run::percolation {
namespace {

constexpr std::int64_t most_samples = 1'000'000'000;

/// `0.6` or `(0.58 0.60 0.62)`.
std::vector<double> read_probabilities(core::Dictionary const& input) {
  auto stream = input.stream("probability");
  if (!stream.at('(')) return {input.get_in<double>("probability", {0.0, 1.0})};
  auto const values = input.get<std::vector<double>>("probability");
  if (values.empty()) input.fail_entry("probability", "is an empty list, expected numbers from 0 to 1");
  std::set<double> known;
  for (double p : values) {
    if (!(p >= 0 && p <= 1)) input.fail_entry("probability", fmt::format("holds {}, expected numbers from 0 to 1", p));
    if (!known.insert(p).second) input.fail_entry("probability", fmt::format("holds {} twice", p));
  }
  return values;
}

}  // namespace

MaskInput read_mask(Session& session, core::Dictionary& entry, std::array<core::Axis, 3> const& axes) {
  MaskInput mask(session, entry);
  for (std::size_t a = 0; a < 3; ++a)
    if (mask.cells[a] != axes[a].cells())
      entry.fail_entry("file",
                       fmt::format("has {} cells, expected those of the medium, {} x {} x {}",
                                   fmt::join(mask.cells, " x "), axes[0].cells(), axes[1].cells(), axes[2].cells()));
  return mask;
}

Settings::Settings(Session& session) {
  auto& properties = session.files.open("constant/percolationProperties");
  if (auto* const solution = session.files.find("system/fvSolution")) solvers = solution->find_sub("solvers");
  using core::attempt;
  bool const medium = attempt([&] { read_input(session, properties.sub("input")); });
  bool const sized = attempt([&] {
    auto* const grid = session.files.find("system/gridDict");
    core::rely_on(medium || (grid && grid->contains("cells")));
    read_grid(session);
  });
  bool const crossed = attempt([&] {
    core::rely_on(sized);
    read_lattice(session, properties);
    read_crossings(session, properties);
  });
  bool const bounded = attempt([&] {
    core::rely_on(sized);
    read_region(session, properties);
  });
  attempt([&] {
    core::rely_on(crossed && bounded);
    expect_ends_of_region(properties);
  });
  bool const known = attempt([&] {
    core::rely_on(crossed);
    read_method(properties);
  });
  attempt([&] {
    core::rely_on(crossed);
    read_frame(properties);
  });
  bool const analysed = attempt([&] {
    core::rely_on(known);
    read_analyses(properties);
  });
  bool const conducted = attempt([&] {
    core::rely_on(known);
    read_conductivity(session, properties);
  });
  attempt([&] {
    core::rely_on(analysed && conducted);
    read_fields(properties);
  });
  core::rely_on(medium && known && bounded);
}

void Settings::read_input(Session& session, core::Dictionary& in) {
  auto const type = in.get_choice("type", {"random", "bonds", "picture"});
  input.bonds = type == "bonds";
  if (type == "picture") {
    for (char const* key : {"samples", "sharing", "eachSample"})
      if (in.contains(key)) in.fail_entry(key, "is for random media, expected a medium of type random");
    input.file.emplace(session, in);
    return;
  }
  input.probabilities = read_probabilities(in);
  input.random = core::Random{in.get_or<std::uint64_t>("seed", 1), in.get_or<std::uint32_t>("sample", 0)};
  input.ensemble = in.contains("samples") || input.probabilities.size() > 1;
  if (!input.ensemble) {
    for (char const* key : {"sharing", "eachSample"})
      if (in.contains(key)) in.fail_entry(key, "is for several samples, expected `samples` or a list of probabilities");
    return;
  }
  input.samples = in.get_in<std::int64_t>("samples", {1, most_samples}, 1);
  if (input.random.sample + input.samples - 1 > std::numeric_limits<std::uint32_t>::max())
    in.fail("samples", "numbers samples beyond 4294967295, expected fewer");
  input.sharing = in.get_choice("sharing", {"auto", "samples", "tiles"}, "auto");
  input.each = in.get_or<bool>("eachSample", false);
}

void Settings::read_grid(Session& session) {
  auto* dictionary = session.files.find("system/gridDict");
  if (!input.file) {
    auto const mesh = io::foam::read_grid_dict(session.files.open("system/gridDict"));
    for (int a = 0; a < 3; ++a) axes[a] = mesh.grid.axis(a);
    if (input.bonds) make_room_for_bonds();
  } else {
    place_file(session, dictionary);
  }
  if (dictionary) tile = io::foam::read_tile(*dictionary, {axes[0].cells(), axes[1].cells(), axes[2].cells()});
  for (std::size_t a = 0; a < 3; ++a)
    if (axes[a].periodic && axes[a].cells() == 1)
      dictionary->fail_entry("periodic",
                             fmt::format("closes axis {} of one cell, expected two cells or more", "xyz"[a]));
}

/// Cells of sites become cells of sites and bonds, half as wide.
void Settings::make_room_for_bonds() {
  for (auto& axis : axes) {
    core::Count const n = axis.cells();
    if (n == 1) continue;
    double const width = axis.length() / static_cast<double>(n);
    core::Count const cells = axis.periodic ? 2 * n : 2 * n - 1;
    axis = core::Axis::make_uniform(cells, axis.faces().front() + width / 4, static_cast<double>(cells) * width / 2,
                                    axis.periodic);
  }
}

/// The file has the size; the lengths of its cells and periodic axes may be said.
void Settings::place_file(Session& session, core::Dictionary const* dictionary) {
  MaskInput const& file = *input.file;
  io::Placement told;  // GCC 12 at -O3 lays value_or's fallback at x = 1
  if (file.placement) told = *file.placement;
  io::Placement place = told;
  std::array<bool, 3> periodic{};
  if (dictionary != nullptr) {
    periodic = dictionary->get_or<std::array<bool, 3>>("periodic", {});
    if (dictionary->contains("cells") && dictionary->get<core::Grid::Shape>("cells") != file.cells)
      dictionary->fail_entry("cells", fmt::format("is ({}), but {} has ({}) cells; expected the same, or none",
                                                  fmt::join(dictionary->get<core::Grid::Shape>("cells"), " "),
                                                  file.name(), fmt::join(file.cells, " ")));
    place.origin = dictionary->get_or("origin", told.origin);
    if (dictionary->contains("size")) {
      auto const size = dictionary->get<std::array<double, 3>>("size");
      for (std::size_t a = 0; a < 3; ++a) {
        if (!(size[a] > 0) || !std::isfinite(size[a]))
          dictionary->fail_entry("size", fmt::format("is {} along {}, expected a length above 0", size[a], "xyz"[a]));
        place.spacing[a] = size[a] / static_cast<double>(file.whole[a]);
      }
    }
  }
  auto const differs = [](std::array<double, 3> const& a, std::array<double, 3> const& b) {
    for (std::size_t n = 0; n < 3; ++n)
      if (std::abs(a[n] - b[n]) > 1e-9 * std::max(std::abs(a[n]), std::abs(b[n]))) return true;
    return false;
  };
  if (file.placement && (differs(place.spacing, told.spacing) || differs(place.origin, told.origin)))
    session.log.line("{}: cells of {} at {} by system/gridDict, not of {} at {} as the file says", file.name(),
                     fmt::join(place.spacing, " x "), fmt::join(place.origin, " "), fmt::join(told.spacing, " x "),
                     fmt::join(told.origin, " "));
  else if (file.placement)
    session.log.line("{}: cells of {} at {}, as the file says", file.name(), fmt::join(told.spacing, " x "),
                     fmt::join(told.origin, " "));
  if (file.box) {
    core::Count const first[3] = {file.box->lo.i, file.box->lo.j, file.box->lo.k};
    for (std::size_t a = 0; a < 3; ++a) place.origin[a] += place.spacing[a] * static_cast<double>(first[a]);
  }
  for (std::size_t a = 0; a < 3; ++a)
    axes[a] = core::Axis::make_uniform(file.cells[a], place.origin[a],
                                       place.spacing[a] * static_cast<double>(file.cells[a]), periodic[a]);
}

void Settings::read_ports(Session& session, core::Dictionary& properties) {
  for (char const* key : {"inlet", "outlet"})
    if (!properties.contains(key))
      properties.fail(key, fmt::format("there is no '{}', expected both inlet and outlet, or direction", key));
  if (properties.contains("direction")) properties.fail_expected("direction", "none beside inlet and outlet");
  auto const read = [&](char const* key) {
    Port port;
    if (properties.is_dictionary(key)) {
      port.mask = read_mask(session, properties.sub(key), axes);
      return port;
    }
    std::vector<std::string> const sides(core::side_names.begin(), core::side_names.end());
    auto const name = properties.get_choice(key, sides);
    auto const side = static_cast<std::size_t>(std::find(sides.begin(), sides.end(), name) - sides.begin());
    if (axes[side / 2].cells() == 1 || axes[side / 2].periodic)
      properties.fail_entry(
          key, fmt::format("is {}, expected a side of an axis that is not periodic and has several cells", name));
    port.side = static_cast<core::Side>(side);
    return port;
  };
  Crossing crossing{"ports", -1, false, read("inlet"), read("outlet")};
  if (crossing.inlet.side && crossing.outlet.side) {
    int const in = static_cast<int>(*crossing.inlet.side), out = static_cast<int>(*crossing.outlet.side);
    if (in == out) properties.fail_entry("outlet", "is the inlet, expected another side");
    if (in / 2 == out / 2) {
      crossing.axis = in / 2;
      crossing.name = std::string(1, "xyz"[crossing.axis]);
    }
  }
  crossings.push_back(std::move(crossing));
}

void Settings::read_crossings(Session& session, core::Dictionary& properties) {
  if (properties.contains("inlet") || properties.contains("outlet")) {
    read_ports(session, properties);
  } else {
    auto const direction = properties.get_choice("direction", {"x", "y", "z", "all"}, axes[2].cells() > 1 ? "z" : "y");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::string const name(1, "xyz"[axis]);
      if (direction != name && direction != "all") continue;
      if (axes[axis].cells() == 1) {
        if (direction == "all") continue;
        properties.fail_entry("direction", fmt::format("is {}, but the medium has one cell along it", name));
      }
      Crossing crossing{name, static_cast<int>(axis), axes[axis].periodic, {}, {}};
      crossing.inlet.side = static_cast<core::Side>(2 * axis);
      crossing.outlet.side = static_cast<core::Side>(2 * axis + 1);
      crossings.push_back(std::move(crossing));
    }
    if (crossings.empty()) properties.fail_entry("direction", "is all, but the medium is one cell");
  }
  plane = lattice.name == "square" && lattice.connectivity == 4 && axes[2].cells() == 1 && !input.bonds &&
          !properties.contains("region");
  for (auto const& axis : axes) plane = plane && !axis.periodic;
  for (auto const& crossing : crossings) plane = plane && crossing.axis >= 0;
}

void Settings::read_frame(core::Dictionary& properties) {
  if (!plane) {
    frame = Frame::none;
    if (properties.get_choice("frame", {"inside", "outside", "none"}, "none") != "none")
      properties.fail_expected("frame", "none: only the square lattice with 4 neighbours, without periodic axes and "
                                        "region, from side to side, has a frame");
    return;
  }
  auto const word = properties.get_choice("frame", {"inside", "outside", "none"}, input.file ? "outside" : "inside");
  frame = word == "inside" ? Frame::inside : word == "outside" ? Frame::outside : Frame::none;
  if (frame == Frame::inside && (axes[0].cells() < 3 || axes[1].cells() < 3))
    properties.fail_entry("frame",
                          fmt::format("is inside, but the grid has {} x {} cells, expected at least 3 x 3, or frame "
                                      "outside or none",
                                      axes[0].cells(), axes[1].cells()));
}

void Settings::read_method(core::Dictionary& properties) {
  // `exact` stands for one of those that find all
  auto names = Methods::names();
  names.insert(names.begin(), "exact");
  auto name = properties.get_choice("method", names, "exact");
  if (name == "exact") {
    bool const steps = properties.get_choice("propagation", {"labels", "synchronous"}, "labels") == "synchronous";
    if (!plane && steps)
      properties.fail_entry("propagation",
                            "is synchronous, expected labels: the automaton is for the square lattice with 4 "
                            "neighbours, without periodic axes and region, from side to side");
    name = steps ? "stepwise" : plane ? "plane" : "lattice";
  }
  method = Methods::make(name);
  if (method->in_plane() && !plane)
    properties.fail_entry("method",
                          fmt::format("is {0}, expected exact: {0} is for the square lattice with 4 neighbours, "
                                      "without periodic axes and region, from side to side",
                                      name));
  plane = method->in_plane();
  method->read(properties);
  definition = properties.get_choice("definition", {"D1", "D2"}, plane ? "D1" : "D2") == "D1" ? ca::Definition::D1
                                                                                              : ca::Definition::D2;
  if (!plane && definition == ca::Definition::D1)
    properties.fail_entry("definition", "is D1, expected D2: without bars of sites, inlet and outlet are electrodes");

  bool ended = false;
  for (auto const& crossing : crossings) ended = ended || crossing.ends();
  bool const apart = !input.bonds || places.apart(lattice);
  for (char const* key : {"backbone", "shortestPath"})
    if (!apart && properties.contains(key) && properties.get<bool>(key))
      properties.fail_entry(
          key, fmt::format("is yes, expected no: of bonds of lattice {} clusters alone are found", lattice.name));
  backbone = properties.get_or<bool>("backbone", ended && apart);
  if (backbone && !ended)
    properties.fail_entry("backbone", "is yes, expected no: along periodic axes there are no ends for a backbone");
  if (!backbone && plane) properties.fail_entry("backbone", "is no, expected yes: in the plane it is always found");
  shortest_path = method->exact() && properties.get_or<bool>("shortestPath", ended && apart);
  if (shortest_path && !ended)
    properties.fail_entry("shortestPath", "is yes, expected no: along periodic axes there are no ends for a path");
}

bool Settings::needs_ends(Crossing const& crossing) const {
  return crossing.ends() && (crossing.axis < 0 || region || shortest_path || conductivity ||
                             std::ranges::any_of(analyses, [](auto const& a) { return a->wants_ends(); }));
}

bool Settings::wants_labels() const {
  return keeps("label") || std::ranges::any_of(analyses, [](auto const& a) { return a->wants_labels(); });
}

bool Settings::knows_tiles() const {
  return conductivity || std::ranges::any_of(analyses, [](auto const& a) { return a->knows_tiles(); });
}

void Settings::read_analyses(core::Dictionary& properties) {
  for (auto const& name : Analyses::names()) {
    if (!properties.get_or<bool>(name, false)) continue;
    bool const cells = lattice.name == "square" || lattice.name == "cubic" || lattice.name == "triangular";
    if (name != "clusterTable" && (input.bonds || !cells))
      properties.fail_entry(name,
                            fmt::format("is yes, expected no: it is for cells of lattice square or cubic, not for {}",
                                        input.bonds ? "bonds" : lattice.name));
    auto analysis = Analyses::make(name);
    analysis->read(properties, *this);
    core::note_computed(name, analysis->computed_by());
    analyses.push_back(std::move(analysis));
  }
}

void Settings::read_fields(core::Dictionary& properties) {
  if (properties.contains("picture")) {
    picture = properties.get<bool>("picture");
    if (input.ensemble) properties.fail_entry("picture", "is for one medium; of several only numbers are kept");
  }
  auto valid = method->fields();
  if (region) valid.emplace_back("region");
  std::set<std::string> apart{"occupied", "label", "spanning", "region"};  // from the backbone
  for (auto const& analysis : analyses)
    for (auto const& name : analysis->fields()) {
      valid.push_back(name);
      apart.insert(name);
    }
  if (conductivity)
    for (char const* name : current_fields) {
      valid.emplace_back(name);
      apart.insert(name);
    }
  auto const on_request = [&](std::string const& name) {
    return name == "dangling" || name == "geodesic" || name == "region" ||
           std::ranges::find(current_fields, name) != current_fields.end();
  };
  auto const needs_backbone = [&](std::string const& name) { return !apart.contains(name); };
  if (!properties.contains("fields")) {
    for (auto const& name : valid)
      if (!input.ensemble && !on_request(name) && (backbone || !needs_backbone(name))) fields.insert(name);
    return;
  }
  if (input.ensemble) properties.fail_entry("fields", "is for one medium; of several only numbers are kept");
  for (auto const& name : properties.get<std::vector<std::string>>("fields")) {
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      properties.fail("fields", core::unknown_name("field", name, valid));
    if (!backbone && needs_backbone(name))
      properties.fail_entry("fields", fmt::format("holds {}, which needs the backbone, but backbone is no", name));
    fields.insert(name);
  }
}

}  // namespace tessera::run::percolation
