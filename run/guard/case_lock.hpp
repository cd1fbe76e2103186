// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "run/log.hpp"

#include <string>

namespace tessera::run {

/// Keeps other runs out of a case for as long as it lives, on the root: the system's lock (flock) on the case's folder, which
/// leaves no file and ends with the process, however that ends. Where the file system has none a line says so. Runs that
/// share the lock keep out those that do not.
class CaseLock {
 public:
  /// Waits two seconds for a run that is just ending. Throws core::RunError on all ranks that says who holds it. Collective.
  CaseLock(core::Comm const& comm, std::string const& directory, Log& log, bool shared = false);
  ~CaseLock();
  CaseLock(CaseLock const&) = delete;
  CaseLock& operator=(CaseLock const&) = delete;

 private:
  int folder_ = -1;
};

}  // namespace tessera::run
