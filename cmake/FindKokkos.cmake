# SPDX-License-Identifier: Apache-2.0
# Finds Kokkos 3.4 .. 5.x and gives Kokkos::kokkos and the list Kokkos_DEVICES (SERIAL, OPENMP, CUDA ...).
#
# First Kokkos's own package, in Kokkos_ROOT (variable or environment), Kokkos_DIR, CMAKE_PREFIX_PATH or /usr/local.
# Otherwise the Kokkos inside Debian's Trilinos, whose CMake package defines no usable target: header and library are
# taken by their names.
include(FindPackageHandleStandardArgs)

# Kokkos 3.4's version file knows no ranges, and a call without a version would hand on that of this one: the range is
# checked at the end.
foreach(_kokkos_version VERSION VERSION_RANGE VERSION_MIN VERSION_MAX VERSION_COMPLETE)
  if(DEFINED Kokkos_FIND_${_kokkos_version})
    set(_kokkos_${_kokkos_version} ${Kokkos_FIND_${_kokkos_version}})
    unset(Kokkos_FIND_${_kokkos_version})
  endif()
endforeach()

if(NOT TARGET Kokkos::kokkos)
  set(_kokkos_quiet QUIET)
  if(Kokkos_ROOT OR DEFINED ENV{Kokkos_ROOT})
    set(_kokkos_quiet REQUIRED)
  endif()
  find_package(Kokkos CONFIG ${_kokkos_quiet} NO_CMAKE_SYSTEM_PATH NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_PACKAGE_REGISTRY)
  if(NOT TARGET Kokkos::kokkos)
    find_package(Kokkos CONFIG QUIET PATHS /usr/local NO_DEFAULT_PATH)
  endif()
endif()

if(NOT TARGET Kokkos::kokkos)
  find_path(KOKKOS_TRILINOS_INCLUDE Kokkos_Core.hpp PATH_SUFFIXES trilinos)
  find_library(KOKKOS_TRILINOS_LIBRARY NAMES trilinos_kokkoscore)
  mark_as_advanced(KOKKOS_TRILINOS_INCLUDE KOKKOS_TRILINOS_LIBRARY)
  if(KOKKOS_TRILINOS_INCLUDE AND KOKKOS_TRILINOS_LIBRARY)
    add_library(Kokkos::kokkos SHARED IMPORTED)
    set_target_properties(Kokkos::kokkos PROPERTIES
      IMPORTED_LOCATION ${KOKKOS_TRILINOS_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${KOKKOS_TRILINOS_INCLUDE}
      INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
    set(Kokkos_DEVICES)
    file(STRINGS ${KOKKOS_TRILINOS_INCLUDE}/KokkosCore_config.h _kokkos_lines REGEX "^#define KOKKOS_(VERSION|ENABLE_(SERIAL|OPENMP|CUDA))( |$)")
    foreach(_kokkos_line IN LISTS _kokkos_lines)
      if(_kokkos_line MATCHES "KOKKOS_VERSION +([0-9]+)")
        math(EXPR _kokkos_major "${CMAKE_MATCH_1} / 10000")
        math(EXPR _kokkos_minor "${CMAKE_MATCH_1} / 100 % 100")
        math(EXPR _kokkos_patch "${CMAKE_MATCH_1} % 100")
        set(Kokkos_VERSION ${_kokkos_major}.${_kokkos_minor}.${_kokkos_patch})
      elseif(_kokkos_line MATCHES "KOKKOS_ENABLE_([A-Z]+)")
        list(APPEND Kokkos_DEVICES ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endif()
endif()

foreach(_kokkos_version VERSION VERSION_RANGE VERSION_MIN VERSION_MAX VERSION_COMPLETE)
  if(DEFINED _kokkos_${_kokkos_version})
    set(Kokkos_FIND_${_kokkos_version} ${_kokkos_${_kokkos_version}})
  endif()
endforeach()
if(TARGET Kokkos::kokkos)
  set(_kokkos_target Kokkos::kokkos)
endif()
find_package_handle_standard_args(Kokkos REQUIRED_VARS _kokkos_target VERSION_VAR Kokkos_VERSION HANDLE_VERSION_RANGE)
