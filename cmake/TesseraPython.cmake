# SPDX-License-Identifier: Apache-2.0
# The Python package `tessera`: python/NAME.pybind.cpp as its module _core, beside the files of python/tessera/.
# Of the distribution's Python, whose packages bring pybind11 and NumPy, unless Python3_EXECUTABLE names another.

set(TESSERA_HAVE_PYBIND FALSE)
set(TESSERA_HINT_PYBIND "pybind11-dev python3-dev python3-numpy")
if(NOT TESSERA_PYTHON STREQUAL "OFF")
  if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter Development.Module NumPy)
  set(PYBIND11_NOPYTHON ON)
  find_package(pybind11 2.6 QUIET CONFIG)
  if(Python3_FOUND AND Python3_NumPy_FOUND AND pybind11_FOUND)
    set(TESSERA_HAVE_PYBIND TRUE)
  elseif(TESSERA_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_PYTHON=ON, but Python, NumPy or pybind11 was not found. On Debian or Ubuntu: "
      "apt-get install ${TESSERA_HINT_PYBIND}")
  endif()
endif()

# tessera_python(folder): the package, in build/<preset>/python/tessera and, installed, where that Python looks.
function(tessera_python folder)
  if(NOT TESSERA_HAVE_PYBIND)
    message(STATUS "left out: ${folder}, the Python package (install ${TESSERA_HINT_PYBIND} and reconfigure)")
    add_custom_target(tessera_python)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.pybind.cpp)
  Python3_add_library(tessera_python MODULE WITH_SOABI ${sources})
  target_link_libraries(tessera_python PRIVATE tessera_flags tessera_all pybind11::headers)
  set(place ${PROJECT_BINARY_DIR}/python/tessera)
  set(site lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
  set(TESSERA_PYTHON_DIR ${site} CACHE STRING "where the Python package is installed, below the prefix")
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_PREFIX}/${TESSERA_PYTHON_DIR}/tessera ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(tessera_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${place}
    CXX_VISIBILITY_PRESET hidden INSTALL_RPATH $ORIGIN/${to_lib})
  install(TARGETS tessera_python LIBRARY DESTINATION ${TESSERA_PYTHON_DIR}/tessera)

  file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/tessera/*.py ${PROJECT_SOURCE_DIR}/${folder}/tessera/*.pyi
    ${PROJECT_SOURCE_DIR}/${folder}/tessera/py.typed)
  foreach(module IN LISTS modules)
    get_filename_component(name ${module} NAME)
    configure_file(${module} ${place}/${name} COPYONLY)
  endforeach()
  install(FILES ${modules} DESTINATION ${TESSERA_PYTHON_DIR}/tessera)
  message(STATUS "Python ${Python3_VERSION}, NumPy ${Python3_NumPy_VERSION}, pybind11 ${pybind11_VERSION}: ${Python3_EXECUTABLE}")
endfunction()
