// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"
#include "io/foam/functions/reduce.hpp"

#include "io/foam/cell_selection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera::io::foam::functions {

/// Smallest and largest value of each field in cells and on boundary faces, and where: START/fieldMinMax.dat. Of equal
/// values the one in the first cell counts; a face only where it is beyond all cells.
class FieldMinMax final : public FunctionObject {
 public:
  static inline std::string const help = "fields (T); location yes; mode magnitude | component;";
  explicit FieldMinMax(FunctionEntry const& entry)
      : name_(entry.name),
        context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, Quantities::in_cells)),
        location_(entry.dictionary.get_or<bool>("location", true)) {
    std::sort(fields_.begin(), fields_.end());
    entry.dictionary.get_choice("mode", {"magnitude", "component"}, "magnitude");  // one and the same for scalars
    for (auto const& patch : context_.mesh.patches)
      for (auto const& piece : patch.pieces)
        if (!patch.unsolved() && patch.type != "cyclic") pieces_.push_back(piece);
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    std::string text = begun_ ? "" : heading(), log = fmt::format("fieldMinMax {} write:\n", name_);
    begun_ = true;
    if (!location_) text += columns_.time(now);
    for (auto const& name : fields_) {
      auto const [min, max] = extremes(context_.fields.at(name));
      if (!location_) {
        text += "\t" + columns_.scientific(min.value) + "\t" + columns_.scientific(max.value);
        log += fmt::format("    min/max({}) = {} {}\n", name, columns_.general(min.value), columns_.general(max.value));
        continue;
      }
      text += columns_.time(now) + columns_.column(name);
      for (auto const& [what, extreme] : {std::pair{"min", min}, std::pair{"max", max}}) {
        auto const [cell, p] = place(extreme);
        text += fmt::format("\t{}\t({} {} {})", columns_.scientific(extreme.value), columns_.scientific(p[0]),
                            columns_.scientific(p[1]), columns_.scientific(p[2]));
        log += fmt::format("    {}({}) = {} in cell {} at location ({} {} {})\n", what, name,
                           columns_.general(extreme.value), context_.mesh.number(cell), columns_.general(p[0]),
                           columns_.general(p[1]), columns_.general(p[2]));
      }
      text += "\n";
    }
    if (!location_) text += "\n";
    output.append(context_.control.start_name() + "/fieldMinMax.dat", text);
    output.log(log + "\n");
  }

 private:
  core::Count total() const { return context_.mesh.total(); }

  std::string heading() const {
    std::string text = columns_.comment("Field minima and maxima") + "\n" + columns_.comment("Time");
    if (location_) {
      for (char const* what : {"field", "min", "location(min)", "max", "location(max)"}) text += columns_.column(what);
    } else {
      for (auto const& field : fields_)
        text += columns_.column("min(" + field + ")") + columns_.column("max(" + field + ")");
    }
    return text + "\n";
  }

  /// Extremes with places numbered so: the cells, then the boundary faces patch by patch.
  std::pair<Extreme, Extreme> extremes(FunctionField const& field) const {
    core::Layout const& layout = *context_.layout;
    Extreme min, max;
    auto const take = [&](Extreme const& at) {
      if (at.before(min)) min = at;
      if (Extreme const opposite{-at.value, at.place}; opposite.before(max)) max = opposite;
    };
    auto const number = [&](int s, int k, int j, int i) {
      return context_.mesh.number(layout.info(s).global(k, j, i));
    };
    auto const f = field.cells->host();
    auto const* const existing = context_.sets.existing.get();
    auto const exists = existing ? std::as_const(*existing).host() : core::FieldView<std::uint8_t const>{};
    core::for_own_cells(layout, [&](int s, int k, int j, int i) {
      if (existing && exists(s, k, j, i) == 0) return;
      double const value = f(s, k, j, i);
      if (value <= min.value || -value <= max.value) take({value, number(s, k, j, i)});
    });
    core::Count before = total();
    for (auto const& piece : pieces_) {
      core::for_own_cells(layout, piece.cells, [&](int s, int k, int j, int i) {
        take({field.at_face(piece.side, s, k, j, i), before + piece.number(layout.info(s).global(k, j, i))});
      });
      before += piece.cells.cells();
    }
    min = first_of_all(layout.comm(), min);
    max = first_of_all(layout.comm(), max);
    max.value = -max.value;
    return {min, max};
  }

  /// The cell, and the centre of it or of its boundary face [m].
  std::pair<core::Index, Point> place(Extreme const& extreme) const {
    core::Grid const& grid = context_.mesh.grid;
    core::Count number = extreme.place;
    if (number < total()) {
      core::Index const cell = context_.mesh.cell(number);
      return {cell, centre(grid, cell, context_.mesh.wedge)};
    }
    number -= total();
    auto piece = pieces_.begin();
    for (; number >= piece->cells.cells(); ++piece) number -= piece->cells.cells();
    core::Index const cell = piece->cell(number);
    Point p = centre(grid, cell, context_.mesh.wedge);
    int const side = static_cast<int>(piece->side);
    auto const& axis = grid.axis(side / 2);
    p[side / 2] = axis.face(piece->layer() + side % 2);
    return {cell, p};
  }

  std::string name_;
  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::vector<Patch::Piece> pieces_;
  bool location_ = true, begun_ = false;
};

[[maybe_unused]] static bool const added =
    FunctionObjects::add<FieldMinMax>("fieldMinMax", "smallest and largest values and where they are");

}  // namespace tessera::io::foam::functions
