// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"
#include "io/foam/functions/sampler.hpp"

#include <fmt/format.h>

namespace tessera::io::foam::functions {

/// Fields at fixed points, a file START/FIELD each, a row a step. A point outside the grid has -1e300.
class Probes final : public FunctionObject {
 public:
  static inline std::string const help =
      "fields (T); probeLocations ((x y z) ...); interpolationScheme cell | cellPoint;";
  explicit Probes(FunctionEntry const& entry)
      : name_(entry.name),
        context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, Quantities::in_cells)),
        points_(entry.dictionary.get<std::vector<Point>>("probeLocations")),
        sampler_(context_, found(), read_interpolation(entry.dictionary, context_.mesh)) {
    if (!entry.dictionary.get_or<bool>("fixedLocations", true))
      entry.dictionary.fail("fixedLocations", "fixedLocations no is not supported: the mesh does not move");
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    for (std::size_t n = 0; n < points_.size() && !begun_; ++n)
      if (!cells_[n])
        output.log(fmt::format("{}: probe {} at ({} {} {}) lies outside the mesh\n", name_, n,
                               columns_.general(points_[n][0]), columns_.general(points_[n][1]),
                               columns_.general(points_[n][2])));
    for (auto const& field : fields_) {
      std::string text = begun_ ? "" : heading();
      text += fmt::format("{:>{}}", context_.control.time_name(now.time), width());
      auto const values = sampler_.values(context_.fields.at(field));
      std::size_t next = 0;
      for (auto const& cell : cells_)
        text += fmt::format(" {:>{}}", columns_.general(cell ? values[next++] : -1e300), width());
      output.append(context_.control.start_name() + "/" + field, text + "\n");
    }
    begun_ = true;
  }

 private:
  int width() const { return columns_.precision() + 7; }

  /// The points that lie in the grid, with their cells.
  std::vector<Sample> found() {
    std::vector<Sample> samples;
    for (auto const& point : points_) {
      cells_.push_back(cell_at(context_.mesh, point));
      if (cells_.back()) samples.push_back({point, *cells_.back()});
    }
    return samples;
  }

  std::string heading() const {
    std::string text;
    for (std::size_t n = 0; n < points_.size(); ++n)
      text +=
          fmt::format("# Probe {} ({} {} {}){}\n", n, columns_.general(points_[n][0]), columns_.general(points_[n][1]),
                      columns_.general(points_[n][2]), cells_[n] ? "" : "  # Not Found");
    text += fmt::format("#{:>{}}", "Probe", width() - 1);
    for (std::size_t n = 0; n < points_.size(); ++n) text += fmt::format(" {:>{}}", n, width());
    return text + fmt::format("\n#{:>{}}\n", "Time", width() - 1);
  }

  std::string name_;
  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::vector<Point> points_;
  std::vector<std::optional<core::Index>> cells_;  // filled by found(), before the sampler
  Sampler sampler_;
  bool begun_ = false;
};

[[maybe_unused]] static bool const added = FunctionObjects::add<Probes>("probes", "values at points, a row a step");

}  // namespace tessera::io::foam::functions
