// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/stream/routers.hpp"

namespace tessera::tests {

/// Routers of another kind for the time of a test.
class Routers {
 public:
  explicit Routers(io::RouterSettings const& settings) : before_(io::router_settings()) { io::set_routers(settings); }
  ~Routers() { io::set_routers(before_); }
  Routers(Routers const&) = delete;
  Routers& operator=(Routers const&) = delete;

 private:
  io::RouterSettings before_;
};

}  // namespace tessera::tests
