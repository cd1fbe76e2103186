// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/partitioner.hpp"
#include "tools/application.hpp"

#include <cstring>
#include <fmt/format.h>

namespace tessera::tools {

Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid) {
  core::Dictionary& dictionary = session.files.open_or_empty("system/decomposeParDict");
  int const ranks = session.comm.size();
  // OpenFOAM's number of parts; here the number of ranks is mpirun's business
  if (dictionary.contains("numberOfSubdomains")) dictionary.get_positive<int>("numberOfSubdomains");
  auto const method = dictionary.get_or<std::string>("method", "scotch");
  if (!partition::Partitioners::contains(method))
    dictionary.fail("method", core::unknown_name("partitioner", method, partition::Partitioners::names()));
  if (grid->tiles() < ranks)
    throw core::Error(fmt::format("{}: {} ranks are more than {} tiles of {} x {} x {} cells; use fewer ranks or smaller tiles "
                                  "(gridDict: tile)",
                                  dictionary.location("method"), ranks, grid->tiles(), grid->tile()[0], grid->tile()[1], grid->tile()[2]));
  auto const partitioner = partition::Partitioners::make(method, dictionary);

  // one rank decides for all: graph libraries need not agree to the last tile on unequal machines
  core::Bytes message;
  std::string problem;
  if (session.comm.root()) {
    try {
      for (int owner : partitioner->owners(*grid, partition::Load::by_cells(*grid, ranks))) core::append(message, owner);
    } catch (core::Error const& error) {
      problem = error.what();
    }
  }
  session.comm.broadcast(problem);
  if (!problem.empty()) throw core::Error(problem);
  session.comm.broadcast(message);
  std::vector<int> owners(static_cast<std::size_t>(grid->tiles()));
  core::ByteReader(message).take(std::span<int>(owners));
  return {std::make_unique<core::Layout>(std::move(grid), std::move(owners), session.comm), method};
}

}  // namespace tessera::tools
