# SPDX-License-Identifier: Apache-2.0
# Tests are found by their names: tests/<kind>/<folder>_<unit>_test.cpp, tests/script/<name>.sh and
# cases/<theme>/<name>/expect.
find_package(GTest QUIET)
if(NOT TARGET GTest::gtest)
  message(FATAL_ERROR "The tests need GoogleTest. On Debian or Ubuntu: apt-get install libgtest-dev   (or -DTESSERA_TESTS=OFF)")
endif()

# Any number of ranks on any machine, also as root in a container; harmless where MPI is not Open MPI. All ranks are on this
# machine: mpirun need not look for networks, nor for GPUs behind the X servers that other tests start and end.
set(_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_pml=ob1 HWLOC_COMPONENTS=-gl
  OMPI_MCA_mpi_yield_when_idle=1
  OMP_PROC_BIND=false
  TESSERA=${PROJECT_BINARY_DIR}/tessera SOURCE=${PROJECT_SOURCE_DIR} BUILD=${PROJECT_BINARY_DIR} MPIEXEC=${MPIEXEC_EXECUTABLE}
  PYTHON=${Python3_EXECUTABLE})
if(OPENMP IN_LIST TESSERA_KOKKOS_DEVICES)
  # two threads a rank; ranks times threads may be more than cores
  list(APPEND _environment OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive)
endif()

# Tests of one program write thousands of small files, and runs see to it that theirs are on the disk: in memory, where there is
# room for them, that takes no time.
set(_memory)
if(NOT DEFINED ENV{TMPDIR} AND EXISTS /proc/mounts)
  execute_process(COMMAND df -k --output=avail /dev/shm OUTPUT_VARIABLE room ERROR_QUIET)
  file(STRINGS /proc/mounts unfit REGEX " /dev/shm .*noexec")
  if("${room}" MATCHES "([0-9]+)" AND CMAKE_MATCH_1 GREATER 4000000 AND NOT unfit)
    set(_memory TMPDIR=/dev/shm)
  endif()
endif()

function(_tessera_test_properties name labels ranks)
  set(scratch ${PROJECT_BINARY_DIR}/tests/scratch/${name})
  file(MAKE_DIRECTORY ${scratch})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" PROCESSORS ${ranks}
    ENVIRONMENT "${_environment}" WORKING_DIRECTORY ${scratch})
endfunction()

