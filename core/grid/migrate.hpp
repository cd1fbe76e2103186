// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <utility>

namespace tessera::core {

/// Copies the cells of a field to a field of the same grid and element type with other owners of the tiles, or with tiles
/// of another shape. Halos of `to` are left alone.
///
/// What an old and a new tile have in common streams to its new owner in pieces of about `piece` bytes, one in flight for
/// each pair of ranks: besides the two fields a rank holds one piece for each rank it exchanges cells with. Both sides
/// know from the owner tables what comes, so nothing else is said. Returns the number of these blocks (tiles, where their
/// shape is the same) that changed their owner. Collective.
int migrate(FieldBase const& from, FieldBase& to, std::size_t piece = std::size_t{16} << 20);

/// Lays a field out anew: afterwards it is on `layout`, with the values of its cells. The field stays the same object, and
/// its old layout must still be there. Collective.
template <class T>
void migrate_to(Layout const& layout, Field<T>& field) {
  Field<T> next(field.info(), layout, field.halo());
  migrate(field, next);
  field = std::move(next);
}

}  // namespace tessera::core
