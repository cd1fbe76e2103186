// SPDX-License-Identifier: Apache-2.0
#include "core/comm/mailbox.hpp"

#include "core/comm/waiting.hpp"
#include "core/times.hpp"

#include <atomic>

namespace tessera::core {
namespace {

bool reached(std::uint64_t& number, std::uint64_t value) {
  return std::atomic_ref(number).load(std::memory_order_acquire) >= value;
}

}  // namespace

void SharedNumber::set(std::uint64_t value) const { std::atomic_ref(*value_).store(value, std::memory_order_release); }

void SharedNumber::wait_for(std::uint64_t value) const {
  wait_politely([&] {
    if (reached(*value_, value)) return true;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
    return false;
  });
}

void SharedNumber::idle_until(std::uint64_t value) const {
  if (reached(*value_, value)) return;
  Timed const timed(Part::idle);
  wait_for(value);
}

}  // namespace tessera::core
