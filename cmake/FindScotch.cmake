# SPDX-License-Identifier: Apache-2.0
# Finds the sequential Scotch and gives Scotch::scotch.
include(FindPackageHandleStandardArgs)
find_path(SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch scotch-int64 scotch-int32)
find_library(SCOTCH_LIBRARY NAMES scotch)
find_library(SCOTCH_ERROR_LIBRARY NAMES scotcherr)
mark_as_advanced(SCOTCH_INCLUDE SCOTCH_LIBRARY SCOTCH_ERROR_LIBRARY)
find_package_handle_standard_args(Scotch REQUIRED_VARS SCOTCH_LIBRARY SCOTCH_ERROR_LIBRARY SCOTCH_INCLUDE)
if(Scotch_FOUND AND NOT TARGET Scotch::scotch)
  add_library(Scotch::scotch UNKNOWN IMPORTED)
  set_target_properties(Scotch::scotch PROPERTIES
    IMPORTED_LOCATION ${SCOTCH_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SCOTCH_INCLUDE}
    INTERFACE_LINK_LIBRARIES ${SCOTCH_ERROR_LIBRARY})
endif()
