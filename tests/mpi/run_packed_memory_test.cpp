// SPDX-License-Identifier: Apache-2.0
// A run that keeps its states in bits holds bits from its start to its end; what it writes is that of a run that holds bytes.
#include "core/grid/sweep.hpp"
#include "io/reader.hpp"
#include "tests/support/written_case.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace tessera::tests {

/// Bytes of Kokkos' views, of which all fields are made, while it lives.
class ViewMemory {
 public:
  ViewMemory() {
    now_ = most_ = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t size) {
          now_ += static_cast<std::int64_t>(size);
          most_ = std::max(most_, now_);
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t size) {
          now_ -= static_cast<std::int64_t>(size);
        });
  }
  ~ViewMemory() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  /// The mean of the ranks, as tiles may move to those that are faster. Collective.
  static double most() {
    core::Comm const world;
    return static_cast<double>(world.sum(most_)) / world.size();
  }

 private:
  static inline std::int64_t now_ = 0, most_ = 0;
};

constexpr core::Count nx = 2048, ny = 1536;

/// On devices bytes go one generation at a time.
std::string deep(int depth, std::string const& storage) {
  return core::on_host || storage == "bits" ? std::to_string(depth) : "auto";
}

/// A rule, its last state, and how many bits that has.
struct Kept {
  char const* rule;
  int last, bits;
};
constexpr Kept kept[] = {{"B3/S23", 1, 1}, {"345/2/4", 3, 2}, {"34/2/11", 10, 4}};

WrittenCase soup(Kept const& of, std::string const& storage) {
  return WrittenCase({
      {"system/controlDict",
       "application cellularAutomaton; writeControl timeStep; writeInterval 16; startFrom latestTime;\n"
       "preview { every 8; size 64; }\n"},
      {"system/gridDict", fmt::format("cells ({} {} 1);", nx, ny)},
      {"constant/automatonProperties",
       fmt::format("rule \"{0}\"; storage {1}; haloDepth {2}; stop {{ generations 24; }} series {{ every 4; }}\n"
                   "boundary {{ left periodic; right periodic; bottom fixed 0; top fixed {3}; }}\n"
                   "initial (\n"
                   "  {{ type random; probability 0.3; seed 4; }}\n"
                   "  {{ type uniform; value {3}; box ((100 100 0) (777 140 1)); }}\n"
                   "  {{ type random; low 0; high {3}; box ((900 900 0) (1500 1100 1)); }}\n"
                   "  {{ type ball; value 0; centre (1024 700 0.5); radius 90; }}\n"
                   "  {{ type pattern; file \"p.rle\"; position (333 777 0); }} );\n",
                   of.rule, storage, deep(8, storage), of.last)},
      {"p.rle", fmt::format("x = 3, y = 3, rule = {}\n{}", of.rule, of.last == 1 ? "bo$2bo$3o!\n" : ".A$2.B$C2A!\n")},
      // alike, however busy the machine is with other things: the memory of a rank is that of its share
      {"system/decomposeParDict",
       fmt::format("processorWeights ({});", fmt::join(std::vector<int>(core::Comm().size(), 1), " "))},
  });
}

/// All of the states in a snapshot; on the root.
std::vector<std::byte> states(WrittenCase const& c, std::string const& snapshot) {
  std::vector<std::byte> values;
  if (!core::Comm().root()) return values;
  auto const source = io::open_rows(c.path("results/" + snapshot + ".h5").string() + ":/fields/state");
  values.resize(static_cast<std::size_t>(nx * ny));
  source->next(ny, values);
  return values;
}

void expect_what_a_run_of_bytes_writes(Kept const& of) {
  auto bits = soup(of, "bits"), bytes = soup(of, "bytes");
  nlohmann::ordered_json report;
  double most = 0;
  {
    ViewMemory const memory;
    report = bits.run();
    most = ViewMemory::most();
  }
  auto const expected = bytes.run();
  EXPECT_EQ(report["haloDepth"], 8);
  for (char const* const what : {"results", "hash"}) EXPECT_EQ(report[what], expected[what]) << what << of.rule;
  for (char const* const snapshot : {"000016", "000024"})
    EXPECT_TRUE(states(bits, snapshot) == states(bytes, snapshot)) << snapshot;
  if (core::Comm().root())
    for (char const* const file : {"results/preview.png", "results/state.png", "postProcessing/series.csv"}) {
      EXPECT_FALSE(bits.read(file).empty()) << file;
      EXPECT_TRUE(bits.read(file) == bytes.read(file)) << file;
    }
  if (core::fenced) return;  // fields have pages of their own
  double const cells = static_cast<double>(nx * ny) / core::Comm().size();
  EXPECT_GT(8 * most, of.bits * cells);
  EXPECT_LT(8 * most, 3 * of.bits * cells) << of.rule << ", bits a cell " << 8 * most / cells;
}

