// SPDX-License-Identifier: Apache-2.0
#pragma once
// What pictures are drawn with; for files NAME.cairo.cpp alone.
#include "core/error.hpp"
#include "io/files/atomic.hpp"
#include "io/pictures/picture.hpp"

#include <cairo.h>
#include <fmt/format.h>
#include <memory>

namespace tessera::io::detail {

inline constexpr double margin = 24, gap = 14, text_size = 13, title_size = 18, line_height = 20;
inline constexpr Colour ink{40, 40, 40}, faint{110, 110, 110};

/// A canvas with the few strokes that a picture needs; coordinates in pixels from the top left.
class Canvas {
 public:
  Canvas(double width, double height)
      : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)),
                 cairo_surface_destroy),
        cairo_(cairo_create(surface_.get()), cairo_destroy) {
    fill(colours::white, 0, 0, width, height);
    cairo_set_line_width(cairo_.get(), 1);
  }

  void fill(Colour c, double x, double y, double width, double height) {
    ink_with(c);
    cairo_rectangle(cairo_.get(), x, y, width, height);
    cairo_fill(cairo_.get());
  }
  /// Sharp lines lie in the middle of pixels.
  void frame(Colour c, double x, double y, double width, double height) {
    ink_with(c);
    cairo_rectangle(cairo_.get(), x - 0.5, y - 0.5, width + 1, height + 1);
    cairo_stroke(cairo_.get());
  }
  void line(Colour c, double x0, double y0, double x1, double y1) {
    ink_with(c);
    cairo_move_to(cairo_.get(), x0, y0);
    cairo_line_to(cairo_.get(), x1, y1);
    cairo_stroke(cairo_.get());
  }
  void text(Colour c, double x, double y, std::string const& text, double size = text_size, bool bold = false) {
    font(size, bold);
    ink_with(c);
    cairo_move_to(cairo_.get(), x, y);
    cairo_show_text(cairo_.get(), text.c_str());
  }
  double width_of(std::string const& text, double size = text_size, bool bold = false) {
    font(size, bold);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_.get(), text.c_str(), &extents);
    return extents.x_advance;
  }
  /// Each pixel as a square of `factor` x `factor`.
  void image(Raster const& raster, double x, double y, core::Count factor) {
    cairo_surface_flush(surface_.get());
    unsigned char* const data = cairo_image_surface_get_data(surface_.get());
    int const stride = cairo_image_surface_get_stride(surface_.get());
    for (core::Count q = 0; q < raster.height * factor; ++q) {
      auto* const row = reinterpret_cast<std::uint32_t*>(data + (static_cast<core::Count>(y) + q) * stride) +
                        static_cast<core::Count>(x);
      for (core::Count p = 0; p < raster.width * factor; ++p) {
        Colour const c = raster.at(p / factor, q / factor);
        row[p] = std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
      }
    }
    cairo_surface_mark_dirty(surface_.get());
  }
  void write(std::string const& file) {
    std::string png;
    auto const append = [](void* to, unsigned char const* bytes, unsigned length) {
      static_cast<std::string*>(to)->append(reinterpret_cast<char const*>(bytes), length);
      return CAIRO_STATUS_SUCCESS;
    };
    cairo_status_t const status = cairo_surface_write_to_png_stream(surface_.get(), append, &png);
    if (status != CAIRO_STATUS_SUCCESS)
      throw core::RunError(fmt::format("{}: cannot be written: {}", file, cairo_status_to_string(status)));
    write_atomically(file, png);
  }

 private:
  void ink_with(Colour c) { cairo_set_source_rgb(cairo_.get(), c.r / 255.0, c.g / 255.0, c.b / 255.0); }
  void font(double size, bool bold) {
    cairo_select_font_face(cairo_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_.get(), size);
  }
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo_;
};

}  // namespace tessera::io::detail