# tessera_tests(kind LABELS ... RANKS ...): one executable <kind>_<folder> for all tests/<kind>/<folder>_*_test.cpp, and
# one ctest <kind>.<folder>.<ranks> for each number of ranks (one rank is started without mpirun). The target tests_of_<kind>
# builds them. Kernels are tested as they are compiled for users; tests of floors without any are optimised less, which takes
# two thirds of the time. The target tests_of_kernels builds the unit and mpi tests of the others.
set(_without_kernels io partition run tools)
add_custom_target(tests_of_kernels)
function(tessera_tests kind)
  cmake_parse_arguments(arg "" "" "LABELS;RANKS" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${kind}/*_test.cpp)
  set(folders)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "_.*$" "" folder ${name})
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${file})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  add_custom_target(tests_of_${kind})
  foreach(folder IN LISTS folders)
    set(target ${kind}_${folder})
    add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/main.cpp ${files_${folder}})
    target_link_libraries(${target} PRIVATE tessera_flags tessera_all GTest::gtest Threads::Threads)
    target_compile_definitions(${target} PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(tests_of_${kind} ${target})
    set(options tests)
    if(folder IN_LIST _without_kernels)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
      set(options tests_without_kernels)
    elseif(kind MATCHES "unit|mpi")
      add_dependencies(tests_of_kernels ${target})
    endif()
    tessera_precompiled(${target} ${options})
    if(folder STREQUAL "solvers" AND TARGET tessera_petsc)
      add_dependencies(${target} tessera_petsc)
    endif()
    if(folder STREQUAL "io")
      add_dependencies(${target} tessera_modules)
      # a stand-in for libcatalyst, so that the module for it is tested everywhere
      target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/catalyst_stub)
    endif()
    if(folder STREQUAL "tools" AND TARGET tessera_tools)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:tessera_tools>)
      target_link_libraries(${target} PRIVATE CLI11::CLI11)
    endif()
    if(TESSERA_UNITY)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    foreach(ranks IN LISTS arg_RANKS)
      set(name ${kind}.${folder}.${ranks})
      if(ranks EQUAL 1)
        add_test(NAME ${name} COMMAND ${target})
      else()
        add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${target}>)
      endif()
      _tessera_test_properties(${name} "${arg_LABELS}" ${ranks})
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${_memory})
    endforeach()
  endforeach()
endfunction()

tessera_tests(unit LABELS unit fast RANKS 1)
# what processors without wide vectors compute
add_test(NAME unit.ca.portable COMMAND unit_ca)
_tessera_test_properties(unit.ca.portable "unit;fast" 1)
set_property(TEST unit.ca.portable APPEND PROPERTY ENVIRONMENT TESSERA_KERNELS=portable)
# files for wide vectors ask the compiler for them: they must compile whatever processor the rest is compiled for
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  file(GLOB_RECURSE wide CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ca/*.avx512.cpp ${PROJECT_SOURCE_DIR}/solvers/*.avx512.cpp)
  add_library(wide_files_for_any_processor OBJECT ${wide})
  target_link_libraries(wide_files_for_any_processor PRIVATE tessera_all)
  target_compile_options(wide_files_for_any_processor PRIVATE ${TESSERA_SAME_BITS} ${TESSERA_FAST} -Wall -Wextra -march=x86-64)
endif()
tessera_tests(mpi LABELS mpi RANKS 1 2 3 4)
# The dearest ratings solve thousands of small systems: they are for one rank and for three. The fenced build, where each kernel closes
# and opens all pages, has one rating, FollowsKennellyForACableAlone. HashLife has no memory of kernels.
set(dear "CableRatingInTime.*:CableRatingDrying.*:CableRatingHistory.Leaves*:CableRatingHistory.Remembers*:CableRating.TellsWhatTheGroundBrings:CableRating.FindsTheCurrentThatDriesTheGround")
set(without_ratings 2 4)
if(TESSERA_FENCED)
  set(without_ratings 1 2 3 4)
  set(dear "CableRatingInTime.*:CableRatingDrying.*:CableRatingHistory.*:CableRatingExamples.*:CableTrough.*:CableRating.FollowsTheTwo*:CableRating.Finds*")
  foreach(letter C H R S T)
    string(APPEND dear ":CableRating.${letter}*")
  endforeach()
  foreach(ranks 1 2 3 4)
    set_property(TEST mpi.ca.${ranks} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=-HashPlane.*")
  endforeach()
endif()
foreach(ranks IN LISTS without_ratings)
  set_property(TEST mpi.run.${ranks} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=-${dear}")
endforeach()
add_test(NAME mpi.ca.portable COMMAND mpi_ca --gtest_filter=LatticeBoltzmann.*)
_tessera_test_properties(mpi.ca.portable mpi 1)
set_property(TEST mpi.ca.portable APPEND PROPERTY ENVIRONMENT TESSERA_KERNELS=portable)
# four ranks as on two nodes of two: halos and sums go by shared memory and by messages in one run
foreach(folder core ca solvers)
  set_property(TEST mpi.${folder}.4 APPEND PROPERTY ENVIRONMENT TESSERA_NODES=0,0,1,1)
endforeach()
tessera_tests(contract LABELS contract RANKS 1 2)
tessera_tests(convergence LABELS convergence RANKS 1)
set_tests_properties(convergence.ca.1 PROPERTIES COST 100)  # the longest: begins first

# tests/script/<name>.sh, started by bash with the environment above in an empty folder.
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/script/*.sh)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME script.${name} COMMAND bash ${script})
  set(labels script)
  if(name STREQUAL "floors")
    list(APPEND labels fast)
  endif()
  if(name STREQUAL "hosts")
    list(APPEND labels hosts)
  endif()
  # they wait more than they compute: started early, beside others
  _tessera_test_properties(script.${name} "${labels}" 1)
  if(name STREQUAL "balance")  # measures how fast ranks are
    set_tests_properties(script.${name} PROPERTIES PROCESSORS 2)
  endif()
  # a script that lacks a program (ParaView, a display) says so and ends with 77
  set_tests_properties(script.${name} PROPERTIES SKIP_RETURN_CODE 77 COST 20)
endforeach()

# Each case is its own regression test; run_case.sh runs it on one and on several ranks.
file(GLOB expectations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cases/*/*/expect)
foreach(expectation IN LISTS expectations)
  get_filename_component(case ${expectation} DIRECTORY)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/cases ${case})
  string(REPLACE "/" "." name case.${name})
  add_test(NAME ${name} COMMAND bash ${PROJECT_SOURCE_DIR}/tests/run_case.sh ${case})
  _tessera_test_properties(${name} case 1)
endforeach()
