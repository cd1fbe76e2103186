// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/insitu/insitu.h"

#include <functional>
#include <string>
#include <vector>

namespace tessera::io::insitu {

/// What the module `recorder` was handed since its init. Its symbol `insitu_recording` gives a pointer to it.
struct Recording {
  struct Script {
    std::string file;
    std::vector<std::string> args;
    int channels = 0, runs = 0;
  };
  std::vector<Script> scripts;
  std::vector<std::int64_t> steps;  ///< of the frames
  int asked = 0, frames = 0;
  bool open = false;
  /// Called in execute, while the frame's pointers are valid.
  std::function<void(insitu_frame const&)> look;
};

}  // namespace tessera::io::insitu
