// SPDX-License-Identifier: Apache-2.0
// Percolation beside its peers: clusters with labels, numbers and sizes, as `tessera run` finds them, against OpenCV and
// scipy, the exact backbone against a serial block search and Boost.Graph; memory, growth with the size of the grid, two ranks.
//   build/release/bench/percolation [--parts labels,backbone,memory,growth,ranks] [--sides 4096,16384]
//                                   [--densities 0.592746,0.65] [--rounds 5] [--folder DIR] [--json FILE]
// Each program beside this one (percolation_run is ours) reads the same grid from a file and prints the time of each
// round by its own process's time on the processor, so that other programs on the machine disturb the ratios little;
// ours runs half of its rounds before the peers and half after them. Two ranks are timed by the clock, beside two
// independent runs on one rank at the same time: what they lose is the machine's doing. Peers that were not found when
// the benchmarks were built are left out. Labels are compared by their number, backbones cell by cell; a difference
// ends the benchmark with exit code 3. The backbone is timed up to L = 4096 (Boost.Graph takes 150 B a cell).
#include "bench/measure.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <thread>
#include <unistd.h>

namespace tessera::bench {

using Times = std::map<std::string, std::vector<double>>;

/// Runs a command, and adds the lines "name value" that it prints. Not found or failed: false.
bool measure(std::string const& command, Times& times) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  char name[64];
  double value;
  while (std::fscanf(pipe, "%63s %lf", name, &value) == 2) times[name].push_back(value);
  return pclose(pipe) == 0;
}

class Bench {
 public:
  std::vector<std::string> parts{"labels", "backbone", "memory", "growth", "ranks"};
  std::vector<int> sides{4096, 16384};
  std::vector<double> densities{0.592746, 0.65};
  int rounds = 5;
  std::filesystem::path programs, folder = std::filesystem::temp_directory_path();
  std::string json;

  void run() {
    folder /= fmt::format("tessera_percolation_{}", getpid());
    std::filesystem::create_directories(folder);
    for (int side : sides)
      for (double p : densities) {
        bool const with_backbone = wants("backbone") && side <= 4096;
        if (!with_backbone && !wants("labels")) continue;
        ours(fmt::format("grid {} {} {} {}", side, p, seed(side, p), grid()));
        if (wants("labels")) labels(side, p);
        if (with_backbone) backbone(side, p);
      }
    if (wants("memory")) memory();
    if (wants("growth")) growth();
    if (wants("ranks")) ranks();
    std::filesystem::remove_all(folder);
    if (!json.empty()) {
      std::ofstream out(json);
      for (auto const& line : lines_) out << line << '\n';
    }
  }

 private:
  bool wants(std::string const& part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }
  /// The first one whose grid spans.
  int seed(int side, double p) {
    int& known = seeds_[{side, p}];
    if (known == 0) known = static_cast<int>(ours(fmt::format("seed {} {}", side, p))["seed"].at(0));
    return known;
  }
  std::string grid() const { return (folder / "grid.u8").string(); }
  std::string program(std::string const& name) const { return fmt::format("'{}'", (programs / name).string()); }
  bool has(std::string const& name) const { return std::filesystem::exists(programs / name); }

  Times ours(std::string const& what) {
    Times times;
    if (!measure(program("percolation_run") + " " + what, times))
      throw std::runtime_error("percolation_run " + what + " failed");
    return times;
  }
  static void add(Times& to, Times const& more) {
    for (auto const& [name, values] : more) to[name].insert(to[name].end(), values.begin(), values.end());
  }
  /// Times of a peer, or none where it is missing.
  Times peer(std::string const& command) {
    Times times;
    return measure(command, times) ? times : Times{};
  }
  void say(std::string const& text, std::string const& fields) {
    fmt::print("{}\n", text);
    lines_.push_back(fmt::format("{{\"bench\":\"percolation\",{}}}", fields));
    fmt::print("{}\n", lines_.back());
    std::fflush(stdout);
  }
  static double rate(int side, double seconds) { return seconds > 0 ? 1e-6 * side * side / seconds : 0; }

