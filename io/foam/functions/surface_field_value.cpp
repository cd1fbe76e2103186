// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"
#include "io/foam/functions/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam::functions {

/// One number of a field on the faces of a patch, a row a step: START/surfaceFieldValue.dat. A is the face's area, w the
/// weight field (absWeighted: its absolute value), f the field times scaleFactor:
///   sum f; sumMag |f|; average sum f / n; areaIntegrate sum A f; areaAverage sum A f / sum A; min; max;
///   CoV sqrt(sum A (f - mean)^2 / sum A) / mean; uniformity 1 - sum A |f - mean| / (2 |mean| sum A), 0 to 1;
///   weightedSum sum w f; weightedAverage / sum w; weightedAreaIntegrate sum w A f; weightedAreaAverage / sum w A.
/// The heat that flows in through a patch [W] is `fields (wallHeatFlux); operation areaIntegrate;`.
class SurfaceFieldValue final : public FunctionObject {
 public:
  static inline std::string const help = R"(fields (T wallHeatFlux); regionType patch; name PATCH;
operation sum | sumMag | average | areaAverage | areaIntegrate | min | max | CoV | uniformity
        | weightedSum | weightedAverage | weightedAreaAverage | weightedAreaIntegrate (and absWeighted...);
weightField NAME; scaleFactor 1; writeArea no; writeFields no;
wallHeatFlux = lambda dT/dn [W/m2], positive where heat flows in: areaIntegrate gives the heat flow through the patch [W].)";

  explicit SurfaceFieldValue(FunctionEntry const& entry)
      : name_(entry.name),
        context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, Quantities::on_faces)) {
    core::Dictionary const& dictionary = entry.dictionary;
    std::vector<std::string> operations{"sum", "sumMag", "average", "areaAverage", "areaIntegrate",
                                        "min", "max",    "CoV",     "uniformity"};
    for (char const* weighted : {"weighted", "absWeighted"})
      for (char const* what : {"Sum", "Average", "AreaAverage", "AreaIntegrate"})
        operations.push_back(std::string(weighted) + what);
    operation_ = dictionary.get_choice("operation", operations);
    auto const region = dictionary.get<std::string>("regionType");
    if (region != "patch")
      dictionary.fail("regionType", fmt::format("regionType '{}' is not supported, supported: patch", region));
    auto const patch = dictionary.get<std::string>("name");
    patch_ = context_.mesh.find(patch);
    if (patch_ == nullptr) dictionary.fail("name", core::unknown_name("patch", patch, context_.mesh.patch_names()));
    if (patch_->unsolved())
      dictionary.fail("name", fmt::format("patch '{}' is {}, expected another", patch, patch_->type));
    if (operation_.starts_with("weighted") || operation_.starts_with("absWeighted")) {
      weight_ = dictionary.get<std::string>("weightField");
      find_field(entry, "weightField", weight_, Quantities::on_faces);
    }
    if (dictionary.get_or<bool>("writeFields", false))
      dictionary.fail("writeFields", "writeFields yes is not supported, supported: no");
    scale_ = dictionary.get_or<double>("scaleFactor", 1.0);
    write_area_ = dictionary.get_or<bool>("writeArea", false);
    auto const size = sum_faces<2>([](core::Side, double a, int, int, int, int) { return std::array{1.0, a}; });
    faces_ = size[0];
    area_ = size[1];
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    std::string text, log = fmt::format("surfaceFieldValue {} write:\n", name_);
    if (!begun_) {
      text = columns_.comment("Region type : ") + "patch " + patch_->name + "\n" +
             columns_.property("Faces", fmt::format("{:.0f}", faces_)) +
             columns_.property("Area", columns_.scientific(area_)) +
             columns_.property("Scale factor", columns_.scientific(scale_));
      if (!weight_.empty()) text += columns_.property("Weight field", weight_);
      text += columns_.comment("Time");
      if (write_area_) text += "\tArea";
      for (auto const& field : fields_) text += fmt::format("\t{}({})", operation_, field);
      text += "\n";
      log += fmt::format("    total faces   = {:.0f}\n    total area    = {}\n\n", faces_, columns_.general(area_));
      begun_ = true;
    }
    text += columns_.time(now);
    if (write_area_) {
      text += "\t" + columns_.scientific(area_);
      log += fmt::format("    total area = {}\n", columns_.general(area_));
    }
    for (auto const& field : fields_) {
      double const value = evaluate(context_.fields.at(field));
      text += "\t" + columns_.scientific(value);
      log += fmt::format("    {}({}) of {} = {}\n", operation_, patch_->name, field, columns_.general(value));
    }
    output.append(context_.control.start_name() + "/surfaceFieldValue.dat", text + "\n");
    output.log(log + "\n");
  }

 private:
  /// Sums of f(side, area, slot, k, j, i) over the faces of the patch on all ranks, without rounding between.
  template <std::size_t K, class F>
  std::array<double, K> sum_faces(F const& f) const {
    std::array<core::ExactSum, K> totals;
    for_each_face([&](core::Side side, double a, int s, int k, int j, int i) {
      std::array<double, K> const x = f(side, a, s, k, j, i);
      for (std::size_t q = 0; q < K; ++q) totals[q].add(x[q]);
    });
    core::ExactSum::all_reduce(context_.layout->comm(), totals);
    std::array<double, K> result;
    for (std::size_t q = 0; q < K; ++q) result[q] = totals[q].round();
    return result;
  }
  template <class F>
  void for_each_face(F const& f) const {
    core::Layout const& layout = *context_.layout;
    for (auto const& [side, cells, turn] : patch_->pieces)
      core::for_own_cells(layout, cells, [&, at = side](int s, int k, int j, int i) {
        f(at, context_.mesh.area(at, layout.info(s).global(k, j, i)), s, k, j, i);
      });
  }

  double evaluate(FunctionField const& field) const {
    if (operation_ == "min" || operation_ == "max") {
      double const sign = operation_ == "min" ? 1 : -1;
      double mine = std::numeric_limits<double>::infinity();
      for_each_face([&](core::Side side, double, int s, int k, int j, int i) {
        mine = std::min(mine, sign * (scale_ * field.at_face(side, s, k, j, i)));
      });
      return sign * context_.layout->comm().min(mine);
    }
    if (!weight_.empty()) {
      FunctionField const& weight = context_.fields.at(weight_);
      bool const by_area = operation_.find("Area") != std::string::npos, absolute = operation_.starts_with("abs");
      auto const sums = sum_faces<2>([&](core::Side side, double a, int s, int k, int j, int i) {
        double w = weight.at_face(side, s, k, j, i);
        if (absolute) w = std::abs(w);
        if (by_area) w *= a;
        return std::array{w * (scale_ * field.at_face(side, s, k, j, i)), w};
      });
      return operation_.ends_with("Average") ? sums[0] / sums[1] : sums[0];
    }
    bool const by_area = operation_.starts_with("area") || operation_ == "CoV" || operation_ == "uniformity";
    double const sum = sum_faces<1>([&](core::Side side, double a, int s, int k, int j, int i) {
      double const x = scale_ * field.at_face(side, s, k, j, i);
      return std::array{operation_ == "sumMag" ? std::abs(x) : by_area ? a * x : x};
    })[0];
    if (operation_ == "average") return sum / faces_;
    if (operation_ == "areaAverage") return sum / area_;
    if (operation_ != "CoV" && operation_ != "uniformity") return sum;
    double const mean = sum / area_;
    bool const variance = operation_ == "CoV";
    double const spread = sum_faces<1>([&](core::Side side, double a, int s, int k, int j, int i) {
      double const difference = scale_ * field.at_face(side, s, k, j, i) - mean;
      return std::array{a * (variance ? difference * difference : std::abs(difference))};
    })[0];
    if (variance) return std::sqrt(spread / area_) / mean;
    return std::clamp(1 - spread / (2 * std::abs(mean) * area_), 0.0, 1.0);
  }

  std::string name_;
  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::string operation_, weight_;
  Patch const* patch_ = nullptr;
  double scale_ = 1, faces_ = 0, area_ = 0;
  bool write_area_ = false, begun_ = false;
};

[[maybe_unused]] static bool const added = FunctionObjects::add<SurfaceFieldValue>(
    "surfaceFieldValue", "mean, integral, minimum ... on a patch; heat flow through it");

}  // namespace tessera::io::foam::functions
