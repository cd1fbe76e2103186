// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tessera::tests {

/// The cable of CIGRE TB 880, case 0, as a type `C`: 132 kV, 630 mm2 copper, aluminium sheath.
inline std::string const tb880_cable = R"(
C { conductor { diameter 30.3e-3; material copper; R20 2.83e-5; }
    layers ( { name conductorScreen; thickness 1.5e-3; material semiconductor; }
             { name insulation; thickness 15.5e-3; material XLPE; }
             { name insulationScreen; thickness 1.3e-3; material semiconductor; }
             { name sheath; thickness 0.8e-3; material aluminium; }
             { name oversheath; thickness 3.5e-3; material PE; } );
    voltage 132e3; limit 90; }
)";

}  // namespace tessera::tests
