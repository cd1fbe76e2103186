// SPDX-License-Identifier: Apache-2.0
#include "run/guard/case_lock.hpp"

#include "core/error.hpp"
#include "io/files/together.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tessera::run {
namespace {

/// Who holds the lock on an open folder, as /proc/locks has it: `N: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF`.
std::string holder(int folder) {
  struct stat about {};
  fstat(folder, &about);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, how, mode, pid, place;
    words >> number >> kind >> how >> mode >> pid >> place;
    auto const inode = place.substr(place.rfind(':') + 1);
    if (kind == "FLOCK" && inode == std::to_string(about.st_ino) && pid.find_first_not_of("0123456789") == pid.npos)
      return "process " + pid;
  }
  return "another run";
}

}  // namespace

CaseLock::CaseLock(core::Comm const& comm, std::string const& directory, Log& log, bool shared) {
  io::on_root(comm, [&] {
    using namespace std::chrono;
    folder_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int const how = (shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
    bool held = folder_ >= 0 && flock(folder_, how) == 0;
    for (auto const begin = steady_clock::now();
         !held && folder_ >= 0 && errno == EWOULDBLOCK && steady_clock::now() - begin < seconds(2);) {
      std::this_thread::sleep_for(milliseconds(50));
      held = flock(folder_, how) == 0;
    }
    if (held) return;
    if (errno != EWOULDBLOCK)
      return log.line("Lock: this file system has none ({}), so a second run of the case would not be noticed",
                      std::strerror(errno));
    std::string const who = holder(folder_);
    close(folder_);
    folder_ = -1;
    throw core::RunError(fmt::format("{}: {} is running this case, expected one run at a time", directory, who));
  });
}

CaseLock::~CaseLock() {
  if (folder_ >= 0) close(folder_);
}

}  // namespace tessera::run
