// SPDX-License-Identifier: Apache-2.0
#include "core/comm/emulation.hpp"
#include "core/error.hpp"
#include "core/grid/computed.hpp"
#include "core/times.hpp"
#include "solvers/methods/iterative_solver.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <petscksp.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::solvers::methods {
namespace {

static_assert(std::is_same_v<PetscScalar, double>, "PETSc must be built with real numbers in double precision");

/// Throws core::RunError with PETSc's words for a call that failed.
void check(PetscErrorCode code) {
  if (code == 0) return;
  char const* text = nullptr;
  char* details = nullptr;
  PetscErrorMessage(code, &text, &details);
  throw core::RunError(fmt::format("PETSc: {} {}", text ? text : "unknown error", details ? details : ""));
}

int finalize_petsc(MPI_Comm, int, void*, void*) {
  PetscFinalize();
  return MPI_SUCCESS;
}

/// Once a process. MPI_Finalize deletes the attributes of MPI_COMM_SELF first, and that ends PETSc.
void start_petsc() {
  PetscBool started = PETSC_FALSE;
  check(PetscInitialized(&started));
  if (started) return;
  // errors and signals are ours to report, and a run depends on its case, not on a file in somebody's home
  check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  check(PetscOptionsSetValue(nullptr, "-skip_petscrc", "true"));
  check(PetscInitializeNoArguments());
  check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  int key = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_petsc, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

/// Rows of a sparse matrix as PETSc wants them: a row an own cell, in the order of core::for_own_cells.
struct SparseRows {
  std::vector<PetscInt> starts{0}, columns;
  std::vector<PetscScalar> values;
  void add(PetscInt column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row() { starts.push_back(static_cast<PetscInt>(columns.size())); }
};

/// The matrix by rows of each rank, numbered from rank to rank. PETSc works on these arrays, it makes no copy.
class SparseMatrix {
 public:
  explicit SparseMatrix(StencilMatrix const& matrix) {
    auto const& layout = matrix.layout();
    number(layout);
    core::for_own_cells(layout, [&](int slot, int k, int j, int i) { add_row(matrix, slot, k, j, i); });
    auto const n = static_cast<PetscInt>(layout.cells()), all = static_cast<PetscInt>(layout.grid().total());
    auto const comm = layout.comm().handle();
    if (layout.comm().size() == 1)
      check(MatCreateSeqAIJWithArrays(comm, n, n, own_.starts.data(), own_.columns.data(), own_.values.data(), &mat_));
    else
      check(MatCreateMPIAIJWithSplitArrays(comm, n, n, all, all, own_.starts.data(), own_.columns.data(),
                                           own_.values.data(), others_.starts.data(), others_.columns.data(),
                                           others_.values.data(), &mat_));
    check(MatSetOption(mat_, MAT_SPD, PETSC_TRUE));
  }
  ~SparseMatrix() { MatDestroy(&mat_); }
  SparseMatrix(SparseMatrix const&) = delete;
  SparseMatrix& operator=(SparseMatrix const&) = delete;
  Mat mat() const { return mat_; }

 private:
  void number(core::Layout const& layout) {
    if (static_cast<double>(layout.grid().total()) >= static_cast<double>(PETSC_MAX_INT) / 8)
      throw core::RunError(fmt::format("PETSc is built with integers of {} bits, too short for {} cells",
                                       8 * sizeof(PetscInt), layout.grid().total()));
    auto const cells = layout.comm().gather(layout.cells());
    for (int rank = 0; rank < layout.comm().rank(); ++rank) first_ += cells[rank];
    last_ = first_ + layout.cells();
    numbers_ = std::make_unique<core::Field<std::int64_t>>("number", layout, 1, -1);
    auto const view = numbers_->host();
    std::int64_t next = first_;
    core::for_own_cells(layout, [&](int slot, int k, int j, int i) { view(slot, k, j, i) = next++; });
    core::Halo(layout, 1, core::Reach::faces).exchange(*numbers_);
  }

  void add_row(StencilMatrix const& matrix, int slot, int k, int j, int i) {
    auto const number = std::as_const(*numbers_).host();
    std::array<std::pair<std::int64_t, double>, 7> entries;  // by column
    std::size_t count = 0;
    auto const add = [&](std::int64_t column, double value) {
      if (column < 0) return;
      std::size_t at = count;
      while (at > 0 && entries[at - 1].first > column) --at;
      if (at > 0 && entries[at - 1].first == column) {  // across a periodic axis of two cells both neighbours are one
        entries[at - 1].second += value;
        return;
      }
      for (std::size_t n = count++; n > at; --n) entries[n] = entries[n - 1];
      entries[at] = {column, value};
    };
    add(number(slot, k, j, i), matrix.diagonal().host()(slot, k, j, i));
    for (int a = 0; a < 3; ++a) {
      if (!matrix.has(a)) continue;
      int const dk = a == 2, dj = a == 1, di = a == 0;
      auto const face = matrix.face(a).host();
      add(number(slot, k - dk, j - dj, i - di), -face(slot, k, j, i));
      add(number(slot, k + dk, j + dj, i + di), -face(slot, k + dk, j + dj, i + di));
    }
    for (std::size_t n = 0; n < count; ++n) {
      auto const [column, value] = entries[n];
      if (column >= first_ && column < last_)
        own_.add(static_cast<PetscInt>(column - first_), value);
      else
        others_.add(static_cast<PetscInt>(column), value);
    }
    own_.end_row();
    others_.end_row();
  }

  std::int64_t first_ = 0, last_ = 0;
  std::unique_ptr<core::Field<std::int64_t>> numbers_;
  SparseRows own_, others_;  // columns of this rank, counted from its first; and of others, in the whole numbering
  Mat mat_ = nullptr;
};

/// What PETSc asks after each iteration.
struct Watch {
  Controls const& controls;
  double norm;
  int before;  // iterations of earlier calls
  double initial;
  Vec solution, residual;
};

/// Stops by OpenFOAM's residual instead of PETSc's.
PetscErrorCode ask(KSP ksp, PetscInt iteration, PetscReal, KSPConvergedReason* reason, void* context) {
  Watch const& watch = *static_cast<Watch const*>(context);
  Vec r = nullptr;
  PetscReal sum = 0;
  PetscCall(KSPBuildResidual(ksp, watch.solution, watch.residual, &r));
  PetscCall(VecNorm(r, NORM_1, &sum));
  double const now = sum / watch.norm;
  int const iterations = watch.before + static_cast<int>(iteration);
  *reason = KSP_CONVERGED_ITERATING;
  if (std::isnan(now))
    *reason = KSP_DIVERGED_NANORINF;
  else if (!watch.controls.go_on(iterations, watch.initial, now))
    *reason = watch.controls.converged(watch.initial, now) ? KSP_CONVERGED_ATOL : KSP_DIVERGED_ITS;
  return 0;
}

}  // namespace

/// PETSc's Krylov methods and preconditioners, chosen by its own options:
///
///   solver PETSc; options "-ksp_type cg -pc_type gamg -pc_gamg_threshold 0.02";
///
/// Keys: those of Controls, and `options` (default "-ksp_type cg -pc_type gamg"). Options that PETSc does not read are
/// errors. Iterations stop by OpenFOAM's residual: PETSc's is asked after each, then the true residual is formed from
/// our matrix, and PETSc goes on from there where it is not yet small enough.
/// The matrix is made once, by rows of each rank, and PETSc works on these arrays: 80 B a cell in 2-D; vectors are copied in
/// and out, and PETSc's own memory comes on top (GAMG about 300 B a cell). The bits depend on ranks and owners.
/// Throws core::Error for options that PETSc refuses; core::RunError when PETSc fails. A method that breaks down is no
/// error: `converged` is false and `note` has PETSc's reason.
class PetscKrylov final : public IterativeSolver {
 public:
  static constexpr char const* help =
      "options \"-ksp_type cg -pc_type gamg\";   any of PETSc's\ntolerance 1e-6; relTol 0; maxIter 1000; minIter 0;";

  PetscKrylov(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : IterativeSolver(matrix, dictionary, "PETSc") {
    core::refuse_emulation("those of solver PETSc go by the machine's clock");
    core::note_computed("PETSc", core::By::one_thread);
    auto const options = dictionary.get_or<std::string>("options", "-ksp_type cg -pc_type gamg");
    // PETSc would write what it views to any file, `ascii:FILE`, and read options from one
    if (options.find_first_of(":/") != std::string::npos || options.find("options_file") != std::string::npos)
      dictionary.fail("options", fmt::format("'{}' names a file, expected no ':', '/' or -options_file", options));
    start_petsc();
    static int made = 0;
    prefix_ = fmt::format("tessera{}_", made++);
    sparse_ = std::make_unique<SparseMatrix>(matrix);
    try {
      set_up(options);
    } catch (core::RunError const& e) {
      dictionary.fail("options", fmt::format("'{}': {}", options, e.what()));
    }
    require_all_read(dictionary);
  }
  ~PetscKrylov() override {
    for (Vec* v : {&b_, &x_, &t_, &r_}) VecDestroy(v);
    KSPDestroy(&ksp_);
  }

 private:
  void set_up(std::string const& options) {
    check(PetscOptionsPrefixPush(nullptr, prefix_.c_str()));
    PetscErrorCode const inserted = PetscOptionsInsertString(nullptr, options.c_str());
    check(PetscOptionsPrefixPop(nullptr));
    check(inserted);
    check(MatCreateVecs(sparse_->mat(), &x_, &b_));
    check(VecDuplicate(x_, &t_));
    check(VecDuplicate(x_, &r_));
    check(KSPCreate(matrix_.layout().comm().handle(), &ksp_));
    check(KSPSetOptionsPrefix(ksp_, prefix_.c_str()));
    check(KSPSetOperators(ksp_, sparse_->mat(), sparse_->mat()));
    check(KSPSetType(ksp_, KSPCG));
    check(KSPSetFromOptions(ksp_));
    check(KSPSetUp(ksp_));
    check(KSPSetUpOnBlocks(ksp_));
  }

  /// What is viewed is read late, after a solve.
  void require_all_read(core::Dictionary const& dictionary) const {
    PetscInt count = 0;
    char **names = nullptr, **values = nullptr;
    check(PetscOptionsLeftGet(nullptr, &count, &names, &values));
    std::string unread;
    for (PetscInt n = 0; n < count && unread.empty(); ++n) {
      std::string const name = names[n];
      bool const viewed = name.find("view") != std::string::npos || name.find("reason") != std::string::npos;
      if (name.starts_with(prefix_) && !viewed) unread = name.substr(prefix_.size());
    }
    check(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
    if (!unread.empty()) dictionary.fail_entry("options", fmt::format("has '-{}', which PETSc does not read", unread));
  }

  void iterate(Residual const& residual, core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r,
               Performance& p) override {
    double now = p.initial;
    for (;;) {
      // PETSc solves for the correction from zero, A e = r: that suits methods that take no first guess, too
      int const done = call(residual.norm, p, r);
      correct(x);
      p.iterations += done;
      double const before = now;
      Residual const reached = solvers::residual(matrix_, b, x, r);
      now = p.final = reached.initial * reached.norm / residual.norm;
      if (!controls_.go_on(p.iterations, p.initial, now) || done == 0) break;
      if (!(now < 0.9 * before) && p.iterations >= controls_.least) {
        KSPConvergedReason reason{};
        check(KSPGetConvergedReason(ksp_, &reason));
        p.note = fmt::format("PETSc stopped at a residual of {:.3g}: {}", now, KSPConvergedReasons[reason]);
        break;
      }
    }
  }

  int call(double norm, Performance const& p, core::Field<double> const& r) {
    Watch watch{controls_, norm, p.iterations, p.initial, t_, r_};
    check(KSPSetConvergenceTest(ksp_, ask, &watch, nullptr));
    PetscScalar* to = nullptr;
    check(VecGetArrayWrite(b_, &to));
    auto const from = r.host();
    core::for_own_cells(matrix_.layout(), [&](int slot, int k, int j, int i) { *to++ = from(slot, k, j, i); });
    to -= matrix_.layout().cells();
    check(VecRestoreArrayWrite(b_, &to));
    {
      core::Timed const timed(core::Part::foreign);
      check(KSPSolve(ksp_, b_, x_));
    }
    PetscInt iterations = 0;
    check(KSPGetIterationNumber(ksp_, &iterations));
    return static_cast<int>(iterations);
  }

  void correct(core::Field<double>& x) {
    PetscScalar const* from = nullptr;
    check(VecGetArrayRead(x_, &from));
    PetscScalar const* next = from;
    auto const to = x.host();
    core::for_own_cells(matrix_.layout(), [&](int slot, int k, int j, int i) { to(slot, k, j, i) += *next++; });
    check(VecRestoreArrayRead(x_, &from));
  }

  std::string prefix_;
  std::unique_ptr<SparseMatrix> sparse_;
  KSP ksp_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr, t_ = nullptr, r_ = nullptr;
};

[[maybe_unused]] static bool const added =
    Methods::add<PetscKrylov>("PETSc", "any of PETSc's Krylov methods and preconditioners, by its options");

}  // namespace tessera::solvers::methods
