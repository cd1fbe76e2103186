// SPDX-License-Identifier: Apache-2.0
#include "tools/ensemble.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/together.hpp"

#include <cmath>
#include <limits>

namespace tessera::tools {
namespace {

/// A number on the root that any rank may take and raise at any time.
class Counter {
 public:
  explicit Counter(core::Comm const& comm) {
    MPI_Win_allocate(comm.root() ? sizeof(std::int64_t) : 0, sizeof(std::int64_t), MPI_INFO_NULL, comm.handle(),
                     &value_, &window_);
    if (comm.root()) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window_);
      *value_ = 0;
      MPI_Win_unlock(0, window_);
    }
    comm.barrier();
  }
  /// Collective.
  ~Counter() { MPI_Win_free(&window_); }
  Counter(Counter const&) = delete;
  Counter& operator=(Counter const&) = delete;

  /// The value before `add` was added.
  std::int64_t take(std::int64_t add) {
    std::int64_t before = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window_);
    MPI_Fetch_and_op(&add, &before, MPI_INT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_unlock(0, window_);
    return before;
  }

 private:
  std::int64_t* value_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace

TaskValues deal(core::Comm const& comm, std::int64_t n, std::function<std::vector<double>(std::int64_t)> const& task,
                std::function<void(std::int64_t)> const& dealt) {
  core::Bytes mine;
  io::Failure failure;
  {
    Counter counter(comm);
    try {
      for (std::int64_t t; (t = counter.take(1)) < n;) {
        if (dealt) dealt(t);
        auto const values = task(t);
        core::append(mine, t);
        core::append(mine, static_cast<std::int64_t>(values.size()));
        core::append(mine, std::span<double const>(values));
      }
    } catch (...) {
      failure = io::Failure::caught();
      counter.take(n);  // no more tasks for anybody
    }
    core::Timed const timed(core::Part::idle);
    comm.barrier();
  }
  io::agree(comm, failure);

  auto const blocks = comm.gather_to_root(mine);
  TaskValues all(comm.root() ? static_cast<std::size_t>(n) : 0);
  for (auto const& block : blocks)
    for (core::ByteReader in(block); !in.done();) {
      auto& values = all[static_cast<std::size_t>(in.take<std::int64_t>())];
      values.resize(static_cast<std::size_t>(in.take<std::int64_t>()));
      in.take(std::span<double>(values));
    }
  return all;
}

Mean mean_of(std::vector<double> const& samples) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Mean result{0, nan, nan};
  double sum = 0;
  for (double x : samples)
    if (!std::isnan(x)) {
      ++result.samples;
      sum += x;
    }
  if (result.samples == 0) return result;
  auto const n = static_cast<double>(result.samples);
  result.mean = sum / n;
  double squares = 0;
  for (double x : samples)
    if (!std::isnan(x)) squares += (x - result.mean) * (x - result.mean);
  if (result.samples > 1) result.error = std::sqrt(squares / (n * (n - 1)));
  return result;
}

core::Report::Json finite_or_null(double x) { return std::isfinite(x) ? core::Report::Json(x) : core::Report::Json(); }

}  // namespace tessera::tools
