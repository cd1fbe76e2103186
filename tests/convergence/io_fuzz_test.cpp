// SPDX-License-Identifier: Apache-2.0
#include "bench/fuzz.hpp"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

// two seconds each, some 20 in all; bench/fuzz does it for as long as asked
TEST(Fuzz, EveryReaderReadsOrRefusesDamagedFiles) {
  for (auto const& [name, entry] : Readers::entries()) {
    auto const result = bench::fuzz(name, 2.0, 1);
    EXPECT_EQ(result.wrong, "") << name;
    EXPECT_GT(result.refused, 0) << name;
  }
}

}  // namespace
}  // namespace tessera::io
