// SPDX-License-Identifier: Apache-2.0
#include "core/comm/agreement.hpp"

#include <exception>

namespace tessera::core {

Agreement::Agreement(Comm const& comm) : exceptions_(std::uncaught_exceptions()) {
  if (comm.size() > 1) MPI_Comm_dup(comm.handle(), &comm_);
}

Agreement::~Agreement() {
  if (std::uncaught_exceptions() > exceptions_ || comm_ == MPI_COMM_NULL) return;
  Comm::wait_all(request_);
  MPI_Comm_free(&comm_);
}

unsigned Agreement::operator()(unsigned mine) {
  Comm::wait_all(request_);
  unsigned const agreed = all_;
  mine_ = mine;
  if (comm_ == MPI_COMM_NULL) {  // one rank agrees with itself
    all_ = mine;
    return agreed;
  }
  all_ = 0;
  MPI_Iallreduce(&mine_, &all_, 1, MPI_UNSIGNED, MPI_BOR, comm_, &request_.emplace_back());
  return agreed;
}

}  // namespace tessera::core
