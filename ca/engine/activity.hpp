// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"

#include <algorithm>
#include <vector>

namespace tessera::ca {

/// What of tiles rests. What some generations left as it was, as they left all that it sees, will be left so by as many
/// again, and by any multiple: it need not be computed. So patterns with any period that divides their number rest.
/// Known by bands of some 16 rows, and in each the words of 64 cells between the first and the last that moved. Eight bytes a
/// band, told to the ranks around once in so many generations.
class Activity {
 public:
  /// Words first <= w < end of a row of a tile.
  struct Words {
    int first = 0, end = 0;
    bool empty() const { return first == end; }
    void add(Words const& other) {
      if (other.empty()) return;
      *this = empty() ? other : Words{std::min(first, other.first), std::max(end, other.end)};
    }
    friend bool operator==(Words const&, Words const&) = default;
  };
  /// Rows first <= j < end of a tile, and of each these words.
  struct Area {
    int first, end;
    Words words;
  };

  /// Of a layout of cells, which see `reach` cells far, 64 at most.
  Activity(core::Layout const& cells, int reach);
  /// How many generations, at most so many, the oscillators of soups rest in: their periods are 2, 3, then 5 and 15.
  static constexpr int restful(int most) { return most < 6 ? most : most - most % (most < 30 ? 6 : 30); }

  /// Everything may move from now on.
  void wake();
  /// So many generations come now, at most the reach. Collective.
  void begin(int generations);
  /// What of a tile must be computed. Between two areas lie at least as many rows as cells see far, so that each may be computed in
  /// place before the next.
  void find_areas(int slot, std::vector<Area>& areas) const;
  /// These are computed now: nothing of them moved, but for what is told next.
  void compute(int slot, std::vector<Area> const& areas);
  /// Words of a row that are other than before these generations.
  void moved(int slot, int row, Words const& words);
  /// Whether rows first <= j < end of a tile, or of those around it that it sees, moved in the generations before these.
  bool moved_before(int slot, int first, int end) const;

 private:
  /// Words of a band as a number of the field, of `all` that a row has. 0: nothing moved.
  static std::int64_t packed(Words const& words, int all);
  static Words unpacked(std::int64_t value);
  /// What of a band must be computed.
  Words needed(core::FieldView<std::int64_t const> const& moved, int slot, int band) const;
  int words(int slot) const;
  int band(int row) const;
  int first_row(int band) const;

  core::Layout const* cells_;
  core::Count rows_of_tile_, bands_of_tile_;
  int reach_;
  int beside_, above_;   // tiles along x, bands along y, that a band sees on either side
  bool round_;           // a tile has rows that go round the grid
  core::Layout layout_;  // of bands, each a cell
  core::Field<std::int64_t> moved_;
  core::Halo halo_;
  int generations_ = 0;  // of the last time; 0: all moves
};

}  // namespace tessera::ca
