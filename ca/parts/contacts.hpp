// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/bit_tile.hpp"

namespace tessera::ca::parts {

/// Contacts of the runs of one row with those of another, word by word: one bit for each pair of runs that touch, at
/// the later of their two first cells.
///
/// Cell i touches the cells i + from .. i + to of the other row, from = -1 or 0, to = 0 or 1. Where from is -1 the runs
/// of the other row are thought one cell longer to the right, where to is 1 those of this row: longer runs still end
/// before the next one begins, so a pair has one bit only. Where both are -1, the other row is moved by one cell: `aligned`.
class ContactWords {
 public:
  ContactWords(int from, int to)
      : longer_(to > 0 ? ~Word{0} : 0),
        longer_other_(from < 0 && to >= 0 ? ~Word{0} : 0),
        moved_(to < 0) {}

  /// Moves the next word of the other row, and of its runs' first cells, to where cell i of this row touches its cell i.
  void align(Word& other, Word& other_starts) {
    if (!moved_) return;
    other = before_moved_(other);
    other_starts = before_moved_starts_(other_starts);
  }

  /// The next word of both rows, and of their runs' first cells.
  Word next(Word row, Word starts, Word other, Word other_starts) {
    return (row | (before_(row) & longer_)) & (other | (before_other_(other) & longer_other_)) &
           (starts | other_starts);
  }

 private:
  Word longer_, longer_other_;
  bool moved_;
  BitsBefore before_, before_other_, before_moved_, before_moved_starts_;
};

}  // namespace tessera::ca::parts
