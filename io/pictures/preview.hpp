// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera::io {

namespace detail {
class Animation;
}

/// What `preview { ... }` says.
struct PreviewStyle {
  std::int64_t every = 10;  ///< steps from picture to picture
  core::Count size = 512;   ///< longest side in pixels
  std::string palette = "viridis";
  double lo = NAN, hi = NAN;   ///< range of the palette; NaN: of the first picture
  bool widening = false;       ///< where it is NaN: of all pictures so far
  core::Count pictures = 200;  ///< at most; then every second one goes, and `every` is doubled
  double seconds = 0.1;        ///< each picture is shown
  /// Each picture lies in the middle of size x size pixels, so that the grid may be another from time to time.
  bool square = false;
};

/// Reads `every`, `size`, `palette`, `range (lo hi)`, `pictures` and `seconds` of a dictionary `preview`; what is not there
/// stays as in `otherwise`. Throws core::Error with file and line, also for other keys.
PreviewStyle read_preview(core::Dictionary const& dictionary, PreviewStyle otherwise = {});

/// A small animated picture (APNG) of a field during a run, with a time stamp and the palette: needs nothing but what
/// every build has, and any browser shows it. A pixel is the mean of its cells (`rasterize`), so what goes up to the root
/// is the picture, not the field.
///
/// The file is written whole and renamed: after the first picture, whenever a quarter more has come since the last time
/// (so that writing costs no more than five times the file in all), and by `finish`.
/// Memory: 16 B a pixel and rank; the root also the compressed pictures, at most `pictures` of them.
class Preview {
 public:
  Preview(std::string file, PreviewStyle const& style);
  ~Preview();
  bool due(std::int64_t step) const { return step % every_ == 0; }
  /// How many steps there are to the next of which `due` says yes.
  std::int64_t steps_to_due(std::int64_t step) const { return every_ - step % every_; }
  /// Adds a picture of the middle layer with `stamp` below it ("generation 120"). Fields may differ from step to step, but
  /// not the size of their grid (but for `square` ones). Throws core::RunError on all ranks when the file cannot be written. Collective.
  void add(core::FieldBase const& field, std::string const& stamp);
  /// Writes what has come since the last time. Collective.
  void finish(core::Comm const& comm);
  std::string const& file() const { return file_; }

 private:
  std::string file_;
  PreviewStyle style_;
  std::int64_t every_;
  core::Count added_ = 0;                         ///< pictures that the animation holds, on all ranks
  std::unique_ptr<detail::Animation> animation_;  ///< on the root
  std::size_t written_ = 0;                       ///< bytes of pictures when the file was written
};

}  // namespace tessera::io
