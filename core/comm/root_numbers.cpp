// SPDX-License-Identifier: Apache-2.0
#include "core/comm/root_numbers.hpp"

#include "core/comm/emulation.hpp"
#include "core/comm/waiting.hpp"

#include <algorithm>

namespace tessera::core {

RootNumbers::RootNumbers(Comm const& comm, std::int64_t n) {
  refuse_emulation("tasks are handed out by the machine's clock: expected a case whose ranks share one grid");
  std::int64_t const mine = comm.root() ? n : 0;
  MPI_Win_allocate(mine * static_cast<MPI_Aint>(sizeof(std::int64_t)), sizeof(std::int64_t), MPI_INFO_NULL,
                   comm.handle(), &memory_, &window_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  std::fill_n(memory_, mine, std::int64_t{0});
  MPI_Win_sync(window_);
  comm.barrier();
}

RootNumbers::~RootNumbers() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void RootNumbers::start_adding(std::int64_t at, std::int64_t const& number, std::int64_t& before,
                               MPI_Request& request) const {
  MPI_Rget_accumulate(&number, 1, MPI_INT64_T, &before, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, MPI_SUM, window_,
                      &request);
}

std::int64_t RootNumbers::add(std::int64_t at, std::int64_t number) {
  std::int64_t before = 0;
  MPI_Request request;
  start_adding(at, number, before, request);
  wait_politely(1, &request);
  return before;
}

void RootNumbers::post_addition(std::int64_t at, std::int64_t number) const {
  MPI_Accumulate(&number, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, MPI_SUM, window_);
  MPI_Win_flush_local(0, window_);
}

void RootNumbers::post(std::int64_t at, std::span<std::int64_t const> numbers) const {
  int const n = static_cast<int>(numbers.size());
  MPI_Accumulate(numbers.data(), n, MPI_INT64_T, 0, at, n, MPI_INT64_T, MPI_REPLACE, window_);
  MPI_Win_flush_local(0, window_);
}

std::vector<std::int64_t> RootNumbers::read(std::int64_t at, std::int64_t n) const {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  int const count = static_cast<int>(n);
  MPI_Request request;
  MPI_Rget_accumulate(nullptr, 0, MPI_INT64_T, numbers.data(), count, MPI_INT64_T, 0, at, count, MPI_INT64_T, MPI_NO_OP,
                      window_, &request);
  wait_politely(1, &request);
  return numbers;
}

}  // namespace tessera::core
