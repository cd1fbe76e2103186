// SPDX-License-Identifier: Apache-2.0
#include "run/balance/decompose.hpp"

#include "core/comm/cores.hpp"
#include "core/comm/node.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "io/files/together.hpp"
#include "io/foam/poly_mesh_reader.hpp"
#include "run/balance/load_balance.hpp"
#include "run/models/automaton/grid.hpp"
#include "run/models/automaton/initial.hpp"
#include "run/models/heat/regions.hpp"
#include "run/models/percolation/medium.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace tessera::run {
namespace {

/// `processorWeights (1.7 1 1);` at the top or in METHODCoeffs: relative speeds of the ranks; nothing for `auto`, the
/// default. Ranks are those of the program's start, for which they are put in the order of the nodes.
std::optional<std::vector<double>> weights_by_hand(core::Dictionary& dictionary, std::string const& method,
                                                   std::vector<int> const& started) {
  std::size_t const ranks = started.size();
  core::Dictionary* place = dictionary.find_sub(method + "Coeffs");
  if (!place || !place->contains("processorWeights")) place = &dictionary;
  if (!place->contains("processorWeights") || place->words("processorWeights") == std::vector<std::string>{"auto"})
    return std::nullopt;
  auto weights = place->get<std::vector<double>>("processorWeights");
  if (weights.size() != ranks)
    place->fail_entry("processorWeights",
                      fmt::format("has {} values, expected one for each of {} ranks", weights.size(), ranks));
  for (double w : weights)
    if (!(w > 0)) place->fail_entry("processorWeights", fmt::format("holds {}, expected weights above 0", w));
  std::vector<double> ours;
  for (int rank : started) ours.push_back(weights[rank]);
  return ours;
}

/// A case that is only looked at shares out no more: who gets which is then no matter of validity, and takes long.
constexpr int most_tiles_shared = 1 << 18;

/// The largest rank's share of the cells; where the tiles were not shared out, by the ranks' speeds.
double largest_share(core::Grid const& grid, Shares const& shares) {
  auto const& rates = shares.load.rank_rate;
  if (shares.owners.empty())
    return *std::max_element(rates.begin(), rates.end()) / std::accumulate(rates.begin(), rates.end(), 0.0);
  std::vector<core::Count> cells(rates.size(), 0);
  for (int tile = 0; tile < grid.tiles(); ++tile)
    cells[shares.owners[static_cast<std::size_t>(tile)]] += grid.tile_box(tile).cells();
  return static_cast<double>(*std::max_element(cells.begin(), cells.end())) / static_cast<double>(grid.total());
}

/// For each rank its number when the program was started; the ranks of another run are as they come.
std::vector<int> ranks_at_start(core::Comm const& comm, int ranks) {
  if (ranks == comm.size()) return core::launched_ranks(comm);
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The nodes and sockets that ranks lie on.
std::vector<std::vector<int>> domains(core::Comm const& comm, int ranks, std::vector<int> const& placed) {
  if (!placed.empty()) return {placed};
  if (ranks != comm.size()) return {};
  auto const nodes = core::memory_nodes(comm);
  return {nodes, core::socket_domains(nodes, comm.gather(core::own_socket()))};
}

}  // namespace

RankRates rank_rates(Session& session, int ranks, std::optional<std::vector<double>> const& weights) {
  if (weights) return {*weights, true};
  core::Dictionary& dictionary = session.files.open_or_empty("system/decomposeParDict");
  auto const method = dictionary.get_or<std::string>("method", "scotch");
  if (auto const given = weights_by_hand(dictionary, method, ranks_at_start(session.comm, ranks)))
    return {*given, true};
  auto speeds = kept_speeds(session, ranks);
  if (speeds.empty()) speeds.assign(ranks, 1.0);
  return {std::move(speeds), false};
}

std::vector<double> worker_rates(core::Comm const& comm, std::span<double const> rates) {
  // the threads of a rank as here
  auto const threads = static_cast<std::size_t>(core::workers(comm) / comm.size());
  std::vector<double> result;
  for (double rate : rates) result.insert(result.end(), threads, rate);
  return result;
}

Shares share_out(Session& session, core::Grid const& grid, RankRates const& rates, std::vector<int> const& nodes) {
  int const ranks = static_cast<int>(rates.rate.size());
  core::Dictionary& dictionary = session.files.open_or_empty("system/decomposeParDict");
  // OpenFOAM's number of parts; here the number of ranks is mpirun's business
  if (dictionary.contains("numberOfSubdomains"))
    if (int const parts = dictionary.get_positive<int>("numberOfSubdomains"); parts != ranks)
      session.log.line("{}: numberOfSubdomains is {}, but there {} {} rank{}: these count",
                       dictionary.location("numberOfSubdomains"), parts, ranks == 1 ? "is" : "are", ranks,
                       ranks == 1 ? "" : "s");
  auto const method = dictionary.get_or<std::string>("method", "scotch");
  if (!partition::Partitioners::contains(method))
    dictionary.fail("method", core::unknown_name("partitioner", method, partition::Partitioners::names()));
  auto const partitioner = partition::Partitioners::make(method, dictionary);
  bool const shared_out = !session.checks || grid.tiles() <= most_tiles_shared;
  Shares shares{method, {}, rates.by_hand || method == "manual", {}};
  if (shared_out) shares.load = partition::Load::by_cells(grid, ranks);
  shares.load.rank_rate = rates.rate;
  shares.load.domains = domains(session.comm, ranks, nodes);
  // OpenFOAM's files keep the settings of methods that are not in use
  for (auto const& other : partition::Partitioners::names())
    if (other != method && dictionary.is_dictionary(other + "Coeffs")) dictionary.sub(other + "Coeffs").mark_read();
  if (!shared_out) return shares;

  if (grid.tiles() < ranks && method != "manual") {
    shares.owners = partition::one_tile_each(grid.tiles(), rates.rate);
    return shares;
  }
  if (auto owners = partitioner->owners_by_all(grid, shares.load, session.comm)) {
    shares.owners = std::move(*owners);
    return shares;
  }
  if (partitioner->numbers_cells(grid) && !session.files.exists("system/gridDict"))
    if (auto const blocks = mesh_of(session).blocks; blocks.size() > 1 || !blocks[0].straight())
      dictionary.fail_entry("method",
                            "is manual with a list of cells, which are numbered block by block in a mesh of several "
                            "blocks, expected a list of tiles");
  // one rank decides for all: graph libraries need not agree to the last tile on unequal machines
  io::on_root(session.comm, [&] { shares.owners = partitioner->owners(grid, shares.load); });
  session.comm.broadcast(shares.owners);
  if (auto const note = partitioner->note(grid); !note.empty()) session.log.line("{}", note);
  if (method == "manual") {
    auto const started = ranks_at_start(session.comm, ranks);
    for (int& owner : shares.owners)
      owner = static_cast<int>(std::find(started.begin(), started.end(), owner) - started.begin());
  }
  return shares;
}

Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid) {
  return decompose(session, std::move(grid), rank_rates(session, session.comm.size()), !session.checks);
}

Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid, RankRates const& rates,
                        bool lay_out) {
  auto shares = share_out(session, *grid, rates);
  if (std::set<int> const busy(shares.owners.begin(), shares.owners.end());
      !busy.empty() && static_cast<int>(busy.size()) < session.comm.size())
    session.log.line("{} of {} ranks have no tile and wait: the grid has {}, of {} x {} x {} cells",
                     session.comm.size() - static_cast<int>(busy.size()), session.comm.size(), grid->tiles(),
                     grid->tile()[0], grid->tile()[1], grid->tile()[2]);
  core::Dictionary& balance = session.files.open_or_empty("system/balanceDict");
  std::optional<double> move_cost;
  if (balance.contains("moveCost")) move_cost = balance.get_in<double>("moveCost", {0, 1e9});
  auto const when = balance.get_choice("rebalance", {"auto", "yes", "no"}, "auto");
  double const largest = largest_share(*grid, shares);
  if (!lay_out) shares.owners.clear();
  return {.layout = std::make_unique<core::Layout>(std::move(grid), std::move(shares.owners), session.comm),
          .method = shares.method,
          .weights = std::move(shares.load.rank_rate),
          .by_hand = shares.by_hand,
          .rebalance = when == "yes" || (when == "auto" && !shares.by_hand),
          .threshold = balance.get_in<double>("threshold", {0.001, 10.0}, Decomposition{}.threshold),
          .move_cost = move_cost,
          .largest_share = largest};
}

