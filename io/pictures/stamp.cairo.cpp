// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/pictures/animation.hpp"

#include <algorithm>
#include <cairo.h>
#include <memory>

namespace tessera::io::detail {
namespace {

constexpr int strip = 20;  // pixels below the picture
constexpr double label_size = 12, edge = 4, bar = 80;

}  // namespace

Raster stamped(Raster const& picture, std::string const& text, Palette const& palette) {
  int const width = static_cast<int>(picture.width);
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> const surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, strip), cairo_surface_destroy);
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> const cairo(cairo_create(surface.get()), cairo_destroy);
  cairo_set_source_rgb(cairo.get(), 1, 1, 1);
  cairo_paint(cairo.get());
  cairo_select_font_face(cairo.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo.get(), label_size);
  auto const width_of = [&](std::string const& words) {
    cairo_text_extents_t extents;
    cairo_text_extents(cairo.get(), words.c_str(), &extents);
    return extents.x_advance;
  };
  auto const write = [&](double x, std::string const& words) {
    cairo_set_source_rgb(cairo.get(), 0.15, 0.15, 0.15);
    cairo_move_to(cairo.get(), x, strip - 6);
    cairo_show_text(cairo.get(), words.c_str());
    return x + width_of(words);
  };
  double const end = write(edge, text);

  // lo, the palette, hi, where there is room for them
  std::string const lo = readable(picture.lo) + " ", hi = " " + readable(picture.hi);
  double const from = width - edge - width_of(hi) - bar;
  if (from - width_of(lo) > end + 2 * edge) {
    write(from - width_of(lo), lo);
    write(from + bar, hi);
    for (int x = 0; x < static_cast<int>(bar); ++x) {
      Colour const c = palette[x * 255 / (static_cast<int>(bar) - 1)];
      cairo_set_source_rgb(cairo.get(), c.r / 255.0, c.g / 255.0, c.b / 255.0);
      cairo_rectangle(cairo.get(), static_cast<int>(from) + x, 5, 1, strip - 10);
      cairo_fill(cairo.get());
    }
  }
  cairo_surface_flush(surface.get());
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
    throw core::RunError(std::string("a text cannot be drawn: ") +
                         cairo_status_to_string(cairo_surface_status(surface.get())));

  Raster result = picture;
  result.height += strip;
  for (int y = 0; y < strip; ++y) {
    auto const* const row = reinterpret_cast<std::uint32_t const*>(cairo_image_surface_get_data(surface.get()) +
                                                                   y * cairo_image_surface_get_stride(surface.get()));
    for (int x = 0; x < width; ++x)
      result.pixels.push_back({static_cast<std::uint8_t>(row[x] >> 16), static_cast<std::uint8_t>(row[x] >> 8),
                               static_cast<std::uint8_t>(row[x])});
  }
  return result;
}

}  // namespace tessera::io::detail
