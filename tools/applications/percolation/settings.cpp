// SPDX-License-Identifier: Apache-2.0
#include "tools/applications/percolation/settings.hpp"

#include "io/foam/mesh.hpp"
#include "tools/conduction.hpp"

#include <algorithm>

namespace tessera::tools::percolation {
namespace {

constexpr std::int64_t most_samples = 1'000'000'000;

/// `0.6` or `(0.58 0.60 0.62)`.
std::vector<double> read_probabilities(core::Dictionary const& input) {
  auto stream = input.stream("probability");
  if (!stream.at('(')) return {input.get_in<double>("probability", 0.0, 1.0)};
  auto const values = input.get<std::vector<double>>("probability");
  if (values.empty()) input.fail("probability", "is an empty list, expected numbers from 0 to 1");
  for (double p : values)
    if (!(p >= 0 && p <= 1)) input.fail("probability", fmt::format("holds {}, expected numbers from 0 to 1", p));
  return values;
}

/// Reads the entry once, for a matrix of two cells: what is wrong with it is said before anything is computed.
void check_solver(core::Dictionary& entry) {
  core::Layout const layout(std::make_shared<core::Grid const>(core::Grid::unit({2, 2, 1})), {0},
                            core::Comm(MPI_COMM_SELF));
  solvers::Coefficients a(layout);
  a.diagonal.fill(1);
  solvers::make_solver(solvers::StencilMatrix(std::move(a)), entry);
}

}  // namespace

Settings::Settings(Session& session) {
  auto& properties = session.files.open("constant/percolationProperties");
  auto& in = properties.sub("input");
  read_input(session, in);
  read_grid(session, in);
  read_lattice(properties);
  read_crossings(properties);
  read_frame(properties);
  read_method(properties);
  read_fields(properties);
  read_conductivity(session, properties);
}

void Settings::read_input(Session& session, core::Dictionary& in) {
  if (in.get_choice("type", {"random", "picture"}) == "picture") {
    for (char const* key : {"samples", "sharing", "eachSample"})
      if (in.contains(key)) in.fail(key, "is for random media, expected a medium of type random");
    input.file.emplace(session, in);
    return;
  }
  input.probabilities = read_probabilities(in);
  input.random = core::Random{in.get_or<std::uint64_t>("seed", 1), in.get_or<std::uint32_t>("sample", 0)};
  input.ensemble = in.contains("samples") || input.probabilities.size() > 1;
  if (!input.ensemble) {
    for (char const* key : {"sharing", "eachSample"})
      if (in.contains(key)) in.fail(key, "is for several samples, expected `samples` or a list of probabilities");
    return;
  }
  input.samples = in.get_in<std::int64_t>("samples", 1, most_samples, 1);
  if (input.random.sample + input.samples - 1 > std::numeric_limits<std::uint32_t>::max())
    in.fail("samples", "numbers samples beyond 4294967295, expected fewer");
  input.sharing = in.get_choice("sharing", {"auto", "samples", "tiles"}, "auto");
  input.each = in.get_or<bool>("eachSample", false);
}

void Settings::read_grid(Session& session, core::Dictionary& in) {
  if (!input.file) {
    auto const mesh = io::foam::read_grid_dict(session.files.open("system/gridDict"));
    for (int a = 0; a < 3; ++a) axes[static_cast<std::size_t>(a)] = mesh.grid.axis(a);
    tile = mesh.grid.tile();
  } else {
    for (std::size_t a = 0; a < 3; ++a) {
      auto const cells = input.file->cells[a];
      axes[a] = core::Axis::make_uniform(cells, 0, static_cast<double>(cells));
    }
    if (auto* grid = session.files.find("system/gridDict")) {
      if (grid->contains("tile") && grid->words("tile") != std::vector<std::string>{"auto"})
        tile = grid->get<core::Grid::Shape>("tile");
    }
  }
  if (axes[2].cells() != 1)
    in.fail("type", "gives a grid of several layers; expected one layer: the backbone is there in the plane only");
  for (core::Axis const& axis : axes)
    if (axis.periodic)
      throw core::Error(fmt::format("{}: a periodic axis; expected none, the frame closes the grid",
                                    session.files.path("system/gridDict")));
}

void Settings::read_lattice(core::Dictionary& properties) {
  auto const name = properties.get_choice("lattice", {"square"}, "square");
  int const connectivity = properties.get_or<int>("connectivity", 4);
  if (connectivity != 4) properties.fail("connectivity", "expected 4: the backbone is there for 4 neighbours only");
  lattice = ca::make_lattice(name, connectivity);
}

void Settings::read_crossings(core::Dictionary& properties) {
  auto const direction = properties.get_choice("direction", {"x", "y", "all"}, "y");
  for (int axis = 0; axis < 2; ++axis) {
    std::string const name(1, static_cast<char>('x' + axis));
    if (direction != name && direction != "all") continue;
    Crossing crossing{name, axis, {}, {}};
    crossing.inlet.side = static_cast<core::Side>(2 * axis);
    crossing.outlet.side = static_cast<core::Side>(2 * axis + 1);
    crossings.push_back(std::move(crossing));
  }
}

void Settings::read_frame(core::Dictionary& properties) {
  auto const word = properties.get_choice("frame", {"inside", "outside", "none"}, input.file ? "outside" : "inside");
  frame = word == "inside" ? Frame::inside : word == "outside" ? Frame::outside : Frame::none;
}

void Settings::read_method(core::Dictionary& properties) {
  paper = properties.get_choice("method", {"exact", "paper"}, "exact") == "paper";
  if (paper && input.ensemble) properties.fail("method", "is paper, expected exact for several samples");
  if (paper && crossings.size() > 1) properties.fail("direction", "is all, expected one direction for method paper");
  std::string const propagation = paper ? "synchronous" : "labels";
  properties.get_choice("propagation", {propagation}, propagation);
  std::vector<std::string> const definitions =
      paper ? std::vector<std::string>{"D1"} : std::vector<std::string>{"D1", "D2"};
  definition = properties.get_choice("definition", definitions, "D1") == "D1" ? ca::Definition::D1 : ca::Definition::D2;
}

void Settings::read_fields(core::Dictionary& properties) {
  std::vector<std::string> const valid{"occupied", "label", "spanning", "backbone", "dangling", "articulation", "red"};
  if (!properties.contains("fields")) {
    fields = {"occupied", "label", "spanning", "backbone", "articulation", "red"};
    return;
  }
  if (paper) properties.fail("fields", "is for method exact; method paper has occupied, marked and backbone");
  if (input.ensemble) properties.fail("fields", "is for one medium; of several only numbers are kept");
  for (auto const& name : properties.get<std::vector<std::string>>("fields")) {
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      properties.fail("fields", core::unknown_name("field", name, valid));
    fields.insert(name);
  }
}

void Settings::read_conductivity(Session& session, core::Dictionary& properties) {
  conductivity = properties.get_or<bool>("conductivity", false);
  if (conductivity && paper) properties.fail("conductivity", "is yes, expected no with method paper");
  if (!conductivity) {
    if (properties.contains("electrodes")) properties.fail("electrodes", "is for conductivity yes");
    return;
  }
  electrode_bond =
      properties.get_choice("electrodes", {"sites", "faces"}, input.file ? "faces" : "sites") == "faces" ? 2 : 1;
  potential = conduction_solver();
  if (auto* solution = session.files.find("system/fvSolution")) {
    if (auto* solvers = solution->find_sub("solvers"))
      if (auto* entry = solvers->find_sub("potential")) {
        check_solver(*entry);
        potential = *entry;
      }
    solution->get_choice("deterministic", {"yes", "on", "true"}, "yes");
  }
}

}  // namespace tessera::tools::percolation
