// SPDX-License-Identifier: Apache-2.0
#include "core/comm/comm.hpp"
#include "core/grid/computed.hpp"
#include "core/grid/sweep.hpp"
#include "core/report.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

TEST(Computed, KeepsTheSlowerOfTwoForAPart) {
  core::forget_computed();
  core::note_computed("DIC", core::By::host_threads);
  core::note_computed("DIC", core::By::one_thread);
  core::note_computed("DIC", core::By::sweeps);
  core::note_computed("PCG", core::By::sweeps);
  EXPECT_EQ(core::computed().at("DIC"), core::By::one_thread);
  EXPECT_EQ(core::computed().at("PCG"), core::By::sweeps);
  core::forget_computed();
  EXPECT_TRUE(core::computed().empty());
}

TEST(Computed, IsInTheReportAndToldBesideADevice) {
  core::forget_computed();
  core::note_computed("DIC", core::By::one_thread);
  core::note_computed("PCG", core::By::sweeps);
  core::Report report("case", "heat");
  report.finish(core::Comm(), 0, 0);
  auto const& told = report.json()["computed"];
  EXPECT_EQ(told["DIC"]["threads"], 1);
  EXPECT_EQ(told["PCG"]["backend"], core::backend_name());
  auto const lines = core::computed_beside_device();
  if (core::on_host) {
    EXPECT_TRUE(lines.empty());
  } else {
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("DIC is computed on the host, by one thread, while " + core::backend_name() + " waits"), 0u)
        << lines[0];
  }
  core::forget_computed();
}

}  // namespace tessera::tests
