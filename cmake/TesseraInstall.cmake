# SPDX-License-Identifier: Apache-2.0
# The program, the library, its headers and the package for find_package(Tessera), which plugins are built against.
include(CMakePackageConfigHelpers)

install(TARGETS tessera_all EXPORT TesseraTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tessera_petsc)
  install(TARGETS tessera_petsc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET tessera)
  install(TARGETS tessera RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY io/insitu/pipelines DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera FILES_MATCHING PATTERN "*.py")
foreach(folder core ca solvers partition io run)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  endif()
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/include/core/build.hpp ${PROJECT_BINARY_DIR}/include/core/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/core)

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION ${_package})
configure_package_config_file(cmake/TesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/TesseraConfig.cmake INSTALL_DESTINATION ${_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake cmake/FindKokkos.cmake
  DESTINATION ${_package})
