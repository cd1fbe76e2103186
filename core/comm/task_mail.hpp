// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <chrono>
#include <functional>
#include <list>

namespace tessera::core {

/// What ranks send to the root while all compute: what tasks gave, a few at a time, and an empty block at the end.
class TaskMail {
 public:
  using Finished = std::function<void(std::int64_t, Bytes const&)>;
  /// `finished`: on the root, once a task. `senders`: ranks that close it, the root among them.
  TaskMail(Comm const& comm, Finished finished, std::int64_t senders);

  /// What a task gave; on the root also takes what has come.
  void add(std::int64_t task, Bytes const& given);
  /// Of a rank that waits: hands on what it has, and takes what has come.
  void go_on();
  /// On the root: until all have sent their last block; with `heed` no it is lost.
  void close(bool heed);

 private:
  using Clock = std::chrono::steady_clock;
  void send();
  void receive_some();
  void read(Bytes const& block);

  Comm const& comm_;
  Finished finished_;
  Bytes block_;
  std::list<Bytes> blocks_;  ///< on their way
  Requests requests_;
  Clock::time_point sent_ = Clock::now();
  std::int64_t open_;  ///< ranks whose last block is to come
  bool heed_ = true;
};

}  // namespace tessera::core
