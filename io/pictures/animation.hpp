// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/pictures/palette.hpp"
#include "io/pictures/picture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// An animated PNG (APNG) in memory: pictures of one size, compressed as they come, shown again and again. One rank.
/// Programs that know no APNG show the first picture.
///
/// Source: W3C, Portable Network Graphics (Third Edition), 4.9 and 11.3.6 (acTL, fcTL, fdAT).
class Animation {
 public:
  explicit Animation(std::uint16_t milliseconds) : milliseconds_(milliseconds) {}
  /// Throws core::RunError when it cannot be compressed, core::BrokenPromise for another size than the first picture's.
  void add(Raster const& picture);
  /// Drops every second picture, the first stays.
  void thin();
  std::size_t size() const { return pictures_.size(); }
  std::size_t bytes() const;
  /// The whole file.
  std::string file() const;

 private:
  std::uint16_t milliseconds_;
  core::Count width_ = 0, height_ = 0;
  std::vector<std::string> pictures_;  ///< zlib streams, as in IDAT
};

/// A picture with a strip below: the text on the left, the palette with the numbers at its ends on the right.
Raster stamped(Raster const& picture, std::string const& text, Palette const& palette);

}  // namespace tessera::io::detail
