// SPDX-License-Identifier: Apache-2.0
// Loading through routers.
//   mpirun -np P build/release/bench/routers predict [MIB] [CORES]   load times of all radices, predicted and measured
//   mpirun -np P build/release/bench/routers load FILE [ROUNDS] [CHUNK] [READERS]
//       a picture into bytes: seconds, memory a rank, hash
//   build/release/bench/routers decode FILE [ROUNDS]
//       the same picture read, and decoded into memory, on one core
//   build/release/bench/routers make FILE SIZE                       a picture of noise for these, .pbm .pgm .png
// bench/routers.sh runs them together.
#include "io/stream/routers.hpp"
#include "bench/measure.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "core/report.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <thread>

namespace tessera::bench {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Bytes that cost next to nothing to read.
class Blank final : public io::RowSource {
 public:
  explicit Blank(core::Grid::Shape cells) : cells_(cells) {}
  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::uint8; }
  void next(core::Count, std::span<std::byte> values) override { std::memset(values.data(), 1, values.size()); }

 private:
  core::Grid::Shape cells_;
};

std::unique_ptr<core::Layout> layout_of(core::Comm const& world, core::Grid::Shape cells) {
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells));
  return std::make_unique<core::Layout>(grid, core::block_owners(grid->tiles(), world.size()), world);
}

int predict(core::Comm const& world, double mib, int cores) {
  core::Count const rows = std::max<core::Count>(1, std::llround(mib * 1024 * 1024 / 8192));
  core::Grid::Shape const cells{8192, rows, 1};
  auto const layout = layout_of(world, cells);
  core::Field<std::uint8_t> field("f", *layout, 0);
  double const bytes = 8192.0 * static_cast<double>(rows);
  auto const load = [&] {
    Blank source(cells);
    world.barrier();
    double const begin = now();
    io::distribute(world.root() ? &source : nullptr, field);
    return world.max(now() - begin);
  };
  // what the root needs to read a byte and to put it in its place: a load on this rank alone
  auto const alone = [&] {
    double seconds = 1e300;
    if (world.root()) {
      auto const mine = layout_of(core::Comm(MPI_COMM_SELF), cells);
      core::Field<std::uint8_t> whole("f", *mine, 0);
      Blank source(cells);
      double const begin = now();
      io::distribute(&source, whole);
      seconds = now() - begin;
    }
    return world.min(seconds);
  };
  std::set<int> radices{world.size() - 1};
  for (int radix = 1; radix < world.size(); radix *= 2) radices.insert(radix);
  // all in turns, so that who else uses the machine disturbs them alike; the best of each counts
  core::Link link{1e300, 0};
  double own = 1e300;
  std::map<int, double> best;
  for (int round = 0; round < 9; ++round) {
    own = std::min(own, alone());
    auto const now_measured = io::measure_link(world);
    link = {std::min(link.latency, now_measured.latency), std::max(link.bandwidth, now_measured.bandwidth)};
    for (int const radix : radices) {
      io::set_routers({.radix = radix});
      double const seconds = load();
      auto const [at, is_new] = best.try_emplace(radix, seconds);
      at->second = std::min(at->second, seconds);
    }
  }
  if (world.root())
    fmt::print(
        "{:.0f} MiB on {} ranks, {} cores: latency {:.2f} us, bandwidth {:.2f} GB/s, alone {:.4f} s\n{:>6} {:>6} "
        "{:>11} {:>11} {:>7}\n",
        bytes / 1048576, world.size(), cores, 1e6 * link.latency, 1e-9 * link.bandwidth, own, "radix", "hops",
        "predicted s", "measured s", "ratio");
  for (auto const& [radix, seconds] : best) {
    io::set_routers({.radix = radix});
    auto const& tree = io::routers_of(world);
    double const predicted = io::predict_load(tree, bytes, link, bytes / own, cores);
    if (world.root())
      fmt::print("{:>6} {:>6} {:>11.4f} {:>11.4f} {:>7.2f}\n{{\"bench\":\"routers\",\"ranks\":{},\"radix\":{},"
                 "\"predicted\":{:.6g},\"measured\":{:.6g}}}\n",
                 radix, tree.hops(), predicted, seconds, seconds / predicted, world.size(), radix, predicted, seconds);
  }
  return 0;
}

