// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the programs of bench/percolation share: grids as files of bytes, one a cell, row by row; times as lines
// "name seconds" on the standard output.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::bench {

/// Seconds of this process on the processor: other programs on the machine disturb them little.
inline double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double median(std::vector<double> x) {
  if (x.empty()) return 0;
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

inline std::vector<std::uint8_t> read_bytes(std::string const& name, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::ifstream in(name, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    throw std::runtime_error("cannot read " + std::to_string(size) + " bytes of " + name);
  return bytes;
}

inline void write_bytes(std::string const& name, std::vector<std::uint8_t> const& bytes) {
  std::ofstream out(name, std::ios::binary);
  if (!out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error("cannot write " + name);
}

/// Runs `work` so many times, after `before` times that do not count, and prints the time of each.
template <class F>
void time_rounds(std::string const& name, int before, int rounds, F const& work) {
  for (int round = -before; round < rounds; ++round) {
    double const start = processor_seconds();
    work();
    if (round >= 0) std::printf("%s %.6f\n", name.c_str(), processor_seconds() - start);
  }
}

}  // namespace tessera::bench
