// SPDX-License-Identifier: Apache-2.0
#pragma once
// Damaged files for every reader: what bench/fuzz and the test of that name share.
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

namespace tessera::bench {

/// A file to damage, and what stands behind its name.
struct Seed {
  std::string bytes, item;
};

/// Ends the process (SIGPROF) after so many seconds of processor time, which no endless loop outlives and no busy machine
/// shortens; 0: never.
inline void end_after(long seconds) {
  itimerval const limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

struct FuzzResult {
  std::string reader;
  long read = 0, refused = 0, too_wide = 0;
  double slowest = 0;  ///< [s] of one file
  std::string wrong;   ///< what went wrong, "" if nothing
};

/// Address space of the process limited to what it has and so many bytes more, for a scope: a huge allocation then fails.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(MemoryLimit const&) = delete;
  MemoryLimit& operator=(MemoryLimit const&) = delete;

 private:
  rlimit before_{};
};

/// Sound files of a reader: from the writer of its name, and small ones by hand for those that have none.
inline std::vector<Seed> seeds_of(std::string const& reader, tests::Scratch const& scratch) {
  std::vector<Seed> seeds;
  std::string const head = "FoamFile { version 2.0; format ascii; class volScalarField; object T; }\n"
                           "dimensions [0 0 0 1 0 0 0];\ninternalField ";
  if (reader == "life")
    return {{"#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n", ""},
            {"#Life 1.05\n#N\n#P -1 -1\n.*\n..*\n***\n#P 5 5\n**\n", ""}};
  if (reader == "macrocell")
    return {{"[M2] (golly 2.0)\n#R B3/S23\n.*$..*$***$$$$$\n4 1 0 1 1\n5 2 2 0 0\n6 0 3 3 2\n", ""},
            {"[M2] (golly 2.0)\n1 0 2 3 0\n1 1 0 0 4\n2 1 2 0 1\n3 3 3 0 3\n4 0 0 4 4\n", ""}};
  if (reader == "mcell")
    return {{"#MCell 4.20\n#GAME Life\n#RULE 23/3\n#BOARD 40x40\n#L .A$..A$3A$\n", ""},
            {"#MCell 4.20\n#GAME Generations\n#RULE 345/2/4\n#L A.B$2.C2$\n#L aA3.jO\n", ""}};
  if (reader == "rle3")
    return {{"3D version=1 size=40 pos=19,18,18\n# a ship\nx=2 y=4 z=4 "
             "rule=3D4,7/5,8\n$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!\n",
             ""},
            {"3D version=1\nx=3 y=3 z=4 rule=3D5..7/6\n3o2$o\n2/b2o3/!\n", ""}};
  if (reader == "metaimage") {
    tests::write_bytes(scratch / "data.raw", std::string(20, '\1'));
    return {{"ObjectType = Image\nNDims = 2\nBinaryData = True\nDimSize = 5 4\nElementType = MET_UCHAR\n"
             "ElementDataFile = data.raw\n",
             ""}};
  }
  if (reader == "openfoam")
    seeds = {
        {head + "uniform 7;\nboundaryField { }\n", "5x4"},
        {head + "nonuniform List<scalar> 20{3};\nboundaryField { a { type b; c nonuniform List<scalar> 2(1 2); } }\n",
         "5x4"}};
  if (reader == "npy") {
    std::string const dictionary = "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 4, 5), }\n";
    seeds = {{std::string("\x93NUMPY\x02\0", 8) + std::string{static_cast<char>(dictionary.size()), 0, 0, 0} +
                  dictionary + std::string(160, '\0'),
              ""}};
  }
  if (!io::Writers::contains(reader)) return seeds;
  auto const writer = io::Writers::make(reader);
  for (core::Element const element : {core::Element::uint8, core::Element::float64})
    for (core::Count const layers : {1, 2})
      for (bool const binary : {false, true}) {
        io::RowFormat format;
        format.cells = {5, 4, layers};
        format.element = element;
        format.binary = binary;
        std::size_t const values = 5 * 4 * static_cast<std::size_t>(layers);
        std::string const file = scratch / "seed." + writer->extensions()[0];
        std::vector<std::byte> bytes(values * io::size_of(element));
        for (std::size_t n = 0; n < values; ++n) {
          double const real = n % 3 == 0;
          std::uint8_t const natural = n % 3 == 0;
          if (element == core::Element::uint8)
            std::memcpy(bytes.data() + n, &natural, 1);
          else
            std::memcpy(bytes.data() + 8 * n, &real, 8);
        }
        try {
          auto const sink = writer->create(file, format);
          sink->next(4 * layers, bytes);
          sink->finish();
        } catch (core::Error const&) {
          continue;  // not for this format
        }
        std::string const cells = layers == 1 ? "5x4" : "5x4x2";
        std::string const type = element == core::Element::uint8 ? "uint8" : "float64";
        seeds.push_back({tests::bytes_of(file), reader == "openfoam" ? cells
                                                : reader == "raw"    ? cells + ":" + type
                                                                     : ""});
      }
  return seeds;
}

/// Changes a few bytes, numbers or pieces.
inline void damage(std::string& bytes, std::mt19937& random) {
  static std::array<std::string, 12> const numbers{
      "0",   "-1", "2147483647",          "2147483648", "4294967296", "99999999999999999999",
      "nan", "1",  "9223372036854775807", "1e308",      "-0",         "255"};
  static std::array<std::string, 5> const words{std::string(4, '\0'), std::string(4, '\xff'),
                                                std::string("\0\0\0\x80", 4), std::string("\xff\xff\xff\x7f", 4),
                                                std::string(8, '\xff')};
  for (unsigned changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    std::size_t const at = random() % bytes.size(), length = 1 + random() % 16;
    switch (random() % 9) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random() % bytes.size(), length));
      break;
    case 4:
      bytes.resize(at);
      break;
    case 5: {
      std::string const& word = words[random() % words.size()];
      bytes.replace(at, word.size(), word);
      break;
    }
    default: {
      // the next number in the text, where there is one
      auto const first = bytes.find_first_of("0123456789", at);
      if (first == std::string::npos) break;
      auto const last = std::min(bytes.find_first_not_of("0123456789", first), bytes.size());
      bytes.replace(first, last - first, numbers[random() % numbers.size()]);
    }
    }
  }
}

