// SPDX-License-Identifier: Apache-2.0
// hypre's solvers on the cables of bench/solvers.sh: conjugate gradients with PFMG in its two best settings, and with
// BoomerAMG (HMIS, extended+i, l1-Gauss-Seidel).
//   solvers_hypre NX NY STEPS pfmg1|pfmg2|boomer
#include "bench/solvers_cables.hpp"
#include "core/comm/runtime.hpp"

#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <cstdlib>
#include <utility>

namespace tessera::bench {

/// Coefficients of the rank's tile, row after row.
struct Rows {
  explicit Rows(solvers::StencilMatrix const& matrix)
      : layout(matrix.layout()),
        tile(layout.info(0)),
        diagonal(matrix.diagonal().host()),
        west(matrix.face(0).host()),
        south(matrix.face(1).host()) {}
  template <class F>
  void for_each(F const& f) const {
    for (int j = 0; j < tile.nj; ++j)
      for (int i = 0; i < tile.ni; ++i) f(j, i);
  }
  void values(core::Field<double> const& from, std::vector<double>& to) const {
    auto const v = from.host();
    to.clear();
    for_each([&](int j, int i) { to.push_back(v(0, 0, j, i)); });
  }
  void values(std::vector<double> const& from, core::Field<double>& to) const {
    auto const v = to.host();
    std::size_t n = 0;
    for_each([&](int j, int i) { v(0, 0, j, i) = from[n++]; });
  }
  core::Layout const& layout;
  core::TileInfo tile;
  core::FieldView<double const> diagonal, west, south;
};

int pfmg(tests::Cables& cables, int steps, bool red_black) {
  auto const& comm = cables.layout.comm();
  solvers::Heat const heat(cables.properties(), tests::Cables::day);
  Rows const rows(heat.matrix());
  int lo[2] = {0, static_cast<int>(rows.tile.j0)},
      hi[2] = {rows.tile.ni - 1, static_cast<int>(rows.tile.j0) + rows.tile.nj - 1};
  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(comm.handle(), 2, &grid);
  HYPRE_StructGridSetExtents(grid, lo, hi);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencil stencil;
  HYPRE_StructStencilCreate(2, 3, &stencil);
  int offsets[3][2] = {{0, 0}, {-1, 0}, {0, -1}};
  for (int e = 0; e < 3; ++e) HYPRE_StructStencilSetElement(stencil, e, offsets[e]);
  HYPRE_StructMatrix a;
  HYPRE_StructMatrixCreate(comm.handle(), grid, stencil, &a);
  HYPRE_StructMatrixSetSymmetric(a, 1);
  HYPRE_StructMatrixInitialize(a);
  std::vector<double> values;
  rows.for_each([&](int j, int i) {
    values.push_back(rows.diagonal(0, 0, j, i));
    values.push_back(-rows.west(0, 0, j, i));
    values.push_back(-rows.south(0, 0, j, i));
  });
  int entries[3] = {0, 1, 2};
  HYPRE_StructMatrixSetBoxValues(a, lo, hi, 3, entries, values.data());
  HYPRE_StructMatrixAssemble(a);
  HYPRE_StructVector b, x;
  for (auto* v : {&b, &x}) {
    HYPRE_StructVectorCreate(comm.handle(), grid, v);
    HYPRE_StructVectorInitialize(*v);
    HYPRE_StructVectorAssemble(*v);
  }
  HYPRE_StructSolver pcg, multigrid;
  HYPRE_StructPCGCreate(comm.handle(), &pcg);
  HYPRE_StructPCGSetTol(pcg, 0);
  HYPRE_StructPCGSetTwoNorm(pcg, 1);
  HYPRE_StructPFMGCreate(comm.handle(), &multigrid);
  HYPRE_StructPFMGSetMaxIter(multigrid, 1);
  HYPRE_StructPFMGSetTol(multigrid, 0);
  HYPRE_StructPFMGSetZeroGuess(multigrid);
  HYPRE_StructPFMGSetRAPType(multigrid, 0);
  HYPRE_StructPFMGSetRelaxType(multigrid, red_black ? 2 : 1);
  HYPRE_StructPFMGSetSkipRelax(multigrid, red_black ? 0 : 1);
  HYPRE_StructPCGSetPrecond(pcg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, multigrid);
  HYPRE_StructPCGSetMaxIter(pcg, 1);
  comm.barrier();
  double const start = seconds();
  HYPRE_StructPCGSetup(pcg, a, b, x);
  comm.barrier();
  Result result{red_black ? "hypre PFMG-CG (red-black)" : "hypre PFMG-CG (weighted Jacobi, skip)",
                heat.matrix().layout().grid().total(),
                seconds() - start,
                0,
                0,
                0,
                0,
                memory(comm) / static_cast<double>(cables.grid->total())};
  auto const set = [&](HYPRE_StructVector v, core::Field<double> const& from) {
    rows.values(from, values);
    HYPRE_StructVectorSetBoxValues(v, lo, hi, values.data());
    HYPRE_StructVectorAssemble(v);
  };
  run_peer(
      result, cables, steps,
      [&](core::Field<double> const& right, core::Field<double> const& guess) {
        set(b, right);
        set(x, guess);
      },
      [&](int k) {
        HYPRE_StructPCGSetMaxIter(pcg, k);
        HYPRE_StructPCGSolve(pcg, a, b, x);
      },
      [&](core::Field<double>& to) {
        HYPRE_StructVectorGetBoxValues(x, lo, hi, values.data());
        rows.values(values, to);
      });
  return 0;
}

int boomer(tests::Cables& cables, int steps) {
  auto const& comm = cables.layout.comm();
  solvers::Heat const heat(cables.properties(), tests::Cables::day);
  Rows const rows(heat.matrix());
  int const nx = rows.tile.ni, ny = static_cast<int>(cables.grid->cells()[1]);
  int const first = static_cast<int>(rows.tile.j0) * nx, n = rows.tile.nj * nx, last = first + n - 1;
  HYPRE_IJMatrix matrix;
  HYPRE_IJMatrixCreate(comm.handle(), first, last, first, last, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  std::vector<int> sizes(n, 5), numbers;
  HYPRE_IJMatrixSetRowSizes(matrix, sizes.data());
  HYPRE_IJMatrixInitialize(matrix);
  rows.for_each([&](int j, int i) {
    int const global_j = static_cast<int>(rows.tile.j0) + j;
    int row = global_j * nx + i, columns[5], count = 0;
    double values[5];
    auto const put = [&](bool there, int column, double value) {
      if (!there) return;
      columns[count] = column;
      values[count++] = value;
    };
    put(global_j > 0, row - nx, -rows.south(0, 0, j, i));
    put(i > 0, row - 1, -rows.west(0, 0, j, i));
    put(true, row, rows.diagonal(0, 0, j, i));
    put(i + 1 < nx, row + 1, -rows.west(0, 0, j, i + 1));
    put(global_j + 1 < ny, row + nx, -rows.south(0, 0, j + 1, i));
    HYPRE_IJMatrixSetValues(matrix, 1, &count, &row, columns, values);
    numbers.push_back(row);
  });
  HYPRE_IJMatrixAssemble(matrix);
  HYPRE_ParCSRMatrix a;
  HYPRE_IJMatrixGetObject(matrix, reinterpret_cast<void**>(&a));
  HYPRE_IJVector vectors[2];
  HYPRE_ParVector b, x;
  for (int v = 0; v < 2; ++v) {
    HYPRE_IJVectorCreate(comm.handle(), first, last, &vectors[v]);
    HYPRE_IJVectorSetObjectType(vectors[v], HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vectors[v]);
    HYPRE_IJVectorAssemble(vectors[v]);
    HYPRE_IJVectorGetObject(vectors[v], reinterpret_cast<void**>(v == 0 ? &b : &x));
  }
  HYPRE_Solver pcg, amg;
  HYPRE_ParCSRPCGCreate(comm.handle(), &pcg);
  HYPRE_PCGSetTol(pcg, 0);
  HYPRE_PCGSetTwoNorm(pcg, 1);
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetCoarsenType(amg, 10);
  HYPRE_BoomerAMGSetInterpType(amg, 6);
  HYPRE_BoomerAMGSetRelaxType(amg, 18);
  HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
  HYPRE_BoomerAMGSetStrongThreshold(amg, 0.25);
  HYPRE_PCGSetPrecond(pcg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  comm.barrier();
  double const start = seconds();
  HYPRE_ParCSRPCGSetup(pcg, a, b, x);
  comm.barrier();
  Result result{"hypre BoomerAMG-CG",
                cables.grid->total(),
                seconds() - start,
                0,
                0,
                0,
                0,
                memory(comm) / static_cast<double>(cables.grid->total())};
  std::vector<double> values;
  run_peer(
      result, cables, steps,
      [&](core::Field<double> const& right, core::Field<double> const& guess) {
        rows.values(right, values);
        HYPRE_IJVectorSetValues(vectors[0], n, numbers.data(), values.data());
        rows.values(guess, values);
        HYPRE_IJVectorSetValues(vectors[1], n, numbers.data(), values.data());
      },
      [&](int k) {
        HYPRE_PCGSetMaxIter(pcg, k);
        HYPRE_ParCSRPCGSolve(pcg, a, b, x);
      },
      [&](core::Field<double>& to) {
        HYPRE_IJVectorGetValues(vectors[1], n, numbers.data(), values.data());
        rows.values(values, to);
      });
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    if (argc != 5) throw core::Error("usage: solvers_hypre NX NY STEPS pfmg1|pfmg2|boomer");
    core::Count const nx = std::atoi(argv[1]), ny = std::atoi(argv[2]);
    HYPRE_Init();
    tests::Cables cables({nx, ny, 1}, bench::one_tile_a_rank(nx, ny, runtime.world().size()), runtime.world());
    std::string const which = argv[4];
    return which == "boomer" ? bench::boomer(cables, std::atoi(argv[3]))
                             : bench::pfmg(cables, std::atoi(argv[3]), which == "pfmg2");
  });
}
