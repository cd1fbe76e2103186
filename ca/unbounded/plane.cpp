// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/plane.hpp"

#include <map>

namespace tessera::ca::unbounded {

std::string decimal(Population n) {
  // fmt knows numbers of this type with some compilers alone
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(n % 10)));
    n /= 10;
  } while (n != 0);
  return digits;
}

std::vector<Cell> Plane::own_cells() const {
  std::vector<Cell> cells;
  for_own_cells([&](Cell const& cell) { cells.push_back(cell); });
  return cells;
}

void Plane::copy(core::Field<std::uint8_t>& field, core::Index origin) const {
  core::Layout const& layout = field.layout();
  std::map<int, core::Bytes> outgoing;
  for_own_cells([&](Cell const& cell) {
    core::Index const x{cell.i - origin.i, cell.j - origin.j, 0};
    int const tile = layout.grid().tile_of(x);
    core::Bytes& bytes = outgoing[layout.owner(tile)];
    core::append(bytes, x.i);
    core::append(bytes, x.j);
    core::append(bytes, cell.state);
  });
  auto const view = field.host();
  for (auto const& [rank, bytes] : comm_.exchange(outgoing))
    for (core::ByteReader in(bytes); !in.done();) {
      auto const i = in.take<core::Count>(), j = in.take<core::Count>();
      auto const state = in.take<std::uint8_t>();
      int const slot = layout.slot(layout.grid().tile_of({i, j, 0}));
      auto const& tile = layout.info(slot);
      view(slot, 0, static_cast<int>(j - tile.j0), static_cast<int>(i - tile.i0)) = state;
    }
}

}  // namespace tessera::ca::unbounded
