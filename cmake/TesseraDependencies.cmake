# SPDX-License-Identifier: Apache-2.0
# What Tessera stands on. A required package that lacks is named with the Debian package that holds it; an optional one
# sets TESSERA_HAVE_<LIB> and TESSERA_TARGET_<LIB>, and files `name.<lib>.cpp` are left out without it
# (TesseraPlugins.cmake).

function(_tessera_require found what debian)
  if(NOT ${found})
    message(FATAL_ERROR "Tessera needs ${what}. On Debian or Ubuntu: apt-get install ${debian}   (all at once: tools/setup)")
  endif()
endfunction()

set(MPI_CXX_SKIP_MPICXX TRUE)
find_package(MPI QUIET COMPONENTS CXX)
_tessera_require(MPI_CXX_FOUND "MPI" "libopenmpi-dev openmpi-bin")
find_package(Kokkos 3.4...<6 QUIET)
_tessera_require(Kokkos_FOUND "Kokkos 3.4 to 5.x (its own build is given with -DKokkos_ROOT=DIR)" "libtrilinos-kokkos-dev")
find_package(fmt QUIET CONFIG)
_tessera_require(fmt_FOUND "fmt" "libfmt-dev")
find_package(nlohmann_json QUIET CONFIG)
_tessera_require(nlohmann_json_FOUND "nlohmann-json" "nlohmann-json3-dev")
find_package(CLI11 QUIET CONFIG)
_tessera_require(CLI11_FOUND "CLI11" "libcli11-dev")
find_package(Threads REQUIRED)

find_package(Scotch QUIET)
_tessera_require(Scotch_FOUND "Scotch" "libscotch-dev")
find_package(ParallelHDF5 QUIET)
_tessera_require(ParallelHDF5_FOUND "HDF5 built for MPI" "libhdf5-openmpi-dev")
find_package(PNG QUIET)
_tessera_require(PNG_FOUND "libpng" "libpng-dev")
find_package(PkgConfig QUIET)
_tessera_require(PKG_CONFIG_FOUND "pkg-config" "pkg-config")
pkg_check_modules(CAIRO QUIET IMPORTED_TARGET cairo)
_tessera_require(CAIRO_FOUND "Cairo" "libcairo2-dev")
pkg_check_modules(MUPARSER QUIET IMPORTED_TARGET muparser)
_tessera_require(MUPARSER_FOUND "muParser" "libmuparser-dev")
find_package(Eigen3 3.3 QUIET NO_MODULE)
_tessera_require(Eigen3_FOUND "Eigen" "libeigen3-dev")
foreach(pair EIGEN=Eigen3::Eigen SCOTCH=Scotch::scotch HDF5=ParallelHDF5::hdf5 PNG=PNG::PNG CAIRO=PkgConfig::CAIRO MUPARSER=PkgConfig::MUPARSER)
  string(REGEX MATCH "^([A-Z0-9]+)=(.+)$" pair ${pair})
  set(TESSERA_HAVE_${CMAKE_MATCH_1} TRUE)
  set(TESSERA_TARGET_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

# Kokkos: the backend the preset asks for.
string(TOUPPER "${Kokkos_DEVICES}" TESSERA_KOKKOS_DEVICES)
if(NOT TESSERA_BACKEND STREQUAL "AUTO" AND NOT TESSERA_BACKEND IN_LIST TESSERA_KOKKOS_DEVICES)
  message(FATAL_ERROR "TESSERA_BACKEND=${TESSERA_BACKEND}, but the Kokkos found has only: ${TESSERA_KOKKOS_DEVICES}. "
    "Give the one you mean: -DKokkos_ROOT=DIR, or the environment variable Kokkos_ROOT.")
endif()
message(STATUS "Kokkos ${Kokkos_VERSION} (${TESSERA_KOKKOS_DEVICES}), MPI ${MPI_CXX_VERSION}, HDF5 ${ParallelHDF5_VERSION}")

# AUTO | ON | OFF: found or left out with a word.
function(_tessera_optional lib found target debian)
  if(NOT ${found} AND TESSERA_${lib} STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_${lib}=ON, but it was not found. On Debian or Ubuntu: apt-get install ${debian}")
  endif()
  set(TESSERA_HAVE_${lib} ${${found}} PARENT_SCOPE)
  set(TESSERA_TARGET_${lib} "${target}" PARENT_SCOPE)
  set(TESSERA_HINT_${lib} "${debian}" PARENT_SCOPE)
endfunction()

set(PETSC_FOUND FALSE)
if(NOT TESSERA_PETSC STREQUAL "OFF")
  pkg_search_module(PETSC QUIET IMPORTED_TARGET PETSc petsc)
endif()
_tessera_optional(PETSC PETSC_FOUND PkgConfig::PETSC petsc-dev)
# Partitions of large tile graphs, found or left out.
find_package(PTScotch QUIET)
# the instructions of one processor: such a file asks the compiler itself
set(TESSERA_HAVE_AVX512 TRUE)
set(TESSERA_TARGET_AVX512)
set(TESSERA_HAVE_PTSCOTCH ${PTScotch_FOUND})
set(TESSERA_TARGET_PTSCOTCH PTScotch::ptscotch)
set(TESSERA_HINT_PTSCOTCH libptscotch-dev)
# TIFF pictures and stacks, found or left out.
find_package(TIFF QUIET)
set(TESSERA_HAVE_TIFF ${TIFF_FOUND})
set(TESSERA_TARGET_TIFF TIFF::TIFF)
set(TESSERA_HINT_TIFF libtiff-dev)
# OpenFOAM's compressed files, found or left out.
find_package(ZLIB QUIET)
set(TESSERA_HAVE_ZLIB ${ZLIB_FOUND})
set(TESSERA_TARGET_ZLIB ZLIB::ZLIB)
set(TESSERA_HINT_ZLIB zlib1g-dev)
# Checkpoints in memory, found or left out. Older packages bring no .pc file.
find_path(ISAL_INCLUDE isa-l/erasure_code.h)
find_library(ISAL_LIBRARY isal)
mark_as_advanced(ISAL_INCLUDE ISAL_LIBRARY)
set(TESSERA_HAVE_ISAL FALSE)
if(ISAL_INCLUDE AND ISAL_LIBRARY)
  set(TESSERA_HAVE_ISAL TRUE)
endif()
set(TESSERA_TARGET_ISAL ${ISAL_LIBRARY})
set(TESSERA_HINT_ISAL libisal-dev)
# ParaView is looked for in cmake/catalyst, where its imported targets stay among themselves.

# Peers in bench/ only.
if(TESSERA_BENCH)
  find_package(HYPRE QUIET)
  set(TESSERA_HAVE_HYPRE ${HYPRE_FOUND})
  set(TESSERA_TARGET_HYPRE HYPRE::HYPRE)
  set(TESSERA_HINT_HYPRE libhypre-dev)
  find_package(OpenCV QUIET COMPONENTS core imgproc)
  set(TESSERA_HAVE_OPENCV ${OpenCV_FOUND})
  set(TESSERA_TARGET_OPENCV opencv_core opencv_imgproc)
  set(TESSERA_HINT_OPENCV libopencv-dev)
  find_path(TESSERA_BOOST_GRAPH boost/graph/biconnected_components.hpp)
  set(TESSERA_HAVE_BOOST ${TESSERA_BOOST_GRAPH})  # headers only
  set(TESSERA_TARGET_BOOST "")
  set(TESSERA_HINT_BOOST libboost-graph-dev)
endif()
