// SPDX-License-Identifier: Apache-2.0
#include "core/comm/child.hpp"

#include "core/comm/signals.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tessera::core {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// Of the child, once it is one: becomes the program, or says through `failed` why it cannot. Ends with its parent, also where that is
/// killed and can hand no signal on.
[[noreturn]] void become(std::vector<char*> const& words, std::vector<char*> const& environment, int out, int failed,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  int const none = ::open("/dev/null", O_RDONLY);
  dup2(none, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (getppid() == parent) execvpe(words.front(), words.data(), environment.data());
  int const error = errno;
  [[maybe_unused]] auto const told = ::write(failed, &error, sizeof error);
  _exit(127);
}

/// Returns the child, and closes `out`.
pid_t start(std::vector<std::string> words, int out) {
  auto environment = child_environment();
  auto const words_to = pointers(words), environment_to = pointers(environment);
  std::array<int, 2> ends{-1, -1};
  pid_t const parent = getpid();
  pid_t const child = pipe2(ends.data(), O_CLOEXEC) == 0 ? fork() : -1;
  int error = errno;
  if (child == 0) become(words_to, environment_to, out, ends[1], parent);
  ::close(out);
  ::close(ends[1]);
  // the pipe is closed by the program that begins
  bool failed = child < 0;
  if (child > 0 && ::read(ends[0], &error, sizeof error) > 0) {
    failed = true;
    waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  if (failed) throw RunError(fmt::format("cannot start {}: {}", words.front(), std::strerror(error)));
  return child;
}

}  // namespace

std::vector<std::string> child_environment() {
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string const name(*variable, std::strcspn(*variable, "="));
    bool const own = name.starts_with("OMPI_COMM_WORLD_") || name.starts_with("PMIX_") ||
                     name.starts_with("OMPI_MCA_ess") || name.starts_with("OMPI_MCA_orte_") ||
                     name == "OMPI_UNIVERSE_SIZE" || name == "OMPI_APP_CTX_NUM_PROCS";
    if (!own) kept.emplace_back(*variable);
  }
  return kept;
}

int run_child(std::vector<std::string> const& command, std::string const& output) {
  make_folder_of(output);
  pid_t const child = start(command, create_file(output));
  bool told = false;
  for (int status = 0;;) {
    pid_t const ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR)
      throw RunError(fmt::format("cannot wait for {}: {}", command.front(), std::strerror(errno)));
    if (int const caught = SignalCatcher::caught(); caught != 0 && !std::exchange(told, true)) kill(child, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tessera::core
