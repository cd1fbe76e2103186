// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <functional>
#include <string>

namespace tessera::io {

/// What went wrong on one rank, in a form that can be sent to the others.
struct Failure {
  enum Kind : int { none, wrong_input, wrong_command, at_run_time };
  Kind kind = none;
  std::string text;

  explicit operator bool() const { return kind != none; }
  /// Throws core::Error, core::WrongCommand or core::RunError.
  [[noreturn]] void raise() const;
  /// The exception being handled; to be called in a catch block.
  static Failure caught();
};

/// Runs `f` on the root alone. If it throws, all ranks throw the same core::Error or core::RunError. Collective.
void on_root(core::Comm const& comm, std::function<void()> const& f);

/// Runs `f` on every rank. If it throws on any, all ranks throw what it threw on the lowest such rank. Collective.
void on_all(core::Comm const& comm, std::function<void()> const& f);

/// Throws on all ranks if any rank has a failure: that of the lowest such rank. Collective.
void agree(core::Comm const& comm, Failure const& mine);

}  // namespace tessera::io
