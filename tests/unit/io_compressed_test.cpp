// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/reader.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

TEST(PackedPattern, EndsWhereItUnpacksToFarMoreThanItPacks) {
  if (!Compressions::contains("gzip")) GTEST_SKIP() << "built without zlib";
  tests::Scratch const scratch;
  auto const packer = Compressions::make("gzip")->packer();
  std::string const lines(std::size_t{1} << 24, '\n');
  std::string packed(packer->pack("x = 3, y = 3\n", false));
  for (int n = 0; n < 33; ++n) packed += packer->pack(lines, false);
  packed += packer->pack("3o!\n", true);
  ASSERT_LT(packed.size(), std::size_t{1} << 20);
  tests::write_bytes(scratch / "bomb.rle", packed);  // known by its content
  try {
    std::vector<std::byte> row(3);
    open_rows(scratch / "bomb.rle")->next(1, row);
    FAIL() << "it was read";
  } catch (core::Error const& error) {
    EXPECT_EQ(std::string(error.what()),
              (scratch / "bomb.rle") + ": unpacks to more than 512 MiB, far more than it packs");
  }
}

}  // namespace
}  // namespace tessera::io
