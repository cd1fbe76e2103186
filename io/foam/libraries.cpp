// SPDX-License-Identifier: Apache-2.0
#include "io/foam/libraries.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace tessera::io::foam {
namespace {

/// Libraries of OpenFOAM v1912, and some of later ones, without "lib" and ".so".
constexpr std::string_view known =
    " "
    "adjointOptimisation alphaFieldFunctions atmosphericModels barotropicCompressibilityModel blockMesh cfMesh "
    "chemistryModel coalCombustion combustionModels compressibleEulerianInterfacialModels "
    "compressibleMultiphaseEulerianInterfacialModels compressibleMultiphaseSystem "
    "CompressibleMultiPhaseTurbulenceModels compressibleTools compressibleTransportModels "
    "compressibleTurbulenceModels CompressibleTwoPhaseMixtureTurbulenceModels compressibleTwoPhaseSystem "
    "conversion decompose decompositionMethods distributed distributionModels DPMTurbulenceModels "
    "driftFluxRelativeVelocityModels driftFluxTransportModels DSMC dynamicFvMesh dynamicMesh engine "
    "extrude2DMesh extrudeModel fieldFunctionObjects fileFormats finiteArea finiteVolume "
    "fluidThermophysicalModels forces fvAgglomerationMethods fvMotionSolvers fvOptions genericPatchFields "
    "geometricVoF helpTypes immiscibleIncompressibleTwoPhaseMixture incompressibleMultiphaseSystems "
    "IncompressibleMultiphaseSystems incompressibleTransportModels incompressibleTurbulenceModels "
    "initialisationFunctionObjects interfaceProperties interfaceTrackingFvMesh kahipDecomp lagrangian "
    "lagrangianCoalCombustion lagrangianFunctionObjects lagrangianIntermediate lagrangianSpray "
    "lagrangianTurbulence laminarFlameSpeedModels laserDTRM liquidPropertiesFvPatchFields lumpedPointMotion "
    "massTransferModels meshLibrary meshTools metisDecomp MGridGen molecularMeasurements molecule "
    "multiphaseEuler multiphaseInterSystem multiphaseMixtureThermo multiphaseReactingTurbulenceModels "
    "multiphaseSystem ODE overset pairPatchAgglomeration phaseChangeTwoPhaseMixtures "
    "phaseCompressibleTurbulenceModels phaseSystem phaseTemperatureChangeTwoPhaseMixtures potential Pstream "
    "ptscotchDecomp pyrolysisModels radiationModels randomProcesses randomProcessesFunctionObjects "
    "reactingEulerianFvPatchFields reactingEulerianInterfacialCompositionModels "
    "reactingEulerianInterfacialModels reactingMultiphaseSystem reactingPhaseSystem reactingTwoPhaseSystem "
    "reactionThermophysicalModels reconstruct regionCoupling regionModels renumberMethods rigidBodyDynamics "
    "rigidBodyMeshMotion runTimePostProcessing sampling scotchDecomp semiPermeableBaffle "
    "setTimeStepFunctionObject simplifiedTools sixDoFRigidBodyMotion sixDoFRigidBodyState SLGThermo "
    "SloanRenumber snappyHexMesh solidChemistryModel solidParticle solidSpecie solidThermo solverFunctionObjects "
    "specie surfaceFeatureExtract surfaceFilmDerivedFvPatchFields surfaceFilmModels surfaceInterpolationScheme "
    "surfMesh tabulatedWallFunctions thermalBaffleModels thermophysicalProperties thermoTools topoChangerFvMesh "
    "transportModels turbulenceModels turbulenceModelSchemes twoPhaseMixture twoPhaseMixtureThermo "
    "twoPhaseProperties twoPhaseReactingTurbulenceModels twoPhaseSurfaceTension utilityFunctionObjects "
    "viewFactor VoFphaseCompressibleTurbulenceModels waveModels waves zoltanRenumber ";

}  // namespace

std::vector<std::string> library_names(core::Dictionary const& dictionary) {
  auto in = dictionary.stream("libs");
  auto names = in.at('(') ? in.read<std::vector<std::string>>() : std::vector{in.read<std::string>()};
  in.end();
  return names;
}

bool is_openfoam_library(std::string const& name) {
  if (name.empty() || name.find('/') != std::string::npos) return false;
  std::string_view stem = name;
  if (stem.ends_with(".so")) stem.remove_suffix(3);
  if (stem.starts_with("lib")) stem.remove_prefix(3);
  if (stem.find("Foam") != stem.npos || stem.find("FOAM") != stem.npos) return true;
  if (!stem.empty() && known.find(" " + std::string(stem) + " ") != known.npos) return true;
  for (char const* folder : {"FOAM_LIBBIN", "FOAM_SITE_LIBBIN", "FOAM_USER_LIBBIN"}) {
    char const* const place = std::getenv(folder);
    std::error_code none;
    if (place != nullptr && *place != '\0' &&
        std::filesystem::exists(std::filesystem::path(place) / ("lib" + std::string(stem) + ".so"), none))
      return true;
  }
  return false;
}

}  // namespace tessera::io::foam
