// SPDX-License-Identifier: Apache-2.0
// Rate of a snapshot against a plain parallel write of the same bytes to the same disk, by turns in one run:
//   mpirun -np 2 bench/snapshot FOLDER [SIDE ROUNDS TILE_X TILE_Y]
// Plain: each rank writes its half of the file by pwrite from memory where it lies in one piece, into space set aside as
// for a snapshot. Each is timed to the end of the call (page cache) and to the end of fsync. The snapshot also takes the
// hash of the field, is checked and renamed; what the hash alone costs is shown, too. Where other programs compute beside
// it, the processor times are what can be compared.
#include "io/snapshot.hpp"
#include "bench/measure.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "io/files/atomic.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <unistd.h>

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

struct Times {
  std::vector<double> cached, synced, processor;
};

/// Seconds from the first rank's start to the last rank's end: of the write, and of the write with fsync.
void time_round(core::Comm const& comm, std::string const& file, Times& times, std::function<void()> const& write) {
  comm.barrier();
  auto const start = Clock::now();
  double const busy = bench::processor_seconds();
  auto const since = [&] { return comm.max(std::chrono::duration<double>(Clock::now() - start).count()); };
  write();
  times.processor.push_back(comm.max(bench::processor_seconds() - busy));
  times.cached.push_back(since());
  int const in = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (in < 0 || fsync(in) != 0) throw core::RunError(file + ": cannot be synced");
  close(in);
  times.synced.push_back(since());
  comm.barrier();
  if (comm.root()) std::filesystem::remove(file);
  comm.barrier();
}

void write_plain(core::Comm const& comm, std::string const& file, std::vector<double> const& mine) {
  std::size_t const bytes = mine.size() * sizeof(double);
  if (comm.root()) io::detail::reserve(file, bytes * static_cast<std::size_t>(comm.size()));
  comm.barrier();
  int const out = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  auto const* data = reinterpret_cast<char const*>(mine.data());
  auto const begin = static_cast<off_t>(bytes) * comm.rank();
  for (std::size_t at = 0; at < bytes;) {
    auto const n = pwrite(out, data + at, std::min<std::size_t>(bytes - at, 8 << 20), begin + static_cast<off_t>(at));
    if (n <= 0) throw core::RunError(file + ": cannot be written");
    at += static_cast<std::size_t>(n);
  }
  close(out);
}

double best(std::vector<double> const& x) { return *std::min_element(x.begin(), x.end()); }

using bench::median;

void show(char const* name, std::vector<double> const& times, double bytes, std::vector<double> const& peer) {
  std::printf("%-22s best %.3f s %7.0f MB/s (%3.0f %% of plain), median %.3f s (%3.0f %%)\n", name, best(times),
              bytes / best(times) * 1e-6, 100 * best(peer) / best(times), median(times),
              100 * median(peer) / median(times));
}

}  // namespace

int main(int argc, char** argv) {
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    auto const& comm = runtime.world();
    auto const number = [&](int n, core::Count otherwise) { return argc > n ? std::atoll(argv[n]) : otherwise; };
    std::string const folder = argc > 1 ? argv[1] : ".";
    core::Count const side = number(2, 8192), rounds = number(3, 5);
    auto const grid = std::make_shared<core::Grid const>(
        core::Grid::unit({side, side, 1}, {number(4, 0), number(5, 0), number(4, 0) > 0 ? 1 : 0}));
    core::Layout const layout(grid, core::block_owners(grid->tiles(), comm.size()), comm);
    core::Field<double> field("T", layout);
    auto const view = field.host();
    for (int s = 0; s < layout.tiles(); ++s)
      for (int j = 0; j < layout.info(s).nj; ++j)
        for (int i = 0; i < layout.info(s).ni; ++i) view(s, 0, j, i) = 1e-3 * (s + i) + j;
    std::vector<double> const plain(static_cast<std::size_t>(side * side / comm.size()), 1.5);

    Times snapshot, peer;
    std::vector<double> hashes;
    std::array<core::FieldBase const*, 1> const fields{&field};
    for (core::Count round = -1; round < rounds; ++round) {
      time_round(comm, folder + "/plain", peer, [&] { write_plain(comm, folder + "/plain", plain); });
      io::SnapshotSeries series(folder, "bench");
      time_round(comm, folder + "/000001.h5", snapshot, [&] { series.write(1, 1, fields); });
      comm.barrier();
      double const busy = bench::processor_seconds();
      core::hash(field);
      hashes.push_back(comm.max(bench::processor_seconds() - busy));
      if (round < 0) {  // the first round warms up
        snapshot = peer = {};
        hashes = {};
      }
    }
    if (!comm.root()) return 0;
    std::filesystem::remove(folder + "/bench.xdmf");
    double const bytes = static_cast<double>(side * side) * sizeof(double);
    auto const tile = grid->tile();
    std::printf("%lld x %lld doubles, %.0f MB, tiles of %lld x %lld, %d ranks, %lld rounds\n",
                static_cast<long long>(side), static_cast<long long>(side), bytes * 1e-6,
                static_cast<long long>(tile[0]), static_cast<long long>(tile[1]), comm.size(),
                static_cast<long long>(rounds));
    show("plain", peer.cached, bytes, peer.cached);
    show("snapshot", snapshot.cached, bytes, peer.cached);
    show("plain with fsync", peer.synced, bytes, peer.synced);
    show("snapshot with fsync", snapshot.synced, bytes, peer.synced);
    std::printf("processor time, best: plain %.3f s, snapshot %.3f s, of which the hash of the field %.3f s\n",
                best(peer.processor), best(snapshot.processor), best(hashes));
    return 0;
  });
}
