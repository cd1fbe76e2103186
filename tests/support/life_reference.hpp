// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::tests {

/// Rules on the count of the neighbours, a byte a cell, cell by cell, as one would write them down.
struct LifeReference {
  std::int64_t nx, ny;
  char shape = 'M';  ///< eight neighbours; V: the four beside; H: all but those at the upper right and the lower left
  unsigned born = 0, survives = 0;  ///< bit n for n neighbours
  /// left, right, bottom, top: '0' + n: all cells beyond, n < 48; p: periodic; r, o: the nearest one
  char side[4] = {'0', '0', '0', '0'};
  std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(static_cast<std::size_t>(nx * ny));
  int states =
      0;  ///< of the Generations family: cells that do not survive go through 2, 3 and so on; 0: two, and not written

  std::string rulestring() const {
    std::string text = "B";
    for (int n = 0; n <= 8; ++n)
      if (born >> n & 1u) text += std::to_string(n);
    text += "/S";
    for (int n = 0; n <= 8; ++n)
      if (survives >> n & 1u) text += std::to_string(n);
    if (states > 0) text += "/C" + std::to_string(states);
    return shape == 'M' ? text : text + shape;
  }
  bool counts(std::int64_t di, std::int64_t dj) const {
    if (di == 0 && dj == 0) return false;
    return shape == 'M' || (shape == 'V' ? di == 0 || dj == 0 : di != dj);
  }

  /// The state of a cell up to one beyond the sides; the sides along y have the corners.
  std::uint8_t at(std::int64_t i, std::int64_t j) const {
    for (auto const& [x, n, s] : {std::tuple{&j, ny, 2}, std::tuple{&i, nx, 0}}) {
      if (*x >= 0 && *x < n) continue;
      char const kind = side[s + (*x < 0 ? 0 : 1)];
      if (kind < '0' + 48) return static_cast<std::uint8_t>(kind - '0');
      *x = kind == 'p' ? (*x + n) % n : *x < 0 ? 0 : n - 1;
    }
    return cells[static_cast<std::size_t>(j * nx + i)];
  }

  /// The next generation. Returns how many cells changed.
  std::int64_t step() {
    auto next = cells;
    std::int64_t changed = 0;
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i) {
        int n = 0;
        for (int dj = -1; dj <= 1; ++dj)
          for (int di = -1; di <= 1; ++di) n += counts(di, dj) && at(i + di, j + dj) == 1;
        auto& value = next[static_cast<std::size_t>(j * nx + i)];
        int const own = at(i, j);
        bool const alive = own < 2 && ((own == 1 ? survives : born) >> n & 1u) != 0;
        int const older = own == 0 || states == 0 ? 0 : (own + 1) % states;
        value = static_cast<std::uint8_t>(alive ? 1 : older);
        changed += value != own;
      }
    cells = std::move(next);
    return changed;
  }
};

/// Gosper's glider gun, rows from the top; o lives.
inline std::vector<std::string> const gun{"bbbbbbbbbbbbbbbbbbbbbbbbo",
                                          "bbbbbbbbbbbbbbbbbbbbbbobo",
                                          "bbbbbbbbbbbboobbbbbboobbbbbbbbbbbboo",
                                          "bbbbbbbbbbbobbbobbbboobbbbbbbbbbbboo",
                                          "oobbbbbbbbobbbbbobbboo",
                                          "oobbbbbbbbobbboboobbbbobo",
                                          "bbbbbbbbbbobbbbbobbbbbbbo",
                                          "bbbbbbbbbbbobbbo",
                                          "bbbbbbbbbbbboo"};

}  // namespace tessera::tests
