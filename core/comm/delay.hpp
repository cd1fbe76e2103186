// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <vector>

namespace tessera::core {

/// Makes messages slow, to see how much of their way is hidden behind work: a receive counts as complete `seconds` after
/// it was posted, at the earliest. Results do not change. For tests and studies; off at 0. Halos go as messages while it
/// is on, also within a node: to be set alike on all ranks.
///
/// The account is of the delay alone, and the same on a busy machine, where work takes longer and hides more: `visible`
/// is what of it was still to come when the wait for a message began, whatever else the message was late by.
class Delay {
 public:
  double seconds = 0;

  double flight() const { return flight_; }                  ///< [s] delays of all waits
  double visible() const { return visible_; }                ///< [s] what of them no work hid
  double least_work() const { return waits_ ? least_ : 0; }  ///< [s] shortest time from posting to waiting
  long waits() const { return waits_; }                      ///< waits for messages
  double hidden_share() const { return flight_ > 0 ? 1 - visible_ / flight_ : 1; }
  void clear_account();

  /// A receive was posted.
  void posted(MPI_Request request);
  /// The wait for these begins; returns when the last of their receives may be complete [s of the steady clock], or 0.
  double waiting(Requests const& requests);
  static double now();

 private:
  struct Posted {
    MPI_Request request;
    double at;
  };
  std::vector<Posted> receives_;
  double flight_ = 0, visible_ = 0, least_ = 0;
  long waits_ = 0;
};

/// The one of this process.
Delay& delay();

}  // namespace tessera::core
