# SPDX-License-Identifier: Apache-2.0
# Finds PT-Scotch, Scotch's library for graphs that lie on all ranks, and gives PTScotch::ptscotch.
include(FindPackageHandleStandardArgs)
find_path(PTSCOTCH_INCLUDE ptscotch.h PATH_SUFFIXES scotch scotch-int64 scotch-int32)
find_library(PTSCOTCH_LIBRARY NAMES ptscotch)
find_library(PTSCOTCH_ERROR_LIBRARY NAMES ptscotcherr)
mark_as_advanced(PTSCOTCH_INCLUDE PTSCOTCH_LIBRARY PTSCOTCH_ERROR_LIBRARY)
find_package_handle_standard_args(PTScotch REQUIRED_VARS PTSCOTCH_LIBRARY PTSCOTCH_ERROR_LIBRARY PTSCOTCH_INCLUDE)
if(PTScotch_FOUND AND NOT TARGET PTScotch::ptscotch)
  add_library(PTScotch::ptscotch UNKNOWN IMPORTED)
  set_target_properties(PTScotch::ptscotch PROPERTIES
    IMPORTED_LOCATION ${PTSCOTCH_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${PTSCOTCH_INCLUDE}
    INTERFACE_LINK_LIBRARIES ${PTSCOTCH_ERROR_LIBRARY})
endif()