std::shared_ptr<core::Grid const> case_grid(Session& session, RankRates const& rates) {
  Case& files = session.files;
  auto* const automaton = files.find("constant/automatonProperties");
  auto* grid = files.find("system/gridDict");
  if (automaton && (!grid || !grid->contains("cells")))
    grid = automaton::grid_dictionary(session, automaton::InitialState(session, *automaton));
  if (grid && automaton) {
    auto const rule = automaton->contains("rule") && !automaton->is_dictionary("rule")
                          ? automaton->get<std::string>("rule")
                          : automaton::InitialState(session, *automaton).rule();
    auto const workers = worker_rates(session.comm, rates.rate);
    return std::make_shared<core::Grid const>(automaton::read_grid(*grid, *automaton, rule, workers).grid);
  }
  if (files.find("constant/percolationProperties")) {
    auto const workers = static_cast<int>(worker_rates(session.comm, rates.rate).size());
    return percolation::Medium(percolation::Settings(session), workers).grid;
  }
  if (grid) return std::make_shared<core::Grid const>(io::foam::read_grid_dict(*grid, {}, {}).grid);
  if (files.exists("constant/cables"))
    throw core::Error(files.path("constant/cables"), 0,
                      "a rating makes its meshes as it runs, and they are neither planned nor shared out before it, "
                      "expected a case with a grid of its own");
  return std::make_shared<core::Grid const>(mesh_of(session).grid);
}

