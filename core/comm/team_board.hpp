// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/root_numbers.hpp"

#include <functional>
#include <optional>

namespace tessera::core {

/// Which ranks are free and which tasks are open, where tasks want ranks of different numbers: any rank may look, decide and
/// tell others what to do, while the root does something else. Tasks lie in lanes, and have an order in each. No member but
/// the constructor is collective.
class TeamBoard {
 public:
  /// What a rank is told: to work on a task with others, or to go home.
  struct Command {
    static constexpr std::int64_t go_home = (std::int64_t{1} << 40) - 1;
    std::int64_t task = go_home;
    int ranks = 1;  ///< a power of two; the first of them is a multiple of it
  };
  struct Rank {
    bool free = true;
    double begun = 0, until = 0;  ///< [s]: its task, and when that is expected to end (not finite: unknown)
  };
  struct Open {
    std::int64_t task;
    double seconds;  ///< expected, as `reorder` was told; NaN: unknown
    std::size_t lane;
  };
  /// What a rank sees and changes while no other can.
  class View {
   public:
    double now = 0;          ///< [s], of all ranks alike
    bool closed = false;     ///< no further task is to begin
    std::vector<Open> open;  ///< the first `look_ahead` of each lane, in their order
    std::int64_t left = 0;   ///< open tasks of all lanes
    std::vector<Rank> ranks;
    std::vector<std::int64_t> marks;  ///< the caller's own numbers, 0 at first

    /// Ranks first .. first + count - 1 begin one of `open`, expected to take so long.
    void begin(std::size_t place, int first, int count);
    /// Ranks first .. first + count - 1 have ended their task, or will soon: all of them have looked at what they were told.
    void free(int first, int count);
    /// All that are free go home.
    void send_home();

   private:
    friend class TeamBoard;
    std::vector<std::int64_t> commands_, heads_;
    std::vector<bool> begun_;
    void tell(int rank, Command const& command);
  };
  static constexpr std::int64_t look_ahead = 32;

  /// `lanes`: the tasks of each; `marks`: how many. None looks before a barrier that follows.
  TeamBoard(Comm const& comm, std::vector<std::vector<std::int64_t>> const& lanes, std::int64_t marks);

  /// Calls `decide` with what there is. It must not talk to other ranks.
  void locked(std::function<void(View&)> const& decide);
  /// What this rank was told since it asked last.
  std::optional<Command> told();
  /// On the root: `sort` may put the open tasks of a lane into another order; `seconds`: what each is expected to take.
  void reorder(std::function<void(std::span<std::int64_t>)> const& sort,
               std::function<double(std::int64_t)> const& seconds);

 private:
  struct Lane {
    std::int64_t first, tasks;  ///< its first number on the root (two a task), and how many tasks it has
  };
  /// While it lives no other rank has one.
  class Lock {
   public:
    explicit Lock(TeamBoard& board);
    ~Lock();
    Lock(Lock const&) = delete;
    Lock& operator=(Lock const&) = delete;

   private:
    TeamBoard& board_;
  };
  double now() const;
  View read() const;
  void write(View const& before, View const& after);

  int ranks_, rank_;
  std::int64_t marks_;
  std::vector<Lane> lanes_;
  RootNumbers numbers_;
  double origin_ = 0;
  std::int64_t seen_ = 0;  ///< the last command
};

}  // namespace tessera::core
