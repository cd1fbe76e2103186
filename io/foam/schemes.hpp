// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <string>
#include <vector>

namespace tessera::io::foam {

/// What `system/fvSchemes` says about one diffusion equation.
struct Schemes {
  std::string ddt;            ///< Euler | CrankNicolson | backward | steadyState
  double psi = 1;             ///< of CrankNicolson: 0 Euler, 1 Crank-Nicolson
  std::string interpolation;  ///< of the diffusivity to faces: harmonic | linear
  std::string sn_grad;        ///< orthogonal | corrected | uncorrected | limited: one and the same on these grids
  /// For the log: schemes of terms of time and of Laplacians that no equation has, which may be misspelt.
  std::vector<std::string> notes;
};

/// Reads fvSchemes for the equation of `field` with the diffusivity `gamma`: `ddtSchemes` (`ddt(T)`, then `default`)
/// and `laplacianSchemes` (`laplacian(DT,T)`, then `default`): `Gauss harmonic|linear SNGRAD`. Everything else in the
/// file is OpenFOAM's alone, and accepted. `scheme ... default none` counts as missing. `CrankNicolson PSI` with a
/// number from 0 to 1 (1 by default). Throws core::Error with file and line; unsupported schemes are refused by name.
Schemes read_schemes(core::Dictionary& dictionary, std::string const& field, std::string const& gamma);

}  // namespace tessera::io::foam
