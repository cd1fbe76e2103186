// SPDX-License-Identifier: Apache-2.0
#include "core/comm/task_mail.hpp"

namespace tessera::core {

TaskMail::TaskMail(Comm const& comm, Finished finished, std::int64_t senders)
    : comm_(comm),
      finished_(std::move(finished)),
      open_(senders - 1) {}

void TaskMail::add(std::int64_t task, Bytes const& given) {
  if (comm_.root()) {
    finished_(task, given);
    return receive_some();
  }
  append(block_, task);
  append(block_, static_cast<std::int64_t>(given.size()));
  append(block_, std::span<std::byte const>(given));
  if (Clock::now() - sent_ >= std::chrono::milliseconds(100)) send();
}

void TaskMail::go_on() {
  if (comm_.root()) return receive_some();
  if (!block_.empty()) send();
}

void TaskMail::close(bool heed) {
  if (comm_.root()) {
    heed_ = heed;
    while (open_ > 0) read(comm_.wait_for_one(Tag::tasks));
    return;
  }
  if (!block_.empty()) send();
  send();
  Comm::wait_all(requests_);
}

void TaskMail::send() {
  auto const& block = blocks_.emplace_back(std::move(block_));
  block_.clear();
  comm_.start_handing(0, block, Tag::tasks, requests_);
  sent_ = Clock::now();
}

void TaskMail::receive_some() {
  while (auto const block = comm_.take_one(Tag::tasks)) read(*block);
}

void TaskMail::read(Bytes const& block) {
  if (block.empty()) --open_;
  for (ByteReader in(block); heed_ && !in.done();) {
    auto const task = in.take<std::int64_t>();
    Bytes given(in.take<std::int64_t>());
    in.take(std::span<std::byte>(given));
    finished_(task, given);
  }
}

}  // namespace tessera::core