  void labels(int side, double p) {
    std::string const arguments = fmt::format("{} {} {}", grid(), side, (rounds + 1) / 2);
    std::vector<std::pair<std::string, Times>> peers;
    Times mine = ours("labels " + arguments);
    if (has("labels_opencv")) peers.emplace_back("OpenCV", peer(program("labels_opencv") + " " + arguments));
    if (auto const python = python_with_scipy(); !python.empty())
      peers.emplace_back("scipy",
                         peer(fmt::format("{} '" TESSERA_SOURCE_DIR "/bench/labels_scipy.py' {}", python, arguments)));
    add(mine, ours("labels " + arguments));
    for (std::string const what : {"black4", "white8"}) {
      double const rate_mine = rate(side, median(mine[what]));
      std::string text = fmt::format("labels, L = {}, p = {}, {}: {:.0f} Msites/s", side, p,
                                     what == "black4" ? "black, 4 neighbours" : "white, 8 neighbours", rate_mine);
      std::string fields = fmt::format("\"what\":\"labels\",\"side\":{},\"p\":{},\"kind\":\"{}\",\"rate\":{:.1f}", side,
                                       p, what, rate_mine);
      for (auto& [name, times] : peers) compare(name, times, what, side, rate_mine, text, fields);
      for (auto& [name, times] : peers)
        if (!times.empty()) expect_equal(times[what + "_clusters"].at(0), mine[what + "_clusters"].at(0), name);
      say(text, fields);
    }
  }

  void backbone(int side, double p) {
    auto const arguments = [&](std::string const& masks, int n) {
      return fmt::format("{} {} {} '{}'", grid(), side, n, (folder / masks).string());
    };
    std::vector<std::pair<std::string, Times>> peers;
    Times mine = ours("backbone " + arguments("ours", (rounds + 1) / 2));
    peers.emplace_back("block search", peer(program("percolation_search") + " " + arguments("block search", 3)));
    if (has("percolation_boost"))
      peers.emplace_back("Boost.Graph", peer(program("percolation_boost") + " " + arguments("Boost.Graph", 1)));
    add(mine, ours("backbone " + arguments("ours", (rounds + 1) / 2)));
    auto const cells = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    for (std::string const what : {"D1", "D2"}) {
      double const rate_mine = rate(side, median(mine[what]));
      auto const mask = read_bytes((folder / ("ours." + what)).string(), cells);
      auto const sites = std::count(mask.begin(), mask.end(), std::uint8_t{1});
      std::string text = fmt::format("backbone {}, L = {}, p = {}: {:.0f} Msites/s", what, side, p, rate_mine);
      std::string fields = fmt::format("\"what\":\"backbone\",\"definition\":\"{}\",\"side\":{},\"p\":{},\"sites\":{},"
                                       "\"rate\":{:.1f}",
                                       what, side, p, sites, rate_mine);
      for (auto& [name, times] : peers) {
        if (times.empty()) continue;
        compare(name, times, what, side, rate_mine, text, fields);
        if (name == "Boost.Graph") compare("its search alone", times, what + "_search", side, rate_mine, text, fields);
        auto const theirs = read_bytes((folder / (name + "." + what)).string(), cells);
        std::size_t different = 0;
        for (std::size_t n = 0; n < cells; ++n) different += mask[n] != theirs[n];
        expect_equal(static_cast<double>(different), 0, name);
      }
      say(text + fmt::format("; all {} sites equal", sites), fields);
    }
  }

  void memory() {
    int const side = *std::max_element(sides.begin(), sides.end());
    for (double p : densities) {
      Times times = ours(fmt::format("memory {} {} {}", side, p, seed(side, p)));
      double const bytes = times["bytes"].at(0);
      say(fmt::format("memory, backbone, L = {}, p = {}: {:.2f} B a site at the peak, all in", side, p, bytes),
          fmt::format("\"what\":\"memory\",\"side\":{},\"p\":{},\"spans\":{},\"bytes\":{:.3f}", side, p,
                      times["spans"].at(0) > 0, bytes));
    }
  }

