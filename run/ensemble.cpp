// SPDX-License-Identifier: Apache-2.0
#include "run/ensemble.hpp"

#include "core/comm/counter.hpp"
#include "core/error.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <list>

namespace tessera::run {
namespace {

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
      while (open_ > 0) read(comm_.wait_for_one(core::Tag::tasks));
      return;
    }
    if (!block_.empty()) send();
    send();
    core::Comm::wait_all(requests_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void send() {
    auto const& block = blocks_.emplace_back(std::move(block_));
    block_.clear();
    comm_.start_handing(0, block, core::Tag::tasks, requests_);
    sent_ = Clock::now();
  }
  void receive_some() {
    while (auto const block = comm_.take_one(core::Tag::tasks)) read(*block);
  }
  void read(core::Bytes const& block) {
    if (block.empty()) --open_;
    for (core::ByteReader in(block); heed_ && !in.done();) {
      auto const t = in.take<std::int64_t>();
      std::vector<double> values(in.take<std::int64_t>());
      in.take(std::span<double>(values));
      finished_(t, std::move(values));
    }
  }

  core::Comm const& comm_;
  std::function<void(std::int64_t, std::vector<double>)> const& finished_;
  core::Bytes block_;
  std::list<core::Bytes> blocks_;  ///< on their way
  core::Requests requests_;
  Clock::time_point sent_ = Clock::now();
  int open_ = comm_.size() - 1;  ///< ranks whose last block is to come
  bool heed_ = true;
};

}  // namespace

void deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing) {
  io::Failure failure;
  {
    core::Counter counter(comm);
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

}  // namespace tessera::run
