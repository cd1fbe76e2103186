// SPDX-License-Identifier: Apache-2.0
#pragma once
// Materials given by shapes, where their surfaces cut cells: `interfaces exact;`.
#include "io/foam/drawing.hpp"
#include "solvers/heat.hpp"

#include <optional>
#include <vector>

namespace tessera::run::heat {

/// Conductivities of the faces near which that of the drawing changes. Heat goes from centre to centre through what lies on
/// the straight line between them, so a face of area A conducts
///   G = A / sum_k (l_k / lambda_k),   l_k the exact length in the material k.
/// That is of second order for heat that crosses interfaces at any angle (its ends are where the unknowns are), symmetric,
/// and the harmonic mean where interfaces lie on faces. Where all sections across the axis are alike the materials conduct
/// side by side instead, by their shares of the face: G = A sum_k f_k lambda_k / d.
/// [X.-D. Liu, R. P. Fedkiw, M. Kang, J. Comput. Phys. 160 (2000) 151, extended to any number of materials on a line.]
/// Cost: 10 us a face that is cut.
std::vector<solvers::CutFace> cut_faces(io::foam::Drawing const& conductivity, core::Layout const& layout);

/// Conductivities between the centres of the cells behind a side and their faces on it; none where no surface is near.
std::optional<solvers::FaceValues> cut_side(io::foam::Drawing const& conductivity, core::Grid const& grid,
                                            core::Side side);

/// The mean of the drawing over each own cell that a surface cuts; other cells keep their values. Returns how many.
core::Count fill_means(io::foam::Drawing const& drawing, core::Field<double>& field);

}  // namespace tessera::run::heat