int load(core::Comm const& world, std::string const& file, int rounds, std::size_t chunk, int readers) {
  io::RouterSettings settings{.readers = readers};
  if (chunk > 0) settings.chunk = chunk;
  io::set_routers(settings);
  core::Grid::Shape cells{};
  core::Bytes shape(sizeof cells);
  io::on_root(world, [&] {
    cells = io::open_rows(file)->cells();
    std::memcpy(shape.data(), cells.data(), shape.size());
  });
  world.broadcast(shape);
  std::memcpy(cells.data(), shape.data(), shape.size());
  auto const layout = layout_of(world, cells);
  io::routers_of(world);
  double const before = core::peak_memory();
  core::Field<std::uint8_t> field("mask", *layout, 1);
  double best = 1e300, busiest = 1e300, work = 1e300;
  for (int round = 0; round < rounds; ++round) {
    world.barrier();
    double const begin = now(), processor = processor_seconds();
    auto const source = io::open_rows(world, file);
    io::distribute(source.get(), field);
    double const mine = processor_seconds() - processor;
    best = std::min(best, world.max(now() - begin));
    busiest = std::min(busiest, world.max(mine));
    double sum = 0;
    for (double const x : world.gather(mine)) sum += x;
    work = std::min(work, sum);
  }
  double const share = static_cast<double>(layout->cells());
  double const above = world.max(core::peak_memory() - before - share), most = world.max(share);
  auto const hash = core::hash(field);
  if (world.root())
    fmt::print(
        "{{\"bench\":\"routers_load\",\"ranks\":{},\"readers\":{},\"seconds\":{:.4f},\"processorBusiest\":{:.4f},"
        "\"processorAll\":{:.4f},\"shareMiB\":{:.1f},\"aboveShareMiB\":{:.1f},"
        "\"heldMiB\":{:.2f},\"hash\":\"{}\"}}\n",
        world.size(), io::router_counts().readers, best, busiest, work, most / 1048576, above / 1048576,
        static_cast<double>(io::router_counts().largest_hold) / 1048576, hash);
  return 0;
}

int decode(std::string const& file, int rounds) {
  double read = 1e300, decoded = 1e300, processor = 1e300;
  std::vector<std::byte> buffer(1 << 20), picture;
  // the first round touches the picture's memory, as a field's is before its load is timed, and does not count
  for (int round = -1; round < rounds; ++round) {
    double const begin = now();
    std::ifstream in(file, std::ios::binary);
    in.rdbuf()->pubsetbuf(nullptr, 0);
    while (in.read(reinterpret_cast<char*>(buffer.data()), static_cast<std::streamsize>(buffer.size()))) {
    }
    double const middle = now(), before = processor_seconds();
    auto const source = io::open_rows(file);
    auto const n = source->cells();
    auto const row_bytes = static_cast<std::size_t>(n[0]) * io::size_of(source->element());
    core::Count const all = n[1] * n[2], at_once = std::max<core::Count>(1, (1 << 20) / n[0]);
    picture.resize(row_bytes * static_cast<std::size_t>(all));
    for (core::Count row = 0; row < all; row += at_once) {
      core::Count const rows = std::min(at_once, all - row);
      source->next(rows, std::span(picture).subspan(static_cast<std::size_t>(row) * row_bytes,
                                                    static_cast<std::size_t>(rows) * row_bytes));
    }
    if (round < 0) continue;
    read = std::min(read, middle - begin);
    decoded = std::min(decoded, now() - middle);
    processor = std::min(processor, processor_seconds() - before);
  }
  fmt::print("{{\"bench\":\"routers_decode\",\"read\":{:.4f},\"decode\":{:.4f},\"processor\":{:.4f}}}\n", read, decoded,
             processor);
  return 0;
}

/// Black and white noise in clumps of about 16 pixels, so that a PNG packs it somewhat, as it does a micrograph.
int make(std::string const& file, core::Count size) {
  bool const bits = file.ends_with(".pbm");
  std::unique_ptr<io::RowSink> sink;
  std::ofstream pbm;
  io::RowFormat format;
  format.cells = {size, size, 1};
  if (bits)
    pbm.open(file, std::ios::binary);
  else
    sink = io::writer_for(file)->create(file, format);
  if (bits) pbm << "P4\n" << size << ' ' << size << '\n';
  std::vector<std::byte> row(size), packed(static_cast<std::size_t>((size + 7) / 8));
  std::uint64_t state = 1;
  for (core::Count j = 0; j < size; ++j) {
    std::byte value{0};
    for (core::Count i = 0; i < size; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if (state >> 60 == 0) value ^= std::byte{255};
      row[i] = value;
    }
    if (!bits) {
      sink->next(1, row);
      continue;
    }
    std::fill(packed.begin(), packed.end(), std::byte{0});
    for (core::Count i = 0; i < size; ++i)
      if (row[i] == std::byte{0}) packed[i / 8] |= std::byte{128} >> static_cast<int>(i % 8);
    pbm.write(reinterpret_cast<char const*>(packed.data()), static_cast<std::streamsize>(packed.size()));
  }
  if (sink) sink->finish();
  return 0;
}

int run(core::Comm const& world, std::vector<std::string> const& words) {
  auto const word = [&](std::size_t n, char const* fallback) { return n < words.size() ? words[n] : fallback; };
  std::string const what = word(0, "predict");
  auto const processors = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  if (what == "predict")
    return predict(world, std::stod(word(1, "256")), std::min(world.size(), std::stoi(word(2, processors.c_str()))));
  if (what == "load" && words.size() > 1)
    return load(world, words[1], std::stoi(word(2, "1")), std::stoull(word(3, "0")), std::stoi(word(4, "0")));
  if (what == "decode" && words.size() > 1) return decode(words[1], std::stoi(word(2, "1")));
  if (what == "make" && words.size() > 1) return make(words[1], std::stoll(word(2, "16384")));
  throw core::Error(
      "expected predict [MIB] [CORES], load FILE [ROUNDS] [CHUNK] [READERS], decode FILE [ROUNDS] or make FILE SIZE");
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] { return tessera::bench::run(runtime.world(), {argv + 1, argv + argc}); });
}
