// SPDX-License-Identifier: Apache-2.0
#include "io/foam/sources.hpp"

namespace tessera::io::foam::source_types {

/// fixedTemperatureConstraint: mode uniform; temperature VALUE;
struct FixedTemperature final : SourceType {
  bool holds_cells() const override { return true; }
  void read(SourceEntry const& in, HeatSource& result) const override {
    result.kind = HeatSource::Kind::held;
    result.where = in.dictionary.location("temperature");
    in.dictionary.get_choice("mode", {"uniform"});
    result.value = in.function(in.dictionary, "temperature");
  }
};
/// scalarFixedValueConstraint: fieldValues { T VALUE; }, or of a region { h VALUE; }
struct FixedValue final : SourceType {
  bool holds_cells() const override { return true; }
  void read(SourceEntry const& in, HeatSource& result) const override {
    result.kind = HeatSource::Kind::held;
    core::Dictionary const& values = in.by_field("fieldValues", "VALUE");
    result.where = values.location(in.field);
    result.of_field = true;
    result.value = in.function(values, in.field);
  }
};

[[maybe_unused]] static bool const added =
    add_source<FixedTemperature>("fixedTemperatureConstraint", "cells held at a temperature",
                                 R"(    mode            uniform;
    temperature     VALUE;                      [K]
)") &&
    add_source<FixedValue>(
        "scalarFixedValueConstraint", "cells held at a value",
        "    fieldValues     { T VALUE; }                [K]; in a region { h VALUE; } [J/kg], at which T is h / Cp\n");

}  // namespace tessera::io::foam::source_types
