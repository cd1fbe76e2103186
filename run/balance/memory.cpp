// SPDX-License-Identifier: Apache-2.0
#include "run/balance/memory.hpp"

#include "core/report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tessera::run {
namespace {

double resident() {
  double size = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> size >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Memory memory_of(double bytes_a_cell, core::Grid const& grid, double largest_share, int ranks, AtEnd const& at_end) {
  malloc_trim(0);
  double const own = resident(), cells = static_cast<double>(grid.total());
  auto const most = [&](double all, int of) {
    return of * own + std::max(bytes_a_cell * all, at_end.bytes_a_cell * all + of * at_end.others);
  };
  return {most(cells, ranks), most(cells * largest_share, 1), most(0, 1), cells};
}

double picture_bytes(core::Grid const& grid) {
  constexpr double longest = 1024, shortest = 240, a_pixel = 26;  // small plots are enlarged
  auto const cells = grid.cells();
  auto const [less, more] = std::minmax(cells[0], cells[1]);
  double const side = longest * static_cast<double>(less) / static_cast<double>(more);
  return a_pixel * longest * std::max(shortest, side);
}

double field_bytes(core::Grid const& grid, int halo, double element_bytes) {
  auto const shape = grid.tile();
  double const line = 64 / element_bytes;
  auto const padded = [line](double cells) { return std::ceil(cells / line) * line; };
  double cells = 1;
  for (int a = 0; a < 3; ++a) {
    double const h = grid.thin(a) ? 0 : halo, n = static_cast<double>(shape[a]);
    cells *= a == 0 ? padded(h) + padded(n + h) : n + 2 * h;
  }
  return cells * element_bytes * grid.tiles() / static_cast<double>(grid.total());
}

double node_memory() {
  double const there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  bool const limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min(there, static_cast<double>(limit.rlim_cur)) : there;
}

double measure_memory(std::function<void()> const& f) {
  malloc_trim(0);  // what was freed before is not to be used again unseen
  double const before = resident(), peak_before = core::peak_memory();
  f();
  double const peak = core::peak_memory();
  // f's peak shows where it exceeds all before it
  return std::max(peak > peak_before ? peak : 0.0, resident()) - before;
}

}  // namespace tessera::run
