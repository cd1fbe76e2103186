// SPDX-License-Identifier: Apache-2.0
#include "partition/blocks.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::partition::methods {

/// Owners as the user lists them: `manualCoeffs { owners (0 1 1 0 ...); }`, one rank for each tile in the order of the
/// tiles (x fastest), or `dataFile "FILE";` with an entry `owners` in a file of its own.
class Manual final : public Partitioner {
 public:
  explicit Manual(core::Dictionary& dictionary) {
    auto* own = coeffs(dictionary, "manual");
    if (!own)
      throw core::Error(fmt::format("{}: method manual needs 'manualCoeffs {{ owners (...); }}'", dictionary.name()));
    auto const take = [this](core::Dictionary& from) {
      owners_ = from.get<std::vector<int>>("owners");
      where_ = from.location("owners");
    };
    if (own->contains("dataFile")) {
      auto file = core::Dictionary::read(own->get<std::string>("dataFile"));
      take(file);
      file.check_all_read();
    } else {
      take(*own);
    }
  }

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    if (owners_.size() != static_cast<std::size_t>(grid.tiles()))
      throw core::Error(fmt::format("{}: owners has {} entries, expected one for each of {} tiles", where_,
                                    owners_.size(), grid.tiles()));
    for (int rank : owners_)
      if (rank < 0 || rank >= load.ranks())
        throw core::Error(fmt::format("{}: owner {} is no rank, expected 0 .. {}", where_, rank, load.ranks() - 1));
    return owners_;
  }

 private:
  std::vector<int> owners_;
  std::string where_;
};

[[maybe_unused]] static bool const added = Partitioners::add<Manual>("manual", "owners listed tile by tile");

}  // namespace tessera::partition::methods