  void growth() {
    for (double p : densities) {
      std::map<std::string, double> first;
      for (int side = 1024; side <= 16384 && side <= *std::max_element(sides.begin(), sides.end()); side *= 2) {
        ours(fmt::format("grid {} {} {} {}", side, p, seed(side, p), grid()));
        Times times = ours(fmt::format("labels {} {} {}", grid(), side, rounds));
        add(times, ours(fmt::format("backbone {} {} {} {}", grid(), side, rounds, (folder / "ours").string())));
        for (std::string const what : {"black4", "white8", "D1", "D2"}) {
          double const nanoseconds = 1e9 * median(times[what]) / (1.0 * side * side);
          if (side == 1024) first[what] = nanoseconds;
          say(fmt::format("growth, {}, p = {}, L = {}: {:.2f} ns a site, {:.2f} times that at 1024", what, p, side,
                          nanoseconds, nanoseconds / first[what]),
              fmt::format("\"what\":\"growth\",\"kind\":\"{}\",\"p\":{},\"side\":{},\"nanoseconds\":{:.4f},\"ratio\":"
                          "{:.3f}",
                          what, p, side, nanoseconds, nanoseconds / first[what]));
        }
      }
    }
  }

  void ranks() {
    std::string const mpirun =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
        "OMPI_MCA_hwloc_base_binding_policy=none mpirun -np ";
    for (int side : sides) {
      auto const command = [&](int ranks) {
        return fmt::format("{} {} {} wall {} {} {} {}", mpirun, ranks, program("percolation_run"), side, densities[0],
                           seed(side, densities[0]), rounds);
      };
      Times one = peer(command(1)), two = peer(command(2)), twice;
      {
        Times other;
        std::thread beside([&] { measure(command(1), other); });
        measure(command(1), twice);
        beside.join();
        add(twice, other);
      }
      if (one.empty() || two.empty() || twice.empty()) {
        fmt::print("ranks: mpirun did not run\n");
        return;
      }
      for (std::string const what : {"backbone", "labels"}) {
        double const a = median(one[what]), b = median(two[what]), c = median(twice[what]);
        say(fmt::format("two ranks, {}, L = {}: {:.2f} times one ({:.0f} and {:.0f} Msites/s); two independent runs at "
                        "once {:.2f} times",
                        what, side, a / b, rate(side, b), rate(side, a), 2 * a / c),
            fmt::format("\"what\":\"ranks\",\"kind\":\"{}\",\"side\":{},\"ratio\":{:.3f},\"independent\":{:.3f}", what,
                        side, a / b, 2 * a / c));
      }
    }
  }

  void compare(std::string const& name, Times& times, std::string const& what, int side, double rate_mine,
               std::string& text, std::string& fields) const {
    if (times.empty()) return;
    double const theirs = rate(side, median(times[what]));
    text += fmt::format(", {} {:.{}f}, ratio {:.1f}", name, theirs, theirs < 10 ? 2 : 0, rate_mine / theirs);
    fields += fmt::format(",\"{}\":{:.3f},\"ratio to {}\":{:.2f}", name, theirs, name, rate_mine / theirs);
  }
  static void expect_equal(double theirs, double mine, std::string const& name) {
    if (theirs != mine) throw std::domain_error(fmt::format("{} finds {}, not {}", name, theirs, mine));
  }
  /// The first Python that knows scipy: the distribution's need not be the first of all.
  static std::string python_with_scipy() {
    for (std::string const python : {"python3", "/usr/bin/python3"})
      if (std::system((python + " -c 'import scipy.ndimage' 2>/dev/null").c_str()) == 0) return python;
    return "";
  }

  std::map<std::pair<int, double>, int> seeds_;
  std::vector<std::string> lines_;
};

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::bench::Bench bench;
  bench.programs = std::filesystem::absolute(argv[0]).parent_path();
  CLI::App app("Percolation beside its peers");
  app.add_option("--parts", bench.parts)->delimiter(',');
  app.add_option("--sides", bench.sides)->delimiter(',');
  app.add_option("--densities", bench.densities)->delimiter(',');
  app.add_option("--rounds", bench.rounds);
  app.add_option("--folder", bench.folder,
                 "grids and masks go to a folder of their own in it, which is removed in the end");
  app.add_option("--json", bench.json);
  CLI11_PARSE(app, argc, argv);
  try {
    bench.run();
  } catch (std::domain_error const& error) {
    fmt::print(stderr, "bench/percolation: {}\n", error.what());
    return 3;
  } catch (std::exception const& error) {
    fmt::print(stderr, "bench/percolation: {}\n", error.what());
    return 1;
  }
  return 0;
}
