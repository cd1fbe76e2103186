// SPDX-License-Identifier: Apache-2.0
#include "core/comm/team_board.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <thread>

namespace tessera::core {
namespace {

// Numbers on the root: the lock, whether it is closed, a command a rank, begin and end of each rank's task, marks, the heads of
// lanes, and for each place of a lane the task and what it is expected to take.
constexpr std::int64_t lock_at = 0, closed_at = 1, commands_at = 2;
std::int64_t states_at(int ranks) { return commands_at + ranks; }
std::int64_t marks_at(int ranks) { return states_at(ranks) + 2 * std::int64_t{ranks}; }
std::int64_t heads_at(int ranks, std::int64_t marks) { return marks_at(ranks) + marks; }

// A command: its number among those of the rank, which goes round, the logarithm of the ranks, the task.
constexpr int task_bits = 40, ranks_bits = 8;
constexpr std::int64_t one_more = std::int64_t{1} << (task_bits + ranks_bits), around = 1 << 12;
std::int64_t number_after(std::int64_t command) { return (command / one_more + 1) % around; }

/// A rank that has no task.
constexpr double nothing = -1;
std::int64_t bits_of(double x) { return std::bit_cast<std::int64_t>(x); }
double number_of(std::int64_t bits) { return std::bit_cast<double>(bits); }

std::int64_t all_numbers(int ranks, std::vector<std::vector<std::int64_t>> const& lanes, std::int64_t marks) {
  std::int64_t n = heads_at(ranks, marks) + std::ssize(lanes);
  for (auto const& lane : lanes) n += 2 * std::ssize(lane);
  return n;
}

}  // namespace

void TeamBoard::View::tell(int rank, Command const& command) {
  auto& number = commands_[static_cast<std::size_t>(rank)];
  number = number_after(number) * one_more +
           (std::int64_t{std::countr_zero(static_cast<unsigned>(command.ranks))} << task_bits) + command.task;
}

void TeamBoard::View::begin(std::size_t place, int first, int count) {
  begun_[place] = true;
  --left;
  for (int r = first; r < first + count; ++r) {
    ranks[static_cast<std::size_t>(r)] = {false, now, now + open[place].seconds};
    tell(r, {open[place].task, count});
  }
}

void TeamBoard::View::free(int first, int count) {
  for (int r = first; r < first + count; ++r) ranks[static_cast<std::size_t>(r)] = {};
}

void TeamBoard::View::send_home() {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!ranks[r].free) continue;
    tell(static_cast<int>(r), {});
    ranks[r] = {false, now, std::numeric_limits<double>::infinity()};
  }
}

TeamBoard::TeamBoard(Comm const& comm, std::vector<std::vector<std::int64_t>> const& lanes, std::int64_t marks)
    : ranks_(comm.size()),
      rank_(comm.rank()),
      marks_(marks),
      numbers_(comm, all_numbers(comm.size(), lanes, marks)) {
  std::int64_t at = heads_at(ranks_, marks_) + std::ssize(lanes);
  for (auto const& lane : lanes) {
    lanes_.push_back({at, std::ssize(lane)});
    at += 2 * std::ssize(lane);
  }
  if (comm.root()) {
    auto* const numbers = numbers_.memory();
    std::fill_n(numbers + states_at(ranks_), 2 * ranks_, bits_of(nothing));
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      for (std::size_t n = 0; n < lanes[lane].size(); ++n) {
        numbers[lanes_[lane].first + 2 * static_cast<std::int64_t>(n)] = lanes[lane][n];
        numbers[lanes_[lane].first + 2 * static_cast<std::int64_t>(n) + 1] =
            bits_of(std::numeric_limits<double>::quiet_NaN());
      }
    MPI_Win_sync(numbers_.window());
  }
  comm.barrier();
  using namespace std::chrono;
  origin_ = duration<double>(steady_clock::now().time_since_epoch()).count();
}

double TeamBoard::now() const {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count() - origin_;
}

TeamBoard::Lock::Lock(TeamBoard& board) : board_(board) {
  // who was not the first takes back what it added; a pause of its own for each rank, that they do not meet for ever
  for (auto pause = std::chrono::microseconds(10 + board.rank_ % 64); board.numbers_.add(lock_at, 1) != 0;
       pause = std::min(2 * pause, std::chrono::microseconds(2000 + board.rank_ % 64))) {
    board.numbers_.add(lock_at, -1);
    std::this_thread::sleep_for(pause);
  }
}

TeamBoard::Lock::~Lock() {
  board_.numbers_.flush();
  board_.numbers_.add(lock_at, -1);
}

