// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/together.hpp"
#include "partition/partitioner.hpp"
#include "tools/application.hpp"
#include "tools/load_balance.hpp"

#include <fmt/format.h>
#include <optional>

namespace tessera::tools {
namespace {

/// `processorWeights (1.7 1 1);` at the top or in METHODCoeffs: relative speeds of the ranks; nothing for `auto`, the
/// default.
std::optional<std::vector<double>> weights_by_hand(core::Dictionary& dictionary, std::string const& method, int ranks) {
  core::Dictionary* place = dictionary.find_sub(method + "Coeffs");
  if (!place || !place->contains("processorWeights")) place = &dictionary;
  if (!place->contains("processorWeights") || place->words("processorWeights") == std::vector<std::string>{"auto"})
    return std::nullopt;
  auto weights = place->get<std::vector<double>>("processorWeights");
  if (weights.size() != static_cast<std::size_t>(ranks))
    place->fail("processorWeights",
                fmt::format("has {} values, expected one for each of {} ranks", weights.size(), ranks));
  for (double w : weights)
    if (!(w > 0)) place->fail("processorWeights", fmt::format("holds {}, expected weights above 0", w));
  return weights;
}

}  // namespace

Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid) {
  core::Dictionary& dictionary = session.files.open_or_empty("system/decomposeParDict");
  int const ranks = session.comm.size();
  // OpenFOAM's number of parts; here the number of ranks is mpirun's business
  if (dictionary.contains("numberOfSubdomains")) dictionary.get_positive<int>("numberOfSubdomains");
  auto const method = dictionary.get_or<std::string>("method", "scotch");
  if (!partition::Partitioners::contains(method))
    dictionary.fail("method", core::unknown_name("partitioner", method, partition::Partitioners::names()));
  if (grid->tiles() < ranks)
    throw core::Error(fmt::format(
        "{}: {} ranks are more than {} tiles of {} x {} x {} cells; use fewer ranks or smaller tiles "
        "(gridDict: tile)",
        dictionary.location("method"), ranks, grid->tiles(), grid->tile()[0], grid->tile()[1], grid->tile()[2]));
  auto const partitioner = partition::Partitioners::make(method, dictionary);
  auto load = partition::Load::by_cells(*grid, ranks);
  auto const weights = weights_by_hand(dictionary, method, ranks);
  if (weights)
    load.rank_rate = *weights;
  else if (auto speeds = kept_speeds(session); !speeds.empty())
    load.rank_rate = std::move(speeds);
  // OpenFOAM's files keep the settings of methods that are not in use
  for (auto const& other : partition::Partitioners::names())
    if (other != method && dictionary.is_dictionary(other + "Coeffs")) dictionary.sub(other + "Coeffs").mark_read();

  // one rank decides for all: graph libraries need not agree to the last tile on unequal machines
  core::Bytes message;
  io::on_root(session.comm, [&] {
    for (int owner : partitioner->owners(*grid, load)) core::append(message, owner);
  });
  session.comm.broadcast(message);
  std::vector<int> owners(static_cast<std::size_t>(grid->tiles()));
  core::ByteReader(message).take(std::span<int>(owners));
  return {std::make_unique<core::Layout>(std::move(grid), std::move(owners), session.comm), method, load.rank_rate,
          weights.has_value() || method == "manual"};
}

}  // namespace tessera::tools
