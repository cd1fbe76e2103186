// SPDX-License-Identifier: Apache-2.0
#include "core/comm/runtime.hpp"

#include "core/case/wrong_command.hpp"
#include "core/comm/cores.hpp"
#include "core/comm/emulation.hpp"
#include "core/comm/node.hpp"
#include "core/comm/slowdown.hpp"
#include "core/comm/waiting.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "core/registry.hpp"
#include "core/times.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera::core {
namespace {

bool mpi_runs() {
  int yes = 0;
  MPI_Initialized(&yes);
  return yes != 0;
}

/// Whether nothing started this process as one rank of several: mpirun and srun tell their ranks so in the environment.
bool starts_alone() {
  std::array<std::string_view, 4> const of_starters{"OMPI_COMM_WORLD_", "OMPI_MCA_orte_", "PMI", "JSM_"};
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (auto const prefix : of_starters)
      if (std::string_view(*variable).starts_with(prefix)) return false;
  return true;
}

std::vector<std::string> names_in_environment() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable)
    names.emplace_back(*variable, std::strcspn(*variable, "="));
  std::sort(names.begin(), names.end());
  return names;
}

/// Settings of Open MPI for its start; a user's own come first, and other MPIs read none of them.
class StartSettings {
 public:
  StartSettings() {
    // hwloc looks for GPUs behind X servers, and one that ends just then would end this process
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    if (!alone_) return;
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);  // no daemon beside a process that starts no others: 0.1 s
    setenv("OMPI_MCA_pml", "ob1", 0);                   // no search for networks by one that sends nothing: 0.2 s
    // no folder in /tmp, which all such processes would share: one that ends removes it, and one that starts just then ends, too
    setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
    // wants that folder, for pointers into files that ranks share; nobody has any
    setenv("OMPI_MCA_sharedfp", "^sm", 0);
  }
  /// Unsets what is new, Open MPI's own notes among them: a program that this process starts is not alone.
  ~StartSettings() {
    if (!alone_) return;
    for (auto const& name : names_in_environment())
      if (name != "HWLOC_COMPONENTS" && !std::binary_search(before_.begin(), before_.end(), name))
        unsetenv(name.c_str());
  }
  StartSettings(StartSettings const&) = delete;
  StartSettings& operator=(StartSettings const&) = delete;

 private:
  bool const alone_ = starts_alone();
  std::vector<std::string> const before_ = names_in_environment();
};

Comm start_mpi(int& argc, char**& argv) {
  times().restart();
  if (mpi_runs()) return Comm(MPI_COMM_WORLD);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails, with its reason
  StartSettings const settings;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  return Comm(MPI_COMM_WORLD);
}

/// Moves `--kokkos-...` from the arguments to Kokkos, which has words in common with everybody (--help, --threads).
void start_kokkos(int& argc, char**& argv) {
  auto const kokkos = [](char const* arg) { return std::string_view(arg).starts_with("--kokkos-"); };
  std::vector<char*> theirs(argv, argv + std::min(argc, 1));
  std::copy_if(argv + theirs.size(), argv + argc, std::back_inserter(theirs), kokkos);
  argc = static_cast<int>(std::remove_if(argv, argv + argc, kokkos) - argv);
  argv[argc] = nullptr;
  int count = static_cast<int>(theirs.size());
  theirs.push_back(nullptr);
  Kokkos::initialize(count, theirs.data());
}

void say_problem(std::string const& message) {
  std::fputs(fmt::format("tessera: {}\n", message).c_str(), stderr);
  std::fflush(stderr);
}

/// The code, or a failure's where something that was printed went nowhere: to a full disk, for example.
int printed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  say_problem("cannot write all that was printed to the standard output");
  return code == Exit::done ? Exit::failed : code;
}

}  // namespace

Runtime::Runtime(int& argc, char**& argv) : ours_(!mpi_runs()), world_(start_mpi(argc, argv)) {
  start_kokkos(argc, argv);
  find_nodes();
  MPI_Comm_dup(world_.handle(), &errors_);
}

Runtime::~Runtime() {
  emulation().reset();
  Kokkos::finalize();
  MPI_Comm_free(&errors_);
  if (node_) set_node(world_, nullptr);
  node_.reset();
  if (ordered_ != MPI_COMM_NULL) MPI_Comm_free(&ordered_);
  if (ours_) MPI_Finalize();
}

