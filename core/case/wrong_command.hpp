// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"

namespace tessera::core {

/// What is wrong is the command line, whatever the files have that it names: `command line: message`. Exit code 2.
class WrongCommand : public Error {
 public:
  explicit WrongCommand(std::string const& message) : Error("command line", 0, message) {}
  /// The same where another part of the program has found it, and `message` has its place.
  struct Whole {};
  WrongCommand(std::string const& message, Whole) : Error(message) {}
};

}  // namespace tessera::core
