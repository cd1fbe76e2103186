// SPDX-License-Identifier: Apache-2.0
#include "core/comm/child.hpp"

#include "core/comm/signals.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
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
  auto words = command;
  auto environment = child_environment();
  make_folder_of(output);
  int const out = create_file(output);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  pid_t child = 0;
  int const error = posix_spawnp(&child, words.front().c_str(), &actions, nullptr, pointers(words).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(out);
  if (error != 0) throw RunError(fmt::format("cannot start {}: {}", words.front(), std::strerror(error)));
  bool told = false;
  for (int status = 0;;) {
    pid_t const ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR)
      throw RunError(fmt::format("cannot wait for {}: {}", words.front(), std::strerror(errno)));
    if (int const caught = SignalCatcher::caught(); caught != 0 && !std::exchange(told, true)) kill(child, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tessera::core
