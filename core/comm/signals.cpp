// SPDX-License-Identifier: Apache-2.0
#include "core/comm/signals.hpp"

namespace tessera::core {
namespace {

volatile std::sig_atomic_t last_signal = 0;
int living = 0;

extern "C" void note_signal(int number) { last_signal = number; }

}  // namespace

SignalCatcher::SignalCatcher() {
  if (living++ == 0) last_signal = 0;
  struct sigaction note {};
  note.sa_handler = note_signal;
  note.sa_flags = SA_RESTART;
  sigemptyset(&note.sa_mask);
  sigaction(SIGTERM, &note, &terminate_);
  sigaction(SIGUSR1, &note, &user_);
}

SignalCatcher::~SignalCatcher() {
  --living;
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGUSR1, &user_, nullptr);
}

int SignalCatcher::caught() { return last_signal; }

}  // namespace tessera::core