namespace {

io::foam::Mesh mesh_of_files(Session& session) {
  Case& files = session.files;
  if (auto* const dict = files.find("system/controlDict");
      dict && dict->get_or<std::string>("application", "").starts_with("chtMultiRegion"))
    return heat::read_region_meshes(session, heat::region_names(session)).mesh;
  std::string const folder = "constant/polyMesh", old_place = folder + "/blockMeshDict";
  // as in OpenFOAM, which takes the old place where there are two
  bool const old = files.exists(old_place);
  if (old && files.exists("system/blockMeshDict"))
    session.log.line("Mesh of {}, as in OpenFOAM; system/blockMeshDict is not read", old_place);
  std::string const dictionary = old ? old_place : "system/blockMeshDict";
  bool const poly_mesh = files.exists(folder + "/points") && files.exists(folder + "/faces");
  auto* const control = files.find("system/controlDict");
  bool const asked = control && io::foam::asks_for_poly_mesh(*control);
  auto* const blocks = asked ? nullptr : files.find(dictionary);
  if (!blocks) {
    if (!asked && !poly_mesh)
      throw core::Error(
          fmt::format("{}: no such file, and the case needs it, system/gridDict or the files of constant/polyMesh",
                      files.path("system/blockMeshDict")));
    auto mesh = io::foam::read_poly_mesh(files.path(folder), session.comm);
    session.log.line("Mesh of {}: {} cells in a grid of {} x {} x {}", folder, mesh.total(), mesh.grid.cells()[0],
                     mesh.grid.cells()[1], mesh.grid.cells()[2]);
    return mesh;
  }
  auto mesh = io::foam::read_block_mesh(*blocks);
  if (!poly_mesh) return mesh;
  std::string difference;
  io::on_root(session.comm, [&] { difference = io::foam::difference_of_poly_mesh(files.path(folder), mesh); });
  session.comm.broadcast(difference);
  if (!difference.empty())
    session.log.line("Mesh of {}; {} {}: it was made by other means (readMesh yes; in controlDict takes it)",
                     dictionary, folder, difference);
  return mesh;
}

}  // namespace

core::Grid in_tiles(Session& session, core::Grid const& grid) {
  auto& decompose = session.files.open_or_empty("system/decomposeParDict");
  return grid.with_tile(io::foam::read_tile(decompose, grid.cells()));
}

io::foam::Mesh mesh_of(Session& session) {
  auto mesh = mesh_of_files(session);
  mesh.grid = in_tiles(session, mesh.grid);
  return mesh;
}

}  // namespace tessera::run
