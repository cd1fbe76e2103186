// SPDX-License-Identifier: Apache-2.0
#include "run/ensemble.hpp"

#include "core/comm/ask_ahead.hpp"
#include "core/comm/delay.hpp"
#include "core/comm/task_queue.hpp"
#include "core/error.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <list>

namespace tessera::run {
namespace {

/// What the first ranks of teams send to the root while all compute: blocks of finished tasks, and an empty one at the end.
class Mail {
 public:
  using Finished = std::function<void(std::int64_t, core::Bytes const&)>;
  Mail(core::Comm const& comm, Finished const& finished, std::int64_t teams)
      : comm_(comm),
        finished_(finished),
        open_(teams - 1) {}

  void add(std::int64_t t, core::Bytes const& values) {
    if (comm_.root()) {
      finished_(t, values);
      return receive_some();
    }
    core::append(block_, t);
    core::append(block_, static_cast<std::int64_t>(values.size()));
    core::append(block_, std::span<std::byte const>(values));
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
      core::Bytes values(in.take<std::int64_t>());
      in.take(std::span<std::byte>(values));
      finished_(t, values);
    }
  }

  core::Comm const& comm_;
  Finished const& finished_;
  core::Bytes block_;
  std::list<core::Bytes> blocks_;  ///< on their way
  core::Requests requests_;
  Clock::time_point sent_ = Clock::now();
  std::int64_t open_;  ///< teams whose last block is to come
  bool heed_ = true;
};

}  // namespace

Dealt deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing, core::Comm const& team) {
  io::Failure failure;
  Dealt dealt;
  core::AskAhead ask_ahead;
  auto const teams = comm.sum(team.root() ? 1 : 0);
  {
    core::TaskQueue queue(comm, n);
    std::int64_t done = 0;
    auto const order = [&] {
      if (comm.root() && dealing.order && std::has_single_bit(static_cast<std::uint64_t>(done) + 1))
        queue.reorder(dealing.order);
    };
    order();
    comm.barrier();
    Mail::Finished const finished = [&](std::int64_t t, core::Bytes const& values) {
      dealing.finished(t, values);
      ++done;
      order();
    };
    Mail mail(comm, finished, teams);
    auto const next = [&] {
      std::int64_t t = n;
      if (team.root() && !(dealing.stop && dealing.stop())) {
        t = queue.take();
        while (t < n && queue.asked() < ask_ahead.ahead()) queue.ask();
      }
      if (team.size() > 1) team.broadcast(t);
      return t;
    };
    try {
      for (double free = core::Delay::now();;) {
        std::int64_t const t = next();
        if (t >= n) break;
        double const begin = core::Delay::now();
        auto const values = dealing.task(t);
        double const end = core::Delay::now();
        dealt.waited += begin - free;
        dealt.worked += end - begin;
        free = end;
        if (!team.root()) continue;
        ask_ahead.worked(queue.latency(), end - begin);
        mail.add(t, values);
      }
    } catch (...) {
      failure = io::Failure::caught();
    }
    queue.close();
    core::Timed const timed(core::Part::idle);
    if (team.root()) try {
        mail.close(true);
      } catch (...) {
        if (!failure) failure = io::Failure::caught();
        mail.close(false);
      }
    comm.barrier();
  }
  io::agree(comm, failure);
  dealt.in_flight = ask_ahead.in_flight();
  return dealt;
}

core::Bytes pack(std::vector<double> const& values) {
  core::Bytes bytes;
  core::append(bytes, std::span<double const>(values));
  return bytes;
}

std::vector<double> unpack(core::Bytes const& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  core::ByteReader(bytes).take(std::span<double>(values));
  return values;
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
