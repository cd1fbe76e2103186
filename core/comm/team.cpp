// SPDX-License-Identifier: Apache-2.0
#include "core/comm/team.hpp"

#include <chrono>
#include <thread>

namespace tessera::core {
namespace {

MPI_Comm make(Comm const& comm, int first, int count) {
  MPI_Group all, some;
  MPI_Comm_group(comm.handle(), &all);
  int range[1][3] = {{first, first + count - 1, 1}};
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Comm handle;
  MPI_Comm_create_group(comm.handle(), some, first, &handle);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return handle;
}

}  // namespace

Team::Team(Comm const& comm, int first, int count) : handle_(make(comm, first, count)), comm_(handle_) {
  MPI_Comm_dup(handle_, &errors_);
}

Team::~Team() {
  MPI_Comm_free(&errors_);
  MPI_Comm_free(&handle_);
}

bool Team::agrees(bool failed) const {
  using namespace std::chrono;
  if (comm_.size() == 1) return true;
  int const mine = failed ? 1 : 0;
  int all = 0, here = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_SUM, errors_, &request);
  auto const begin = steady_clock::now();
  while (!here && !(failed && steady_clock::now() - begin > milliseconds(500))) {
    MPI_Test(&request, &here, MPI_STATUS_IGNORE);
    if (!here) std::this_thread::sleep_for(microseconds(20));
  }
  return here && (all == 0 || all == comm_.size());
}

}  // namespace tessera::core
