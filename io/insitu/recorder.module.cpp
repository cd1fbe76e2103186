// SPDX-License-Identifier: Apache-2.0
// `implementation recorder;`: keeps what it was handed and does nothing with it. For tests of the interface where there
// is no ParaView, and for measuring what the engine's own side costs.
#include "io/insitu/recorder.hpp"

#include <cstring>

namespace tessera::io::insitu {
namespace {

Recording recording;

char const* init(MPI_Comm, int scripts, insitu_script const* script, int*) {
  recording = {};
  for (int n = 0; n < scripts; ++n) {
    auto& s = recording.scripts.emplace_back();
    s.file = script[n].file;
    s.channels = script[n].channels;
    for (auto const* a = script[n].args; *a; ++a) s.args.emplace_back(*a);
  }
  recording.open = true;
  return nullptr;
}

int due(std::int64_t, double, int, unsigned char const* wanted) {
  ++recording.asked;
  int channels = 0;
  for (std::size_t n = 0; n < recording.scripts.size(); ++n)
    if (wanted[n]) {
      ++recording.scripts[n].runs;
      channels |= recording.scripts[n].channels;
    }
  return channels;
}

int execute(insitu_frame const* frame, insitu_value* values, int most) {
  ++recording.frames;
  recording.steps.push_back(frame->step);
  if (recording.look) recording.look(*frame);
  if (most < 1) return 0;
  std::strcpy(values[0].name, "frames");
  values[0].value = recording.frames;
  return 1;
}

void finalize() { recording.open = false; }

constexpr insitu_module module{insitu_version, 0, init, due, execute, finalize};

}  // namespace
}  // namespace tessera::io::insitu

extern "C" insitu_module const* insitu_get_module(void) { return &tessera::io::insitu::module; }
/// What was recorded: tests find it with dlsym.
extern "C" tessera::io::insitu::Recording* insitu_recording(void) { return &tessera::io::insitu::recording; }
