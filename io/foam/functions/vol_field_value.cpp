// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"
#include "io/foam/functions/reduce.hpp"

#include "io/foam/cell_selection.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam::functions {

/// One number of a field over all cells or a cellZone, a row a step: START/volFieldValue.dat. V is the cell's volume, w
/// the weight field, f the field times scaleFactor:
///   sum f; sumMag |f|; average sum f / n; volIntegrate sum V f; volAverage sum V f / sum V; min; max;
///   CoV sqrt(sum V (f - mean)^2 / sum V) / mean with mean = volAverage;
///   weightedSum sum w f; weightedAverage / sum w; weightedVolIntegrate sum w V f; weightedVolAverage / sum w V.
class VolFieldValue final : public FunctionObject {
 public:
  static inline std::string const help = R"(fields (T); regionType all | cellZone; name ZONE;
operation sum | sumMag | average | volAverage | volIntegrate | min | max | CoV
        | weightedSum | weightedAverage | weightedVolAverage | weightedVolIntegrate;
weightField NAME; scaleFactor 1; writeFields no;)";

  explicit VolFieldValue(FunctionEntry const& entry)
      : name_(entry.name),
        context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, Quantities::in_cells)) {
    core::Dictionary const& dictionary = entry.dictionary;
    operation_ = dictionary.get_choice("operation", {"sum", "sumMag", "average", "volAverage", "volIntegrate", "min",
                                                     "max", "CoV", "weightedSum", "weightedAverage",
                                                     "weightedVolAverage", "weightedVolIntegrate"});
    region_ = dictionary.get_choice("regionType", {"all", "cellZone"}, "all");
    if (region_ == "cellZone") {
      zone_ = dictionary.get<std::string>("name");
      mask_ = &find_mask(context_.sets.zones, zone_, "cellZone", dictionary, "name");
    } else {
      zone_ = "region0";
      mask_ = context_.sets.existing.get();
    }
    if (operation_.starts_with("weighted")) {
      weight_ = dictionary.get<std::string>("weightField");
      find_field(entry, "weightField", weight_, Quantities::in_cells);
    }
    if (dictionary.get_or<bool>("writeFields", false))
      dictionary.fail("writeFields", "writeFields yes is not supported, supported: no");
    scale_ = dictionary.get_or<double>("scaleFactor", 1.0);
    auto const size = sum_cells<2>(*context_.layout, mask_, [&](int s, int k, int j, int i) {
      return std::array{1.0, volume(s, k, j, i)};
    });
    cells_ = size[0];
    volume_ = size[1];
    if (cells_ == 0 && !context_.layout->owners().empty())
      dictionary.fail("name", fmt::format("cellZone '{}' has no cells", zone_));
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    std::string text, log = fmt::format("volFieldValue {} write:\n", name_);
    if (!begun_) {
      text = columns_.property("Region", fmt::format("{} {}", region_, zone_)) +
             columns_.property("Cells", fmt::format("{:.0f}", cells_)) +
             columns_.property("Volume", columns_.scientific(volume_));
      if (!weight_.empty()) text += columns_.property("Weight field", weight_);
      text += columns_.comment("Time");
      for (auto const& field : fields_) text += fmt::format("\t{}({})", operation_, field);
      text += "\n";
      begun_ = true;
    }
    text += columns_.time(now);
    for (auto const& field : fields_) {
      double const value = evaluate(*context_.fields.at(field).cells);
      text += "\t" + columns_.scientific(value);
      log += fmt::format("    {}({}) of {} = {}\n", operation_, zone_, field, columns_.general(value));
    }
    output.append(context_.control.start_name() + "/volFieldValue.dat", text + "\n");
    output.log(log + "\n");
  }

 private:
  double volume(int s, int k, int j, int i) const {
    return context_.mesh.volume(context_.layout->info(s).global(k, j, i));
  }

  double evaluate(core::Field<double> const& field) const {
    core::Layout const& layout = *context_.layout;
    auto const f = field.host();
    if (operation_ == "min" || operation_ == "max") return extreme(field);
    if (operation_.starts_with("weighted")) {
      auto const w = context_.fields.at(weight_).cells->host();
      bool const by_volume = operation_.starts_with("weightedVol");
      auto const sums = sum_cells<2>(layout, mask_, [&](int s, int k, int j, int i) {
        double const weight = w(s, k, j, i) * (by_volume ? volume(s, k, j, i) : 1.0);
        return std::array{weight * (scale_ * f(s, k, j, i)), weight};
      });
      return operation_.ends_with("Average") ? sums[0] / sums[1] : sums[0];
    }
    bool const by_volume = operation_.starts_with("vol") || operation_ == "CoV";
    auto const sum = sum_cells<1>(layout, mask_, [&](int s, int k, int j, int i) {
      double const x = scale_ * f(s, k, j, i);
      return std::array{operation_ == "sumMag" ? std::abs(x) : by_volume ? volume(s, k, j, i) * x : x};
    })[0];
    if (operation_ == "average") return sum / cells_;
    if (operation_ == "volAverage") return sum / volume_;
    if (operation_ != "CoV") return sum;
    double const mean = sum / volume_;
    auto const square = sum_cells<1>(layout, mask_, [&](int s, int k, int j, int i) {
      double const difference = scale_ * f(s, k, j, i) - mean;
      return std::array{volume(s, k, j, i) * difference * difference};
    })[0];
    return std::sqrt(square / volume_) / mean;
  }

  double extreme(core::Field<double> const& field) const {
    auto const f = field.host();
    auto const chosen = mask_ != nullptr ? mask_->host() : core::FieldView<std::uint8_t const>{};
    double const sign = operation_ == "min" ? 1 : -1;
    std::vector<double> least(context_.layout->tiles(), std::numeric_limits<double>::infinity());
    core::for_each_on_host("cells", *context_.layout, [&](int s, int k, int j, int i) {
      if (mask_ != nullptr && chosen(s, k, j, i) == 0) return;
      auto& tile = least[s];
      tile = std::min(tile, sign * (scale_ * f(s, k, j, i)));
    });
    double mine = std::numeric_limits<double>::infinity();
    for (double const tile : least) mine = std::min(mine, tile);
    return sign * context_.layout->comm().min(mine);
  }

  std::string name_;
  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::string operation_, region_, zone_, weight_;
  CellSets::Mask const* mask_ = nullptr;
  double scale_ = 1, cells_ = 0, volume_ = 0;
  bool begun_ = false;
};

[[maybe_unused]] static bool const added =
    FunctionObjects::add<VolFieldValue>("volFieldValue", "mean, integral, minimum ... over all cells or a cellZone");

}  // namespace tessera::io::foam::functions
