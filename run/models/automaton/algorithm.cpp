// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/algorithm.hpp"

#include "ca/unbounded/hash_plane.hpp"
#include "ca/unbounded/tiled.hpp"
#include "run/balance/memory.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera::run::automaton {

Algorithm::Algorithm(core::Dictionary& properties, core::Comm comm)
    : properties_(properties),
      comm_(comm),
      hashes_(properties.get_choice("algorithm", {"tiles", "hash"}, "tiles") == "hash") {
  if (!hashes_) return;
  memory_ = properties.contains("memory") ? properties.get_in<double>("memory", {1e6, 1e15}) : node_memory() / 2;
  comm_.broadcast(memory_);
}

std::unique_ptr<ca::unbounded::Plane> Algorithm::make(std::string const& rule) const {
  if (hashes_) return std::make_unique<ca::unbounded::HashPlane>(rule, properties_, memory_, comm_);
  return std::make_unique<ca::unbounded::TiledPlane>(rule, properties_, comm_);
}

std::string Algorithm::text() const {
  if (!hashes_) return "tiles";
  return fmt::format("HashLife in {:.0f} MB of memory at most{}", memory_ / 1e6,
                     comm_.size() > 1 ? ", on the root, while other ranks wait" : "");
}

std::string Algorithm::text(ca::unbounded::Plane const& plane) const {
  auto const figures = plane.figures();
  if (!hashes_) return fmt::format("{} tiles", figures[0].second);
  return fmt::format("{} squares, {:.3g} MB at most, {} collections", figures[0].second,
                     static_cast<double>(figures[1].second) / 1e6, figures[2].second);
}

void Algorithm::report(core::Report& to, ca::unbounded::Plane const& plane) const {
  auto& results = to.results();
  auto const population = plane.population();
  // JSON's numbers are exact up to 2^63 here; beyond, the digits as text
  if (population <= static_cast<ca::unbounded::Population>(std::numeric_limits<std::int64_t>::max()))
    results["population"] = static_cast<std::int64_t>(population);
  else
    results["population"] = ca::unbounded::decimal(population);
  results["algorithm"] = hashes_ ? "hash" : "tiles";
  for (auto const& [name, value] : plane.figures()) results[name] = value;
}

}  // namespace tessera::run::automaton
