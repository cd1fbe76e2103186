// SPDX-License-Identifier: Apache-2.0
// Runs the tests of an executable on all ranks: rank 0 prints as usual, the others only their failures, and all of them
// fail together.
#include "core/comm/runtime.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace tessera::tests {

/// Prints a rank's failures with its number. On several ranks an exception that leaves a test ends the run at once,
/// since the other ranks may wait for this one for ever.
class FailuresOfRank : public testing::EmptyTestEventListener {
 public:
  FailuresOfRank(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

  void OnTestStart(testing::TestInfo const& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  // GoogleTest holds its lock here, so that nothing may be asked of UnitTest.
  void OnTestPartResult(testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    if (rank_ > 0) {
      std::printf("[rank %d] %s\n[rank %d] %s:%d: %s\n", rank_, test_.c_str(), rank_,
                  result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
      std::fflush(stdout);
    }
    if (ranks_ > 1 && std::strstr(result.message(), "xception ") && std::strstr(result.message(), " thrown in ")) {
      std::printf("[rank %d] %s\n[rank %d] ends all ranks\n", rank_, result.message(), rank_);
      std::fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

 private:
  std::string test_;
  int rank_;
  int ranks_;
};

}  // namespace tessera::tests

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tessera::core::Runtime runtime(argc, argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank > 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new tessera::tests::FailuresOfRank(rank, ranks));

  int const failed = RUN_ALL_TESTS() != 0;
  int failed_ranks = 0;
  MPI_Allreduce(&failed, &failed_ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && failed_ranks > 0) std::printf("[  FAILED  ] on %d of %d ranks\n", failed_ranks, ranks);
  return failed_ranks > 0;
}
