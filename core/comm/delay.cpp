// SPDX-License-Identifier: Apache-2.0
#include "core/comm/delay.hpp"

#include <algorithm>
#include <chrono>

namespace tessera::core {

Delay& delay() {
  static Delay one;
  return one;
}

double Delay::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Delay::clear_account() {
  flight_ = visible_ = least_ = 0;
  waits_ = 0;
}

void Delay::posted(MPI_Request request) { receives_.push_back({request, now()}); }

double Delay::waiting(Requests const& requests) {
  double last = 0;
  std::erase_if(receives_, [&](Posted const& p) {
    bool const ours = std::find(requests.begin(), requests.end(), p.request) != requests.end();
    if (ours) last = std::max(last, p.at);
    return ours;
  });
  if (last == 0) return 0;
  double const work = now() - last;
  least_ = waits_ == 0 ? work : std::min(least_, work);
  flight_ += seconds;
  visible_ += std::max(0.0, seconds - work);
  ++waits_;
  return last + seconds;
}

}  // namespace tessera::core