int Runtime::say(int& argc, char**& argv, std::function<int()> const& print) {
  int const code = start_mpi(argc, argv).root() ? printed(print()) : Exit::done;
  MPI_Finalize();
  return code;
}

void Runtime::find_nodes() {
  try {
    find_node(std::getenv("TESSERA_NODES"));
  } catch (Error const&) {
    problem_ = std::current_exception();  // for run
  }
  auto nodes = memory_nodes(world_);
  if (!std::is_sorted(nodes.begin(), nodes.end())) {
    MPI_Comm_split(world_.handle(), 0, nodes[world_.rank()], &ordered_);
    world_ = Comm(ordered_);
    nodes = memory_nodes(world_);
  }
  shares_core() = measure_crowding(world_) > 1;
  if (std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end()) return;  // nobody shares anything
  node_ = std::make_unique<Node>(world_, nodes);
  set_node(world_, node_.get());
}

bool says_out_of_memory(std::exception const& error) {
  return dynamic_cast<std::bad_alloc const*>(&error) != nullptr ||
         std::string_view(error.what()).find("Kokkos failed to allocate memory") != std::string_view::npos;
}

bool is_of_plugin(std::exception const& error) {
  return dynamic_cast<Error const*>(&error) == nullptr && dynamic_cast<RunError const*>(&error) == nullptr &&
         dynamic_cast<BrokenPromise const*>(&error) == nullptr && !says_out_of_memory(error);
}

void Runtime::check_environment() {
  if (checked_) return;
  if (problem_) std::rethrow_exception(problem_);
  check_registries();
  slowdown() = read_slowdown(std::getenv("TESSERA_SLOWDOWN"), launched_ranks(world_)[world_.rank()]);
  if (char const* const text = std::getenv("TESSERA_EMULATE")) start_emulation(text);
  checked_ = true;
}

void Runtime::start_emulation(char const* text) {
  auto cluster = read_emulation(text, world_.size());
  if (!on_host || Kokkos::DefaultExecutionSpace().concurrency() > 1)
    throw Error(fmt::format("environment: TESSERA_EMULATE times ranks that compute on one thread of the host, expected "
                            "OMP_NUM_THREADS=1 and no device (backend {})",
                            Kokkos::DefaultExecutionSpace::name()));
  emulation() = std::make_unique<Emulation>(std::move(cluster), world_);
}

int Runtime::run(std::function<int()> const& body) {
  try {
    check_environment();
    return printed(body());
  } catch (WrongCommand const& e) {
    return fail(e.what(), Exit::wrong_command);
  } catch (Error const& e) {
    return fail(e.what(), Exit::wrong_input);
  } catch (std::exception const& e) {
    if (says_out_of_memory(e)) return fail("out of memory: use more ranks or a smaller grid", Exit::failed);
    return fail(e.what(), Exit::failed);
  }
}

void Runtime::call(std::function<void()> const& body) {
  try {
    check_environment();
    body();
  } catch (std::exception const& e) {
    if (world_.size() > 1) meet(e.what(), Exit::failed);
    throw;
  }
}

void Runtime::end_job(int code) const {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // ranks that fail alike say so, too
  MPI_Abort(world_.handle(), code);
  std::abort();
}

std::pair<int, int> Runtime::meet(std::string const& message, int code) {
  using namespace std::chrono;
  int mine[2] = {world_.rank(), -code}, lowest[2] = {0, 0};
  MPI_Request request;
  MPI_Iallreduce(mine, lowest, 2, MPI_INT, MPI_MIN, errors_, &request);
  // Ranks that failed alike arrive within moments. Whoever still waits then ends the job, the lowest rank first.
  auto const patience = milliseconds(500) + milliseconds(50) * std::min(world_.rank(), 100);
  auto const begin = steady_clock::now();
  int all_here = 0;
  while (!all_here && steady_clock::now() - begin < patience) {
    MPI_Test(&request, &all_here, MPI_STATUS_IGNORE);
    if (!all_here) std::this_thread::sleep_for(milliseconds(1));
  }
  if (all_here) return {lowest[0], -lowest[1]};
  say_problem(message);
  std::this_thread::sleep_for(milliseconds(50));  // let the launcher read the line
  MPI_Abort(world_.handle(), code);
  return {world_.rank(), code};
}

int Runtime::fail(std::string const& message, int code) {
  auto const [rank, worst] = meet(message, code);
  if (rank == world_.rank()) say_problem(message);
  return worst;
}

}  // namespace tessera::core
