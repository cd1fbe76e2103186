# SPDX-License-Identifier: Apache-2.0
# The floors, the library made of them, the program and the benchmarks. Files are found by their place, never listed.

# tessera_sources(out folder target): the .cpp files under the folder (and its subfolders). A file `name.<lib>.cpp` is
# taken only if the library was found, and the target is linked to it; otherwise a message says that it is left out.
function(_tessera_sources out folder)
  file(GLOB_RECURSE files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  set(taken)
  set(libraries)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    if(name MATCHES "^[^.]+\\.([a-z0-9]+)\\.cpp$")
      string(TOUPPER ${CMAKE_MATCH_1} lib)
      if(lib MATCHES "^(CATALYST|CATALYST2|MODULE)$")
        continue()  # modules of their own, tessera_library
      elseif(NOT TESSERA_HAVE_${lib})
        message(STATUS "left out: ${file} (no ${CMAKE_MATCH_1}: install ${TESSERA_HINT_${lib}} and reconfigure)")
        continue()
      elseif(lib STREQUAL "PETSC")
        continue()  # a module of its own, tessera_petsc_module
      endif()
      list(APPEND libraries ${TESSERA_TARGET_${lib}})
    endif()
    list(APPEND taken ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  set(${out} ${taken} PARENT_SCOPE)
  set(${out}_libraries ${libraries} PARENT_SCOPE)
endfunction()

# tessera_unity(target sources...): with TESSERA_UNITY, files are compiled several at a time, so that what they all
# include is read once. They are dealt out like cards, folder by folder, to as many units as the largest folder has files:
# plugins of one folder, which may use the same names, never meet. Files with intrinsics stay alone.
function(_tessera_unity target)
  if(NOT TESSERA_UNITY)
    return()
  endif()
  list(FILTER ARGN EXCLUDE REGEX "\\.avx512\\.cpp$")
  set(folders)
  set(units 1)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    list(APPEND folders ${folder})
    list(APPEND of_${folder} ${source})
    list(LENGTH of_${folder} size)
    if(size GREATER units)
      set(units ${size})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(dealt 0)
  foreach(folder IN LISTS folders)
    foreach(source IN LISTS of_${folder})
      math(EXPR unit "${dealt} % ${units}")
      math(EXPR dealt "${dealt} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # a file's own types, in classes of that file, look to GCC as if a header had them
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# tessera_precompiled(target options): where files are compiled several at a time, what most of them include of others' headers is
# compiled once, with the first of all targets that have the compiler options of that name. nvcc knows no such headers.
function(tessera_precompiled target options)
  if(NOT TESSERA_UNITY OR CUDA IN_LIST TESSERA_KOKKOS_DEVICES)
    return()
  endif()
  get_property(first GLOBAL PROPERTY TESSERA_PRECOMPILED_${options})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY TESSERA_PRECOMPILED_${options} ${target})
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <charconv> <chrono> <cmath> <cstring> <filesystem> <fstream> <functional>
    <limits> <map> <memory> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <utility> <vector> <fmt/format.h>
    <nlohmann/json.hpp> <Kokkos_Core.hpp>)
endfunction()

set(TESSERA_PUBLIC_LIBRARIES Kokkos::kokkos MPI::MPI_CXX fmt::fmt nlohmann_json::nlohmann_json)
set_property(GLOBAL PROPERTY TESSERA_FLOORS)
set_property(GLOBAL PROPERTY TESSERA_FOREIGN)

# tessera_floor(folder): all sources of a floor as the OBJECT library tessera_<folder>.
function(tessera_floor folder)
  _tessera_sources(sources ${folder})
  if(NOT sources)
    return()
  endif()
  add_library(tessera_${folder} OBJECT ${sources})
  target_include_directories(tessera_${folder} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(tessera_${folder} PRIVATE tessera_flags ${TESSERA_PUBLIC_LIBRARIES} ${sources_libraries} ${CMAKE_DL_LIBS} Threads::Threads)
  _tessera_unity(tessera_${folder} ${sources})
  tessera_precompiled(tessera_${folder} library)
  set_property(GLOBAL APPEND PROPERTY TESSERA_FLOORS tessera_${folder})
  set_property(GLOBAL APPEND PROPERTY TESSERA_FOREIGN ${sources_libraries})
endfunction()

# libtessera.so. Static objects register the plugins, so a user of the library must load it even where it names no
# symbol of it:
# --no-as-needed goes with the target.
function(tessera_library)
  get_property(floors GLOBAL PROPERTY TESSERA_FLOORS)
  get_property(foreign GLOBAL PROPERTY TESSERA_FOREIGN)
  add_library(tessera_all SHARED)
  add_library(Tessera::tessera ALIAS tessera_all)
  foreach(floor IN LISTS floors)
    target_sources(tessera_all PRIVATE $<TARGET_OBJECTS:${floor}>)
  endforeach()
  set_target_properties(tessera_all PROPERTIES OUTPUT_NAME tessera EXPORT_NAME tessera LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} VERSION ${PROJECT_VERSION})
  target_compile_features(tessera_all PUBLIC cxx_std_20)
  target_compile_options(tessera_all INTERFACE ${TESSERA_SAME_BITS})
  # A plugin outside the tree is compiled as one inside: a rule is a template of ours, and its loops run in the plugin. What
  # optimises comes with the target where the plugin's project names no build type.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(optimisation NATIVE_COMMAND "${CMAKE_CXX_FLAGS_${build_type}}")
  target_compile_options(tessera_all INTERFACE
    "$<INSTALL_INTERFACE:${TESSERA_FAST};${TESSERA_PROCESSOR};$<$<NOT:$<BOOL:$<CONFIG>>>:${optimisation}>>")
  target_include_directories(tessera_all PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>)
  target_link_libraries(tessera_all PUBLIC ${TESSERA_PUBLIC_LIBRARIES} PRIVATE ${foreign} ${CMAKE_DL_LIBS} Threads::Threads)
  target_link_options(tessera_all INTERFACE LINKER:--no-as-needed)

  # The modules that the program opens at run time. NAME.module.cpp needs no library of others.
  add_custom_target(tessera_modules ALL)
  file(GLOB_RECURSE modules RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/io/*.module.cpp)
  foreach(source IN LISTS modules)
    tessera_module(${source} tessera_flags MPI::MPI_CXX)
  endforeach()
  file(GLOB_RECURSE catalyst_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/io/*.catalyst.cpp)
  if(catalyst_sources AND NOT TESSERA_CATALYST STREQUAL "OFF")
    add_subdirectory(${PROJECT_SOURCE_DIR}/cmake/catalyst ${PROJECT_BINARY_DIR}/catalyst)
  endif()
  file(GLOB_RECURSE catalyst2_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/io/*.catalyst2.cpp)
  if(catalyst2_sources AND NOT TESSERA_CATALYST STREQUAL "OFF")
    add_subdirectory(${PROJECT_SOURCE_DIR}/cmake/catalyst2 ${PROJECT_BINARY_DIR}/catalyst2)
  endif()

  # ParaView's scripts that come with the program lie beside the library as they do when installed.
  file(GLOB pipelines CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/io/insitu/pipelines/*.py)
  foreach(pipeline IN LISTS pipelines)
    get_filename_component(name ${pipeline} NAME)
    configure_file(${pipeline} ${PROJECT_BINARY_DIR}/share/tessera/pipelines/${name} COPYONLY)
  endforeach()
endfunction()

# tessera_module(source libraries...): <floor>/<folder>/<name>.<lib>.cpp as lib/libtessera_<folder>_<name>.so, which the
# program opens with dlopen when a case asks for it.
function(tessera_module source)
  string(REGEX REPLACE "^.*/([^/]+)/([^/.]+)\\.[a-z0-9]+\\.cpp$" "tessera_\\1_\\2" module ${source})
  add_library(${module} MODULE ${PROJECT_SOURCE_DIR}/${source})
  target_include_directories(${module} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(${module} PRIVATE ${ARGN})
  set_target_properties(${module} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  add_dependencies(tessera_modules ${module})
  install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  message(STATUS "module: ${module}")
endfunction()

# libtessera_petsc.so, beside libtessera.so: PETSc's solvers, opened when a case names them. PETSc brings some seventy
# libraries, which nobody else should wait for.
function(tessera_petsc_module folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.petsc.cpp)
  if(NOT TESSERA_HAVE_PETSC OR NOT sources)
    return()
  endif()
  add_library(tessera_petsc MODULE ${sources})
  target_link_libraries(tessera_petsc PRIVATE tessera_flags tessera_all ${TESSERA_TARGET_PETSC})
  set_target_properties(tessera_petsc PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  add_dependencies(tessera_modules tessera_petsc)
endfunction()

# tessera_program(folder): main.cpp and the rest of the folder, the rest as the OBJECT library tessera_tools that tests
# link, too.
function(tessera_program folder)
  _tessera_sources(sources ${folder})
  set(main ${PROJECT_SOURCE_DIR}/${folder}/main.cpp)
  if(NOT EXISTS ${main})
    message(STATUS "left out: the program (no ${folder}/main.cpp)")
    return()
  endif()
  list(REMOVE_ITEM sources ${main})
  add_executable(tessera ${main})
  target_link_libraries(tessera PRIVATE tessera_flags tessera_all CLI11::CLI11 Threads::Threads)
  if(TARGET tessera_petsc)
    add_dependencies(tessera tessera_petsc)
  endif()
  if(sources)
    add_library(tessera_tools OBJECT ${sources})
    _tessera_unity(tessera_tools ${sources})
    tessera_precompiled(tessera_tools library)
    target_link_libraries(tessera_tools PRIVATE tessera_flags tessera_all CLI11::CLI11 ${sources_libraries})
    target_sources(tessera PRIVATE $<TARGET_OBJECTS:tessera_tools>)
    target_link_libraries(tessera PRIVATE ${sources_libraries})
  endif()
  set_target_properties(tessera PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} ENABLE_EXPORTS ON)
endfunction()

# tessera_benches(folder): one executable bench/<name> a file.
function(tessera_benches folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    set(library)
    if(file MATCHES "/[^./]+\\.([a-z0-9]+)\\.cpp$")
      string(TOUPPER ${CMAKE_MATCH_1} lib)
      if(NOT TESSERA_HAVE_${lib})
        message(STATUS "left out: bench/${name} (no ${CMAKE_MATCH_1}: install ${TESSERA_HINT_${lib}} and reconfigure)")
        continue()
      endif()
      set(library ${TESSERA_TARGET_${lib}})
    endif()
    add_executable(bench_${name} ${file})
    target_compile_definitions(bench_${name} PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(bench_${name} PRIVATE tessera_flags tessera_all CLI11::CLI11 ${library})
    if(TARGET tessera_tools)
      target_sources(bench_${name} PRIVATE $<TARGET_OBJECTS:tessera_tools>)
    endif()
    set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench OUTPUT_NAME ${name})
  endforeach()
endfunction()