TEST(PackedRun, HoldsNoFieldOfBytesAndWritesWhatARunOfBytesDoes) {
  for (auto const& of : kept) expect_what_a_run_of_bytes_writes(of);
}

/// From a snapshot of fewer ranks' tiles, too, as a run of bytes writes it.
void expect_to_go_on(Kept const& of) {
  auto c = soup(of, "bits");
  auto const whole = c.run();
  if (core::Comm().root()) std::filesystem::remove(c.path("results/000024.h5"));
  for (std::string const storage : {"bits", "bytes"}) {
    nlohmann::ordered_json report;
    double most = 0;
    {
      ViewMemory const memory;
      report = c.run({"constant/automatonProperties:storage=" + storage,
                      "constant/automatonProperties:haloDepth=" + deep(8, storage)});
      most = ViewMemory::most();
    }
    EXPECT_EQ(report["hash"], whole["hash"]);
    EXPECT_EQ(report["results"]["population"], whole["results"]["population"]);
    if (core::Comm().root()) std::filesystem::remove(c.path("results/000024.h5"));
    core::Comm().barrier();
    if (core::fenced) continue;
    double const cells = static_cast<double>(nx * ny) / core::Comm().size();
    if (storage == "bits") {
      EXPECT_LT(8 * most, 3 * of.bits * cells);
    } else {
      EXPECT_GT(8 * most, 16 * cells);
    }
  }
}
TEST(PackedRun, GoesOnFromASnapshotWithoutAFieldOfBytes) {
  for (auto const& of : kept) expect_to_go_on(of);
}

/// A picture whose values come in all brightnesses, or of 0 and 1 alone.
std::string picture(bool of_bits) {
  std::string text = fmt::format("{}\n{} {}\n{}", of_bits ? "P4" : "P5", nx, ny, of_bits ? "" : "255\n");
  std::uint32_t x = 1;
  for (core::Count n = 0; n < nx * ny / (of_bits ? 8 : 1); ++n) {
    x = x * 1664525 + 1013904223;
    text += static_cast<char>(x >> 24);
  }
  return text;
}

TEST(PackedRun, BeginsWithAPictureWithoutAFieldOfBytes) {
  for (std::string const how :
       {"file \"p.pgm\";", "file \"p.pgm\"; threshold otsu; occupied light;", "file \"p.pgm\"; phases (0 7 255);",
        "file \"p.pbm\";", "file \"p.pgm\"; level 77; box ((100 0 0) (2000 1000 1)); position (7 300 0);"}) {
    std::vector<nlohmann::ordered_json> hashes;
    for (std::string const storage : {"bits", "bytes"}) {
      WrittenCase c({{"system/controlDict", "application cellularAutomaton; writeControl none;\n"},
                     {"system/gridDict", fmt::format("cells ({} {} 1);", nx, ny)},
                     {"constant/automatonProperties",
                      fmt::format("rule B3/S23; storage {}; haloDepth {}; stop {{ generations 2; }}\n"
                                  "initial ( {{ type random; seed 3; }} {{ type picture; {} }} );\n",
                                  storage, deep(2, storage), how)},
                     {"p.pgm", picture(false)},
                     {"p.pbm", picture(true)}});
      ViewMemory const memory;
      hashes.push_back(c.run()["hash"]);
      if (core::fenced) continue;
      double const bits = 8 * ViewMemory::most() / static_cast<double>(nx * ny) * core::Comm().size();
      EXPECT_TRUE(storage == "bits" ? bits < 3 : bits > 16) << how << " " << bits;
    }
    EXPECT_EQ(hashes[0], hashes[1]) << how;
  }
}

}  // namespace tessera::tests
