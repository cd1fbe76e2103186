// SPDX-License-Identifier: Apache-2.0
#include "io/foam/sources.hpp"

namespace tessera::io::foam::source_types {

/// conductorLosses: q20 VALUE; alpha 3.93e-3; Tref 293.15;
///   q20 (1 + alpha (T - Tref)) = q20 (1 - alpha Tref) + q20 alpha T  [W/m^3]
class ConductorLosses final : public SourceType {
 public:
  void read(SourceEntry const& in, HeatSource& result) const override {
    auto const& entry = in.dictionary;
    result.kind = HeatSource::Kind::losses;
    result.where = entry.location("q20");
    Function1 const q20 = in.function(entry, "q20");
    double const alpha = entry.get_in<double>("alpha", {-1, 1});
    double const reference = entry.get_or<double>("Tref", 293.15);
    if (!(reference >= coldest && reference < std::numeric_limits<double>::infinity()))
      entry.fail_entry(
          "Tref", fmt::format("is {}, expected kelvin, from {} on: 20 degrees Celsius are 293.15", reference, coldest));
    result.Su = q20.scaled(1 - alpha * reference);
    result.Sp = q20.scaled(alpha);
  }

 private:
  /// No metal of a cable is measured colder than this, while a Tref in degrees Celsius lies below it [K].
  static constexpr double coldest = 100;
};

[[maybe_unused]] static bool const added =
    add_source<ConductorLosses>("conductorLosses", "losses q20 (1 + alpha (T - Tref)) of a conductor, iterated with T",
                                R"(    q20             VALUE;                      losses at Tref [W/m3]
    alpha           3.93e-3;                    [1/K]
    Tref            293.15;                     [K], from 100 on
)");

}  // namespace tessera::io::foam::source_types
