// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::ca {

/// Numbers of neighbours, from the first to the second of each pair; ascending, with gaps between.
using Counts = std::vector<std::pair<int, int>>;
/// Takes numbers and ranges (2-3, 2..3) with commas between off the front of `word`; none, too. Nothing is in a range that ends below
/// its begin. False where a range has no end.
bool take_counts(std::string_view& word, Counts& counts);
/// The shortest way to write them, with `between` for ranges.
std::string text_of(Counts const& counts, std::string_view between);

/// What a rulestring of Larger than Life and its kin (higher-range outer-totalistic rules) says: whether a cell is alive next, by how
/// many cells of a neighbourhood of any range and form are. Written
///   R5,C0,M1,S34..58,B34..45,NM       least and largest numbers by which a cell survives or is born
///   R2,C2,S2-3,5,B3,N+                numbers and ranges of them, also none
///   5,34,45,34,58                     range, born, survives, with M1 and NM
/// as `tessera help largerThanLife` says.
/// Source: K. Evans 1996, Larger than Life: it's so nonlinear, thesis; M. Wojtowicz, MCell; Golly's and LifeViewer's help (forms, N@, NW).
struct HigherRange {
  int range = 1, states = 2;
  bool middle = false;  ///< whether a cell counts itself; of W its weight says it
  Counts survives, born;
  char form = 'M';
  std::string digits;        ///< of N@ and NW, in hexadecimal
  std::vector<int> weights;  ///< of N@ and NW: (2 R + 1)^2, row by row from the upper left

  static std::optional<HigherRange> parse(std::string_view word);
  /// One spelling for all that mean the same.
  std::string text() const;
  /// What a live cell counts x to the right and y above; the cell itself as if it counted.
  int weight(int x, int y) const;
  /// The sum of all weights above 0, the cell's own among them; whether none is below 0.
  std::pair<double, bool> total() const;
};

}  // namespace tessera::ca
