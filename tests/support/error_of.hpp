// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"

#include <string>

namespace tessera::tests {

/// The message of the E that f throws; empty if it throws none. Other exceptions pass.
template <class E = core::Error, class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (E const& error) {
    return error.what();
  }
  return {};
}

}  // namespace tessera::tests
