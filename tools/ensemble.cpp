// SPDX-License-Identifier: Apache-2.0
#include "tools/ensemble.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/together.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <list>

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

/// What ranks send to the root while all compute: blocks of finished tasks, and an empty one at the end.
class Mail {
 public:
  Mail(core::Comm const& comm, std::function<void(std::int64_t, std::vector<double>)> const& finished)
      : comm_(comm),
        finished_(finished) {}

  void add(std::int64_t t, std::vector<double> values) {
    if (comm_.root()) {
      finished_(t, std::move(values));
      return receive_some();
    }
    core::append(block_, t);
    core::append(block_, static_cast<std::int64_t>(values.size()));
    core::append(block_, std::span<double const>(values));
    if (Clock::now() - sent_ >= std::chrono::milliseconds(100)) send();
  }
  /// On the root: until all have sent their last block; with `heed` no it is lost.
  void close(bool heed) {
    if (comm_.root()) {
      heed_ = heed;
      while (open_ > 0) receive(MPI_ANY_SOURCE);
      return;
    }
    if (!block_.empty()) send();
    send();
    core::Comm::wait_all(requests_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int tag = 77;

  void send() {
    auto const& block = blocks_.emplace_back(std::move(block_));
    block_.clear();
    MPI_Isend(block.data(), static_cast<int>(block.size()), MPI_BYTE, 0, tag, comm_.handle(),
              &requests_.emplace_back());
    sent_ = Clock::now();
  }
  void receive_some() {
    for (int there = 1;;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_.handle(), &there, &status);
      if (there == 0) return;
      receive(status.MPI_SOURCE);
    }
  }
  void receive(int from) {
    MPI_Status status;
    MPI_Probe(from, tag, comm_.handle(), &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    core::Bytes block(static_cast<std::size_t>(size));
    MPI_Recv(block.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, comm_.handle(), MPI_STATUS_IGNORE);
    if (block.empty()) --open_;
    for (core::ByteReader in(block); heed_ && !in.done();) {
      auto const t = in.take<std::int64_t>();
      std::vector<double> values(static_cast<std::size_t>(in.take<std::int64_t>()));
      in.take(std::span<double>(values));
      finished_(t, std::move(values));
    }
  }

  core::Comm const& comm_;
  std::function<void(std::int64_t, std::vector<double>)> const& finished_;
  core::Bytes block_;
  std::list<core::Bytes> blocks_;  ///< on their way
  std::vector<MPI_Request> requests_;
  Clock::time_point sent_ = Clock::now();
  int open_ = comm_.size() - 1;  ///< ranks whose last block is to come
  bool heed_ = true;
};

}  // namespace

void deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing) {
  io::Failure failure;
  {
    Counter counter(comm);
    Mail mail(comm, dealing.finished);
    try {
      for (std::int64_t t; !(dealing.stop && dealing.stop()) && (t = counter.take(1)) < n;)
        mail.add(t, dealing.task(t));
    } catch (...) {
      failure = io::Failure::caught();
    }
    counter.take(n);  // no more tasks for anybody
    core::Timed const timed(core::Part::idle);
    try {
      mail.close(true);
    } catch (...) {
      if (!failure) failure = io::Failure::caught();
      mail.close(false);
    }
    comm.barrier();
  }
  io::agree(comm, failure);
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
