// SPDX-License-Identifier: Apache-2.0
#include "solvers/linear_solver.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace tessera::solvers {

namespace {
constexpr char const* petsc = "PETSc";
}

std::string log_line(Performance const& p, int digits) {
  return fmt::format("{}{}:  Solving for {}, Initial residual = {:.{}g}, Final residual = {:.{}g}, No Iterations {}",
                     p.preconditioner, p.solver, p.field, p.initial, digits, p.final, digits, p.iterations);
}

Controls::Controls(core::Dictionary const& dictionary) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr int many = std::numeric_limits<int>::max();
  tolerance = dictionary.get_in<double>("tolerance", {0, infinity}, 1e-6);
  relative = dictionary.get_in<double>("relTol", {0, 1}, 0);
  most = dictionary.get_in<int>("maxIter", {1, many}, 1000);
  least = dictionary.get_in<int>("minIter", {0, many}, 0);
}

double Controls::expected(int iterations, double initial, double now) const {
  double const wanted = std::log(std::max(tolerance, relative * initial) / initial), so_far = std::log(now / initial);
  double const in_all = so_far < 0 && std::isfinite(wanted) ? iterations * wanted / so_far : most;
  int const fewest = std::max(iterations, least);
  return std::clamp(in_all, static_cast<double>(fewest), static_cast<double>(std::max(most, fewest)));
}

bool have_solver(std::string const& name) {
  if (Methods::contains(name)) return true;
  if (name != petsc) return false;
  Dl_info here;
  if (dladdr(reinterpret_cast<void const*>(&have_solver), &here) == 0) return false;
  auto const module = std::filesystem::path(here.dli_fname).parent_path() / "libtessera_petsc.so";
  if (!std::filesystem::exists(module)) return false;
  if (dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw core::RunError(fmt::format("cannot open {}: {}", module.string(), dlerror()));
  core::check_registries();
  return Methods::contains(name);
}

void require_solver(core::Dictionary const& dictionary) {
  auto const name = dictionary.get<std::string>("solver");
  if (have_solver(name)) return;
  if (name == petsc)
    dictionary.fail("solver", "PETSc was not found when this program was built: install the package petsc-dev "
                              "(tools/setup --with-petsc), configure and build again");
  have_solver(petsc);  // among the names where it is there
  dictionary.fail("solver", core::unknown_name("solver", name, Methods::names()));
}

std::unique_ptr<LinearSolver> make_solver(StencilMatrix const& matrix, core::Dictionary& dictionary) {
  require_solver(dictionary);
  return Methods::make(dictionary.get<std::string>("solver"), matrix, dictionary);
}

}  // namespace tessera::solvers
