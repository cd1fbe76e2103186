// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"
#include "io/foam/functions/reduce.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tessera::io::foam::functions {

/// Heat flux lambda dT/dn through walls, positive where heat flows in: a row a patch with its smallest, its largest and
/// its integral [W], START/wallHeatFlux.dat; and the field wallHeatFlux in time directories (0 in the cells).
class WallHeatFlux final : public FunctionObject {
 public:
  static inline std::string const help =
      "patches (NAME \"PATTERN\" ...); by default all of type wall; others are taken where they are named";
  explicit WallHeatFlux(FunctionEntry const& entry)
      : name_(entry.name),
        context_(entry.context),
        columns_(entry.dictionary, entry.context) {
    core::Dictionary const& dictionary = entry.dictionary;
    find_field(entry, "type", flux, Quantities::on_faces);
    if (dictionary.contains("qr")) dictionary.fail("qr", "qr is not supported: there is no radiation");
    bool const named = dictionary.contains("patches");
    if (named) {
      auto in = dictionary.stream("patches");
      in.expect('(');
      while (!in.accept(')')) {
        core::Token const token = in.next();
        bool const is_pattern = token.kind == core::Token::Kind::string;
        take(token.text, is_pattern ? pattern_of(token, in) : std::optional<std::regex>(), entry);
      }
      in.end();
    } else {
      for (auto const& patch : context_.mesh.patches)
        if (patch.type == "wall") patches_.push_back(&patch);
    }
    if (patches_.empty() && names().empty())
      dictionary.fail("type", "the mesh has no patch with heat flux: all are empty, cyclic or of another such type");
    if (patches_.empty())
      dictionary.fail(named ? "patches" : "type",
                      fmt::format("no patch {}, expected 'patches (...)' with some of: {}",
                                  named ? "is named so" : "is of type wall", fmt::join(names(), " ")));
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    std::string text, log = fmt::format("wallHeatFlux {} write:\n", name_);
    if (!begun_) {
      text = columns_.comment("Wall heat-flux") + "\n" + columns_.comment("Time");
      for (char const* what : {"patch", "min", "max", "integral"}) text += columns_.column(what);
      text += "\n";
      begun_ = true;
    }
    FunctionField const& field = context_.fields.at(flux);
    if (context_.directories.write) {
      log += "    writing field wallHeatFlux\n";
      context_.directories.write(flux, field, now);
    }
    for (auto const* patch : patches_) {
      auto const [least, most, integral] = sums(*patch, field);
      text += fmt::format("{}\t{}\t{}\t{}\t{}\n", columns_.time(now), patch->name, columns_.scientific(least),
                          columns_.scientific(most), columns_.scientific(integral));
      log += fmt::format("    min/max/integ({}) = {}, {}, {}\n", patch->name, columns_.general(least),
                         columns_.general(most), columns_.general(integral));
    }
    output.append(context_.control.start_name() + "/wallHeatFlux.dat", text);
    output.log(log + "\n");
  }

  std::vector<std::string> written() const override { return {flux}; }

 private:
  static constexpr char const* flux = "wallHeatFlux";

  static bool possible(Patch const& patch) { return !patch.unsolved() && patch.type != "cyclic"; }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (auto const& patch : context_.mesh.patches)
      if (possible(patch)) found.push_back(patch.name);
    return found;
  }

  void take(std::string const& name, std::optional<std::regex> const& pattern, FunctionEntry const& entry) {
    bool any = pattern.has_value();
    for (auto const& patch : context_.mesh.patches) {
      bool const fits = pattern ? std::regex_match(patch.name, *pattern) : patch.name == name;
      if (!fits || !possible(patch)) continue;
      any = true;
      if (std::find(patches_.begin(), patches_.end(), &patch) == patches_.end()) patches_.push_back(&patch);
    }
    if (!any) entry.dictionary.fail("patches", core::unknown_name("patch", name, names()));
  }

  /// Smallest and largest value of a patch on all ranks, and the integral.
  std::array<double, 3> sums(Patch const& patch, FunctionField const& field) const {
    core::Layout const& layout = *context_.layout;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    core::ExactSum sum;
    for (auto const& [side, cells, turn] : patch.pieces)
      core::for_own_cells(layout, cells, [&, at = side](int s, int k, int j, int i) {
        double const q = field.at_face(at, s, k, j, i);
        least = std::min(least, q);
        most = std::max(most, q);
        sum.add(q * context_.mesh.area(at, layout.info(s).global(k, j, i)));
      });
    std::array<core::ExactSum, 1> total{sum};
    core::ExactSum::all_reduce(layout.comm(), total);
    return {layout.comm().min(least), layout.comm().max(most), total[0].round()};
  }

  std::string name_;
  FunctionContext const& context_;
  Columns columns_;
  std::vector<Patch const*> patches_;
  bool begun_ = false;
};

[[maybe_unused]] static bool const added = FunctionObjects::add<WallHeatFlux>(
    "wallHeatFlux", "least, largest and whole heat flux through walls, a row a patch");

}  // namespace tessera::io::foam::functions
