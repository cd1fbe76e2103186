// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/preview.hpp"

#include "core/times.hpp"
#include "io/files/atomic.hpp"
#include "io/files/together.hpp"
#include "io/pictures/animation.hpp"
#include "io/pictures/picture.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::io {
namespace {

constexpr std::int64_t most_steps = std::int64_t{1} << 62;

/// A picture in the middle of a square, what is round it in the colour of 0.
Raster squared(Raster const& picture, core::Count side, Palette const& colours) {
  double const nought = picture.hi > picture.lo ? picture.lo / (picture.lo - picture.hi) : 0;
  Raster square{side, side, {}, picture.lo, picture.hi};
  square.pixels.assign(static_cast<std::size_t>(side * side), colours[std::lround(255 * std::clamp(nought, 0.0, 1.0))]);
  core::Count const left = (side - picture.width) / 2, top = (side - picture.height) / 2;
  for (core::Count y = 0; y < picture.height; ++y)
    std::copy_n(picture.pixels.begin() + y * picture.width, picture.width,
                square.pixels.begin() + (top + y) * side + left);
  return square;
}

}  // namespace

PreviewStyle read_preview(core::Dictionary const& dictionary, PreviewStyle style) {
  style.every = dictionary.get_in<std::int64_t>("every", {1, most_steps}, style.every);
  style.size = dictionary.get_in<core::Count>("size", {16, 4096}, style.size);
  style.palette = dictionary.get_choice("palette", palettes(), style.palette);
  style.pictures = dictionary.get_in<core::Count>("pictures", {2, 10000}, style.pictures);
  style.seconds = dictionary.get_in<double>("seconds", {0.01, 60.0}, style.seconds);
  if (dictionary.contains("range")) {
    auto const range = dictionary.get<std::array<double, 2>>("range");
    if (!(range[0] < range[1])) dictionary.fail_expected("range", "(lo hi) with lo < hi");
    style.lo = range[0];
    style.hi = range[1];
    style.widening = false;
  }
  dictionary.check_all_read();
  return style;
}

Preview::Preview(std::string file, PreviewStyle const& style)
    : file_(std::move(file)),
      style_(style),
      every_(style.every),
      animation_(std::make_unique<detail::Animation>(static_cast<std::uint16_t>(std::lround(1000 * style.seconds)))) {}
Preview::~Preview() = default;

void Preview::add(core::FieldBase const& field, std::string const& stamp) {
  core::Timed const timed(core::Part::io);
  PictureStyle picture;
  picture.width = picture.height = style_.size;
  picture.palette = style_.palette;
  (style_.widening ? picture.least_lo : picture.lo) = style_.lo;
  (style_.widening ? picture.least_hi : picture.hi) = style_.hi;
  Raster const raster = rasterize(field, picture);
  // the first picture's range is that of all, so that a colour means one value throughout; or that range grows
  style_.lo = raster.lo;
  style_.hi = raster.hi;
  on_root(field.layout().comm(), [&] {
    auto const& colours = palette(style_.palette);
    animation_->add(detail::stamped(style_.square ? squared(raster, style_.size, colours) : raster, stamp, colours));
    if (4 * animation_->bytes() < 5 * written_) return;
    detail::write_atomically(file_, animation_->file());
    written_ = animation_->bytes();
  });
  if (++added_ < style_.pictures) return;
  if (field.layout().comm().root()) {
    animation_->thin();
    written_ = 0;
  }
  added_ = (added_ + 1) / 2;
  every_ = std::min(every_, most_steps / 2) * 2;
}

void Preview::finish(core::Comm const& comm) {
  core::Timed const timed(core::Part::io);
  on_root(comm, [&] {
    if (animation_->size() == 0 || animation_->bytes() == written_) return;
    detail::write_atomically(file_, animation_->file());
    written_ = animation_->bytes();
  });
}

}  // namespace tessera::io
