// SPDX-License-Identifier: Apache-2.0
#include "io/foam/sources.hpp"

#include <fmt/format.h>

namespace tessera::io::foam::source_types {

/// scalarSemiImplicitSource (older: semiImplicitSource): the explicit and the implicit rate of the field.
///   volumeMode specific | absolute;           absolute values are divided by the volume of the cells
///   injectionRateSuSp { T (Su Sp); }  or  sources { T { explicit Su; implicit Sp; } }  or  sources { T (Su Sp); }
/// Su and Sp may be a Function1 of time in the long form, Sp also `none`.
struct SemiImplicit final : SourceType {
  bool is_absolute(SourceEntry const& in) const override {
    return in.dictionary.get_choice("volumeMode", {"specific", "absolute"}) == "absolute";
  }
  void read(SourceEntry const& in, HeatSource& result) const override {
    bool const old = in.dictionary.contains("injectionRateSuSp");
    core::Dictionary const& rates = in.by_field(old ? "injectionRateSuSp" : "sources", "(Su Sp)");
    result.where = rates.location(in.field);
    if (core::Dictionary const* const parts = rates.is_dictionary(in.field) ? rates.find_sub(in.field) : nullptr) {
      char const* const first = old ? "Su" : "explicit";
      char const* const second = old ? "Sp" : "implicit";
      if (!parts->contains(first) && !parts->contains(second))
        rates.fail(in.field, fmt::format("entry '{}' has neither '{}' nor '{}'", in.field, first, second));
      // as later versions write it: explicit Su; implicit none;
      for (auto const& [key, rate] : {std::pair{first, &result.Su}, {second, &result.Sp}})
        if (parts->contains(key) &&
            (parts->is_dictionary(key) || parts->words(key) != std::vector<std::string>{"none"}))
          *rate = in.function(*parts, key);
      return;
    }
    auto const pair = rates.get<std::array<double, 2>>(in.field);
    result.Su = pair[0];
    result.Sp = pair[1];
  }

  static constexpr char const* keys =
      R"(    volumeMode      specific | absolute;        a cubic metre | all cells together
    sources         { T { explicit VALUE; implicit VALUE; } }      the rate is explicit + implicit T; either may be left out
       or           { T (Su Sp); }                                 two numbers
       or           injectionRateSuSp { T { Su VALUE; Sp VALUE; } }  |  { T (Su Sp); }      as in older versions
                                                [W/m3] and [W/(m3 K)] in heatConduction, [K/s] and [1/s] in laplacianFoam
)";
};

[[maybe_unused]] static bool const added =
    add_source<SemiImplicit>("scalarSemiImplicitSource", "heat Su + Sp T in a zone, constant or over time",
                             SemiImplicit::keys) &&
    add_source<SemiImplicit>("semiImplicitSource", "older name of scalarSemiImplicitSource", SemiImplicit::keys);

}  // namespace tessera::io::foam::source_types
