// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/support/masks.hpp"
#include "tests/support/paper_reference.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

/// Runs the automata on a layout of the mask's grid (of the transposed one for direction x) and compares everything.
inline void check_paper(Mask const& mask, PaperReference const& expected, core::Layout const& layout,
                        ca::PaperOptions const& options, std::string const& what) {
  ca::Direction const direction = options.direction;
  bool const across = direction == ca::Direction::x;
  auto field = field_of(across ? mask.transposed() : mask, layout);
  auto const result = ca::run_paper(*field, options);
  std::string const where = what + "\n" + (mask.nx * mask.ny < 1000 ? mask.text() : "");
  ASSERT_EQ(result.spans, expected.spans) << where;
  ASSERT_EQ(result.steps.a1, expected.steps.a1) << where;
  ASSERT_EQ(result.steps.a2, expected.steps.a2) << where;
  ASSERT_EQ(result.steps.a3, expected.steps.a3) << where;
  ASSERT_EQ(result.steps.a4, expected.steps.a4) << where;
  ASSERT_EQ(result.steps.a5, expected.steps.a5) << where;
  ASSERT_EQ(result.removed_sites, expected.removed) << where;
  ASSERT_EQ(result.white_sites, expected.white) << where;
  ASSERT_EQ(result.tagged_sites, expected.tagged) << where;
  ASSERT_EQ(result.restored_sites, expected.restored) << where;
  ASSERT_EQ(result.backbone_sites, expected.backbone.count()) << where;
  ASSERT_EQ(mask_of(*result.backbone), across ? expected.backbone.transposed() : expected.backbone) << where;
}

inline void check_paper(Mask const& mask, PaperReference const& expected, core::Layout const& layout,
                        ca::Direction direction, std::string const& what) {
  check_paper(mask, expected, layout, ca::PaperOptions{direction, ca::Update::synchronous, {}}, what);
}

}  // namespace tessera::tests
