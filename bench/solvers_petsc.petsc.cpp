// SPDX-License-Identifier: Apache-2.0
// PETSc's conjugate gradients with GAMG on the cables of bench/solvers.sh.
//   solvers_petsc NX NY STEPS [PETSc options]
#include "bench/solvers_cables.hpp"
#include "core/comm/runtime.hpp"

#include <cstdlib>
#include <petscksp.h>

namespace tessera::bench {

int gamg(tests::Cables& cables, int steps) {
  auto const& comm = cables.layout.comm();
  solvers::Heat const heat(cables.properties(), tests::Cables::day);
  auto const& tile = cables.layout.info(0);
  auto const diagonal = heat.matrix().diagonal().host(), west = heat.matrix().face(0).host(),
             south = heat.matrix().face(1).host();
  PetscInt const nx = tile.ni, ny = static_cast<PetscInt>(cables.grid->cells()[1]), n = tile.nj * nx, all = nx * ny;
  Mat a;
  MatCreateAIJ(comm.handle(), n, n, all, all, 5, nullptr, 2, nullptr, &a);
  for (int j = 0; j < tile.nj; ++j)
    for (int i = 0; i < tile.ni; ++i) {
      PetscInt const global_j = static_cast<PetscInt>(tile.j0) + j, row = global_j * nx + i;
      PetscInt columns[5], count = 0;
      double values[5];
      auto const put = [&](bool there, PetscInt column, double value) {
        if (!there) return;
        columns[count] = column;
        values[count++] = value;
      };
      put(global_j > 0, row - nx, -south(0, 0, j, i));
      put(i > 0, row - 1, -west(0, 0, j, i));
      put(true, row, diagonal(0, 0, j, i));
      put(i + 1 < nx, row + 1, -west(0, 0, j, i + 1));
      put(global_j + 1 < ny, row + nx, -south(0, 0, j + 1, i));
      MatSetValues(a, 1, &row, count, columns, values, INSERT_VALUES);
    }
  MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY);
  MatSetOption(a, MAT_SPD, PETSC_TRUE);
  Vec x, b;
  MatCreateVecs(a, &x, &b);
  KSP ksp;
  PC pc;
  KSPCreate(comm.handle(), &ksp);
  KSPSetOperators(ksp, a, a);
  KSPSetType(ksp, KSPCG);
  KSPGetPC(ksp, &pc);
  PCSetType(pc, PCGAMG);
  KSPSetInitialGuessNonzero(ksp, PETSC_TRUE);
  KSPSetNormType(ksp, KSP_NORM_NONE);
  KSPSetFromOptions(ksp);
  comm.barrier();
  double const start = seconds();
  KSPSetUp(ksp);
  PCSetUpOnBlocks(pc);
  comm.barrier();
  Result result{"PETSc GAMG-CG",
                cables.grid->total(),
                seconds() - start,
                0,
                0,
                0,
                0,
                memory(comm) / static_cast<double>(cables.grid->total())};
  auto const copy = [&](Vec v, auto const& view, bool into_vector) {
    double* values;
    VecGetArray(v, &values);
    for (int j = 0; j < tile.nj; ++j)
      for (int i = 0; i < tile.ni; ++i)
        if constexpr (std::is_const_v<std::remove_pointer_t<decltype(view.first)>>)
          values[j * nx + i] = view(0, 0, j, i);
        else if (!into_vector)
          view(0, 0, j, i) = values[j * nx + i];
    VecRestoreArray(v, &values);
  };
  run_peer(
      result, cables, steps,
      [&](core::Field<double> const& right, core::Field<double> const& guess) {
        copy(b, right.host(), true);
        copy(x, guess.host(), true);
      },
      [&](int k) {
        KSPSetTolerances(ksp, 0, 0, 1e50, k);
        KSPSolve(ksp, b, x);
      },
      [&](core::Field<double>& to) { copy(x, to.host(), false); });
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    if (argc < 4) throw core::Error("usage: solvers_petsc NX NY STEPS [PETSc options]");
    core::Count const nx = std::atoi(argv[1]), ny = std::atoi(argv[2]);
    PetscInitialize(&argc, &argv, nullptr, nullptr);
    tests::Cables cables({nx, ny, 1}, bench::one_tile_a_rank(nx, ny, runtime.world().size()), runtime.world());
    int const code = bench::gamg(cables, std::atoi(argv[3]));
    PetscFinalize();
    return code;
  });
}
