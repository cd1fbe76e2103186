// SPDX-License-Identifier: Apache-2.0
// Damaged files for every reader, or the ones named: bench/fuzz SECONDS [READER ...]. Exit code 1 where one did something
// else than read or refuse. A crash or a hang (10 s) ends the program; it said before which reader was at work.
#include "bench/fuzz.hpp"
#include "core/runtime.hpp"

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    double const seconds = argc > 1 ? std::atof(argv[1]) : 600;
    std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
    if (names.empty())
      for (auto const& [name, entry] : io::Readers::entries()) names.push_back(name);
    bool good = true;
    std::random_device device;
    for (auto const& name : names) {
      unsigned const seed = device();
      std::printf("%-10s seed %u ", name.c_str(), seed);
      std::fflush(stdout);
      auto const r = bench::fuzz(name, seconds, seed);
      std::printf("%ld read, %ld refused, %ld too wide, slowest %.3f s%s\n", r.read, r.refused, r.too_wide, r.slowest,
                  r.wrong.empty() ? "" : (": " + r.wrong).c_str());
      good = good && r.wrong.empty();
    }
    return good ? 0 : 1;
  });
}
