// SPDX-License-Identifier: Apache-2.0
#include "core/times.hpp"

namespace tessera::core {

Times& times() {
  static Times one;
  return one;
}

}  // namespace tessera::core
