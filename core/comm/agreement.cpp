// SPDX-License-Identifier: Apache-2.0
#include "core/comm/agreement.hpp"

#include <exception>

namespace tessera::core {

Agreement::Agreement(Comm const& comm) : exceptions_(std::uncaught_exceptions()) {
  if (comm.size() > 1) MPI_Comm_dup(comm.handle(), &comm_);
}

Agreement::~Agreement() {
  if (comm_ == MPI_COMM_NULL) return;
  if (std::uncaught_exceptions() > exceptions_) {
    if (!request_.empty()) static_cast<void>(flags_.release());
    return;
  }
  Comm::wait_all(request_);
  MPI_Comm_free(&comm_);
}

unsigned Agreement::operator()(unsigned mine) {
  Comm::wait_all(request_);
  unsigned const agreed = flags_->all;
  flags_->mine = mine;
  if (comm_ == MPI_COMM_NULL) {  // one rank agrees with itself
    flags_->all = mine;
    return agreed;
  }
  flags_->all = 0;
  MPI_Iallreduce(&flags_->mine, &flags_->all, 1, MPI_UNSIGNED, MPI_BOR, comm_, &request_.emplace_back());
  return agreed;
}

}  // namespace tessera::core