/// Reads as much as a small machine would: rows of up to 64 MiB, up to 16 MiB and 4096 rows in all.
inline bool read_some(io::RowSource& source) {
  auto const n = source.cells();
  double const row_bytes = static_cast<double>(n[0]) * static_cast<double>(io::size_of(source.element()));
  if (row_bytes > 64e6) return false;
  std::vector<std::byte> row(row_bytes);
  core::Count const rows = n[1] > 4096 || n[2] > 4096 ? 4096 : std::min<core::Count>(4096, n[1] * n[2]);
  for (core::Count r = 0; r < rows && static_cast<double>(r) * row_bytes < 16e6; ++r) source.next(1, row);
  return true;
}

/// Gives a reader damaged files for so many seconds. Each must be read or refused by a core::Error; a file that takes longer
/// than 10 s ends the process. The file at work is FOLDER/fuzz.EXTENSION: it is there to look at after a crash.
inline FuzzResult fuzz(std::string const& name, double seconds, unsigned seed) {
  using Clock = std::chrono::steady_clock;
  tests::Scratch const scratch;
  auto const reader = io::Readers::make(name);
  auto const seeds = seeds_of(name, scratch);
  FuzzResult result;
  result.reader = name;
  if (seeds.empty()) {
    result.wrong = "no sound file to begin with";
    return result;
  }
  std::string const file = scratch / "fuzz." + reader->extensions()[0];
  std::mt19937 random(seed);
  auto const begin = Clock::now();
  MemoryLimit const limit(std::size_t{512} << 20);
  while (result.wrong.empty() && std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
    Seed trial = seeds[random() % seeds.size()];
    damage(trial.bytes, random);
    tests::write_bytes(file, trial.bytes);
    auto const start = Clock::now();
    end_after(10);
    try {
      auto const source = reader->open(file, trial.item);
      ++(read_some(*source) ? result.read : result.too_wide);
    } catch (core::Error const&) {
      ++result.refused;
    } catch (std::exception const& error) {
      result.wrong = error.what();
    }
    end_after(0);
    result.slowest = std::max(result.slowest, std::chrono::duration<double>(Clock::now() - start).count());
    if (!result.wrong.empty()) {
      std::string const kept = (std::filesystem::temp_directory_path() / ("tessera_fuzz_" + name)).string();
      tests::write_bytes(kept, trial.bytes);
      result.wrong += " (" + kept + ")";
    }
  }
  return result;
}

}  // namespace tessera::bench
