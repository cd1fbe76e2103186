// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/pictures/palette.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// What is common to all pictures.
struct PictureStyle {
  std::string title;
  core::Count width = 1024,
              height = 1024;        ///< at most so many pixels for the cells (the frame with its texts comes on top)
  core::Box region{};               ///< cells shown; empty: the whole grid
  core::Count layer = -1;           ///< layer k of a 3-D grid; -1: the middle one
  std::string palette = "viridis";  ///< of a continuous field
  double lo = NAN, hi = NAN;        ///< range of the palette; NaN: of the cells shown,
  double least_lo = NAN, least_hi = NAN;  ///< and of these two, where they are not NaN
  std::string unit = "";                  ///< of the field; "": as the field says
  std::string caption = "";               ///< under the picture; "": the size
  bool shares = true;                     ///< of the cells, in the legend of masks
  bool physical = true;                   ///< sizes in metres (a field of space), or in cells alone (an automaton)
};

/// A kind of cells: those where `mask` is `value`, or not 0 where that is NaN.
struct Category {
  std::string name;
  Colour colour;
  core::FieldBase const* mask = nullptr;
  double value = NAN;
  std::vector<Colour> icon =
      {};  ///< n x n pixels from the top, drawn where a cell has just so many; elsewhere the colour
};

/// Pixels from the top, row by row, on the root; empty elsewhere.
struct Raster {
  core::Count width = 0, height = 0;
  std::vector<Colour> pixels;
  double lo = 0, hi = 0;            ///< range of the palette
  std::vector<double> shares = {};  ///< of each category: cells shown in its colour / cells
  Colour at(core::Count x, core::Count y) const { return pixels[y * width + x]; }
};

/// A preview of a layer of a field, y upwards: pixel = mean of the finite values of the cells whose centres lie in it
/// (grey where there is none), or the cell at its centre where cells are larger. Equal cells are enlarged by a whole
/// factor; graded grids keep their shape. The same on any number of ranks. The ranks' sums go up the tree of routers and are
/// added on the way. Memory: 16 B a pixel and rank. Collective.
Raster rasterize(core::FieldBase const& field, PictureStyle const& style);

/// A preview of masks: a cell has the colour of the last category it belongs to, or of the background; a pixel the mean
/// colour of its cells. Memory: 24 B a pixel and rank. Collective.
Raster rasterize(std::span<Category const> categories, Colour background, PictureStyle const& style);

/// Writes a picture with title, frame, size, scale bar and colour bar, as PNG. Throws core::RunError on all ranks when
/// it cannot be written, core::Error for an unknown palette. Collective.
void draw_field(std::string const& file, core::FieldBase const& field, PictureStyle const& style = {});

/// The same for masks, with a legend. `background` has no mask.
void draw_masks(std::string const& file, std::span<Category const> categories, Category const& background,
                PictureStyle const& style = {});

/// Round numbers (1, 2, 5 times a power of ten apart) from lo to hi, at most `most` of them: what a colour bar shows. lo and
/// hi themselves where they are so near to each other that rounding leaves no such numbers between.
std::vector<double> ticks(double lo, double hi, int most);

/// A number as people write it: at most 4 digits, powers of ten where it is very large or small.
std::string readable(double value);

/// The same for ascending values, with as many digits as tell neighbours apart.
std::vector<std::string> labels(std::vector<double> const& values);

}  // namespace tessera::io