TeamBoard::View TeamBoard::read() const {
  View view;
  std::int64_t const heads = heads_at(ranks_, marks_);
  auto const all = numbers_.read(closed_at, heads + std::ssize(lanes_) - closed_at);
  auto const from = [&](std::int64_t at) { return all.begin() + (at - closed_at); };
  view.now = now();
  view.closed = all.front() != 0;
  view.commands_.assign(from(commands_at), from(states_at(ranks_)));
  view.marks.assign(from(marks_at(ranks_)), from(heads));
  view.heads_.assign(from(heads), all.end());
  for (int r = 0; r < ranks_; ++r) {
    auto const state = from(states_at(ranks_) + 2 * r);
    double const begun = number_of(state[0]);
    view.ranks.push_back({begun == nothing, begun, number_of(state[1])});
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    std::int64_t const head = view.heads_[lane], open = lanes_[lane].tasks - head;
    view.left += open;
    if (open == 0) continue;
    auto const places = numbers_.read(lanes_[lane].first + 2 * head, 2 * std::min(open, look_ahead));
    for (std::size_t n = 0; n < places.size(); n += 2) view.open.push_back({places[n], number_of(places[n + 1]), lane});
  }
  view.begun_.assign(view.open.size(), false);
  return view;
}

void TeamBoard::write(View const& before, View const& after) {
  if (after.closed != before.closed) numbers_.post(closed_at, std::array{std::int64_t{1}});
  if (after.marks != before.marks) numbers_.post(marks_at(ranks_), after.marks);
  // those that stay open move up to those behind them
  for (std::size_t n = 0; n < after.open.size();) {
    std::size_t const lane = after.open[n].lane;
    std::vector<std::int64_t> stay;
    std::int64_t begun = 0;
    for (; n < after.open.size() && after.open[n].lane == lane; ++n)
      if (after.begun_[n])
        ++begun;
      else
        stay.insert(stay.end(), {after.open[n].task, bits_of(after.open[n].seconds)});
    if (begun == 0) continue;
    std::int64_t const head = after.heads_[lane] + begun;
    if (!stay.empty()) numbers_.post(lanes_[lane].first + 2 * head, stay);
    numbers_.post(heads_at(ranks_, marks_) + static_cast<std::int64_t>(lane), std::array{head});
  }
  for (int r = 0; r < ranks_; ++r) {
    auto const place = static_cast<std::size_t>(r);
    auto const& now = after.ranks[place];
    if (auto const& was = before.ranks[place]; now.free != was.free || now.begun != was.begun)
      numbers_.post(states_at(ranks_) + 2 * r, std::array{bits_of(now.free ? nothing : now.begun), bits_of(now.until)});
  }
  // commands last: who gets one may look at the rest at once
  numbers_.flush();
  for (int r = 0; r < ranks_; ++r)
    if (auto const place = static_cast<std::size_t>(r); after.commands_[place] != before.commands_[place])
      numbers_.post(commands_at + r, std::array{after.commands_[place]});
}

void TeamBoard::locked(std::function<void(View&)> const& decide) {
  Lock const lock(*this);
  View const before = read();
  View after = before;
  decide(after);
  write(before, after);
}

std::optional<TeamBoard::Command> TeamBoard::told() {
  std::int64_t const command = numbers_.read(commands_at + rank_, 1).front();
  if (command == seen_) return std::nullopt;
  expect(command / one_more == number_after(seen_), "a rank works on each task that it is told to");
  seen_ = command;
  return Command{command % (std::int64_t{1} << task_bits), 1 << (command % one_more >> task_bits)};
}

void TeamBoard::reorder(std::function<void(std::span<std::int64_t>)> const& sort,
                        std::function<double(std::int64_t)> const& seconds) {
  Lock const lock(*this);
  MPI_Win_sync(numbers_.window());
  auto* const numbers = numbers_.memory();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    auto* const places =
        numbers + lanes_[lane].first + 2 * numbers[heads_at(ranks_, marks_) + static_cast<std::int64_t>(lane)];
    auto const* const end = numbers + lanes_[lane].first + 2 * lanes_[lane].tasks;
    std::vector<std::int64_t> open;
    for (auto const* place = places; place != end; place += 2) open.push_back(*place);
    sort(open);
    for (std::size_t n = 0; n < open.size(); ++n) {
      places[2 * n] = open[n];
      places[2 * n + 1] = bits_of(seconds(open[n]));
    }
  }
  MPI_Win_sync(numbers_.window());
}

}  // namespace tessera::core
