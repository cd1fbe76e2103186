# SPDX-License-Identifier: Apache-2.0
# Finds hypre built for MPI and gives HYPRE::HYPRE.
include(FindPackageHandleStandardArgs)
find_path(HYPRE_INCLUDE HYPRE_struct_ls.h PATH_SUFFIXES hypre)
find_library(HYPRE_LIBRARY NAMES HYPRE)
mark_as_advanced(HYPRE_INCLUDE HYPRE_LIBRARY)
find_package_handle_standard_args(HYPRE REQUIRED_VARS HYPRE_LIBRARY HYPRE_INCLUDE)
if(HYPRE_FOUND AND NOT TARGET HYPRE::HYPRE)
  add_library(HYPRE::HYPRE UNKNOWN IMPORTED)
  set_target_properties(HYPRE::HYPRE PROPERTIES IMPORTED_LOCATION ${HYPRE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${HYPRE_INCLUDE})
endif()
