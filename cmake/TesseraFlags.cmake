# SPDX-License-Identifier: Apache-2.0
# Compiler flags of everything that is ours, in the target tessera_flags.
#
# No contraction of a * b + c to a fused multiply-add: a compiler contracts where it sees fit, so that a cell in the
# vectorised part of a loop and one in its rest, or a CPU and a GPU, would differ in the last bit. For the same reason
# never -ffast-math.
add_library(tessera_flags INTERFACE)
set(TESSERA_SAME_BITS -ffp-contract=off)
if(CUDA IN_LIST TESSERA_KOKKOS_DEVICES)
  list(APPEND TESSERA_SAME_BITS --fmad=false)
  # fmt 9 and nvcc disagree about constexpr; Eigen is for the host alone
  target_compile_definitions(tessera_flags INTERFACE FMT_USE_CONSTEXPR=1 FMT_CONSTEVAL= EIGEN_NO_CUDA)
endif()
set(TESSERA_FAST -fno-math-errno -fno-trapping-math)
set(TESSERA_PROCESSOR $<$<BOOL:${TESSERA_NATIVE}>:-march=native>)
target_compile_options(tessera_flags INTERFACE ${TESSERA_SAME_BITS} ${TESSERA_FAST} -Wall -Wextra
  ${TESSERA_PROCESSOR} $<$<BOOL:${TESSERA_WERROR}>:-Werror>)

# GCC 12 warns of overlapping copies inside std::string where there are none (GCC bug 105651).
target_compile_options(tessera_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Where headers of the system are precompiled, or preprocessed by nvcc, it sees them as ours, and such copies overflow.
if(TESSERA_UNITY OR CUDA IN_LIST TESSERA_KOKKOS_DEVICES)
  target_compile_options(tessera_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
endif()
# Where files are compiled several at a time, g++ would go through a gigabyte of its own again and again for what it may forget: an
# eighth of its time, for a fifth more memory.
if(TESSERA_UNITY AND NOT CUDA IN_LIST TESSERA_KOKKOS_DEVICES)
  target_compile_options(tessera_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1500000>)
endif()
# Vectors wider than the processor's registers are handed over within one translation unit only.
target_compile_options(tessera_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)

# The program finds its library beside it, in the build tree and when installed.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
file(RELATIVE_PATH _to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN $ORIGIN/${_to_lib})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
