// SPDX-License-Identifier: Apache-2.0
#include "core/comm/work_board.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace tessera::core {
namespace {

// A number a task is made of: ranks that wanted to begin a copy (the first of them does), copies begun, attempts that failed, and
// that ended well. All that is done to it is adding.
constexpr std::int64_t claim = 1, copy_begun = std::int64_t{1} << 24, failure = copy_begun << 8, success = failure << 8;
std::int64_t failures(std::int64_t state) { return state / failure % (success / failure); }
std::int64_t copies(std::int64_t state) { return state / copy_begun % (failure / copy_begun); }
std::int64_t claims(std::int64_t state) { return state % copy_begun; }

// A slot a rank: its task + 1 (0: none, -1: it has left), when it began [ns], how many tasks it has measured, the last few.
constexpr std::int64_t left = -1;
constexpr std::int64_t second = 1'000'000'000;

/// Tasks of a rank that the board keeps: some hundred of all ranks.
std::int64_t kept(int ranks) { return std::clamp(256 / ranks, 4, 64); }

}  // namespace

std::int64_t WorkBoard::numbers(Comm const& comm, std::int64_t n) {
  return n + comm.size() * (3 + 2 * kept(comm.size()));
}

WorkBoard::WorkBoard(Comm const& comm, RootNumbers& numbers, std::int64_t first, std::int64_t n, bool works)
    : numbers_(numbers),
      first_(first),
      n_(n),
      kept_(kept(comm.size())),
      rank_(comm.rank()),
      ranks_(comm.size()) {
  origin_ = now();
  if (!works) leave();
}

std::int64_t WorkBoard::now() const {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count() - origin_;
}

void WorkBoard::begin(std::int64_t task) {
  begun_ = now();
  numbers_.post(slot(rank_), std::array{task + 1, begun_});
}

bool WorkBoard::begin_copy(std::int64_t task) {
  if (claims(numbers_.add(state(task), claim)) > 0) return false;
  begun_ = now();
  return numbers_.add(state(task), copy_begun) < failure;
}

bool WorkBoard::end(std::int64_t task, bool copy, bool failed) {
  std::int64_t const took = now() - begun_;
  if (!copy) numbers_.post(slot(rank_), std::array{std::int64_t{0}});
  bool const counts = judge(task, copy || static_cast<double>(took) > 0.5 * least_running * second, failed);
  if (!counts || failed) return counts;
  numbers_.post(slot(rank_) + 3 + 2 * (measured_++ % kept_), std::array{task, took});
  numbers_.post(slot(rank_) + 2, std::array{measured_});
  return true;
}

bool WorkBoard::judge(std::int64_t task, bool asks, bool failed) {
  std::int64_t const mine = failed ? failure : success;
  if (!asks) {
    numbers_.post_addition(state(task), mine);
    return true;
  }
  std::int64_t const before = numbers_.add(state(task), mine);
  return before < success && (!failed || failures(before) == copies(before));
}

void WorkBoard::give_up() { numbers_.post(slot(rank_), std::array{std::int64_t{0}}); }

bool WorkBoard::is_done(std::int64_t task) const { return numbers_.read(state(task), 1).front() >= success; }

void WorkBoard::leave() { numbers_.post(slot(rank_), std::array{left}); }

WorkBoard::View WorkBoard::read() const {
  View view;
  auto const slots = numbers_.read(slot(0), ranks_ * slot_size());
  auto const time = now();
  for (int rank = 0; rank < ranks_; ++rank) {
    auto const* const mine = slots.data() + rank * slot_size();
    view.over = view.over && mine[0] == left;
    for (std::int64_t m = 0; m < std::min(mine[2], kept_); ++m)
      view.measured.push_back({mine[3 + 2 * m], rank, static_cast<double>(mine[4 + 2 * m]) / second});
    double const running = static_cast<double>(time - mine[1]) / second;
    if (rank == rank_ || mine[0] <= 0 || running < least_running) continue;
    if (numbers_.read(state(mine[0] - 1), 1).front() == 0) view.in_work.push_back({mine[0] - 1, rank, running});
  }
  return view;
}

}  // namespace tessera::core
