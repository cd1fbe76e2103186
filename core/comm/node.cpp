// SPDX-License-Identifier: Apache-2.0
#include "core/comm/node.hpp"

#include "core/comm/attachment.hpp"
#include "core/comm/delay.hpp"
#include "core/comm/emulation.hpp"
#include "core/comm/waiting.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <sstream>

namespace tessera::core {
namespace {

constexpr int all_add_up = 8;          // ranks of a node that is alone: with more, one adds up for all
constexpr std::size_t longest = 4096;  // bytes of a reduction

int& own_node() {
  static int leader = -1;  // lowest rank of MPI_COMM_WORLD on it
  return leader;
}

/// The node of a communicator; set_node's caller owns it.
struct KnownNode {
  Node* node;
};

/// Entry `rank` of "0,0,1,1".
int artificial_node(char const* text, int rank, int ranks) {
  std::istringstream items(text);
  std::vector<int> nodes;
  for (std::string item; std::getline(items, item, ',');) {
    std::istringstream in(item);
    int node = -1;
    if (!(in >> node) || in.peek() != std::istringstream::traits_type::eof() || node < 0)
      throw Error(fmt::format("environment: TESSERA_NODES holds '{}', expected the node of each rank: 0,0,1,1", item));
    nodes.push_back(node);
  }
  if (nodes.size() != static_cast<std::size_t>(ranks))
    throw Error(
        fmt::format("environment: TESSERA_NODES has {} nodes, expected one for each of {} ranks", nodes.size(), ranks));
  return nodes[rank];
}

template <class T>
MPI_Datatype const type = std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT64_T;

MPI_Comm ranks_of_node(Comm const& comm, std::vector<int> const& nodes) {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(comm.handle(), nodes[comm.rank()], comm.rank(), &handle);
  return handle;
}

}  // namespace

MPI_Op operation(Reduction how) { return how == Reduction::sum ? MPI_SUM : how == Reduction::min ? MPI_MIN : MPI_MAX; }

Transport& transport() {
  static Transport one = Transport::automatic;
  return one;
}

bool messages_alone() { return transport() == Transport::messages || delay().seconds > 0 || emulation(); }

Node::Node(Comm const& comm, std::vector<int> const& nodes)
    : handle_{ranks_of_node(comm, nodes)},
      comm_(handle_.value),
      local_(nodes.size(), -1),
      shares_halos_(nodes.size()),
      one_node_(std::count(nodes.begin(), nodes.end(), nodes[0]) == comm.size()),
      memory_(handle_.value) {
  if (!one_node_) MPI_Comm_split(comm.handle(), comm_.rank() == 0 ? 0 : MPI_UNDEFINED, comm.rank(), &leaders_.value);
  auto const hosts = comm.gather(on_host ? 1 : 0);
  for (std::size_t r = 0, here = 0; r < nodes.size(); ++r) {
    if (nodes[r] != nodes[comm.rank()]) continue;
    local_[r] = static_cast<int>(here++);
    shares_halos_[r] = on_host && hosts[r] > 0;
  }
  // a mailbox for values and one for results
  std::size_t const one = Mailbox::bytes(longest);
  auto const mine = memory_.allocate(2 * one);
  if (comm.any(!mine)) return;  // one node without room: all reduce by messages
  std::memset(memory_.address(comm_.rank(), mine->window, mine->at), 0, 2 * one);
  comm_.barrier();
  // the first piece of the first window lies in one place on all ranks
  for (int r = 0; r < size(); ++r) values_.emplace_back(memory_.address(r, mine->window, mine->at), longest);
  result_ = Mailbox(memory_.address(0, mine->window, mine->at + one), longest);
}

namespace {

double sum(double a, double b) { return a + b; }
/// Modulo 2^64, as hashes are summed.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

template <class T>
void Node::join(std::span<T> x, Reduction how, std::uint64_t turn) const {
  for (Mailbox const& box : values_) box.written.wait_for(turn);
  for (int r = 0; r < size(); ++r) {
    T const* const theirs = reinterpret_cast<T const*>(values_[r].buffer(turn));
    for (std::size_t n = 0; n < x.size(); ++n)
      x[n] = r == 0                  ? theirs[n]
             : how == Reduction::sum ? sum(x[n], theirs[n])
             : how == Reduction::min ? std::min(x[n], theirs[n])
                                     : std::max(x[n], theirs[n]);
  }
}

template <class T>
bool Node::reduce(std::span<T> x, Reduction how) {
  if (values_.empty() || messages_alone() || x.size_bytes() > longest) return false;
  if (x.empty()) return true;  // on all ranks
  std::uint64_t const turn = ++turn_;
  std::memcpy(values_[rank()].buffer(turn), x.data(), x.size_bytes());
  values_[rank()].written.set(turn);
  if (one_node_ && size() <= all_add_up) {
    join(x, how, turn);
    return true;
  }
  std::byte* const result = result_.buffer(turn);
  if (rank() == 0) {
    join(x, how, turn);
    if (!one_node_) {
      MPI_Request request;
      MPI_Iallreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), type<T>, operation(how), leaders_.value,
                     &request);
      wait_politely(1, &request);
    }
    std::memcpy(result, x.data(), x.size_bytes());
    result_.written.set(turn);
  } else {
    result_.written.wait_for(turn);
    std::memcpy(x.data(), result, x.size_bytes());
  }
  return true;
}

template bool Node::reduce(std::span<std::int64_t>, Reduction);
template bool Node::reduce(std::span<double>, Reduction);

void find_node(char const* artificial) {
  int rank = 0, ranks = 1, part = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::exception_ptr problem;
  try {
    if (artificial != nullptr) part = artificial_node(artificial, rank, ranks);
  } catch (Error const&) {
    problem = std::current_exception();
  }
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &handle);
  Comm const machine(handle);
  own_node() = rank;
  auto const parts = machine.gather(part), numbers = machine.gather(rank);
  for (std::size_t r = 0; r < parts.size(); ++r)
    if (parts[r] == part) own_node() = std::min(own_node(), numbers[r]);
  MPI_Comm_free(&handle);
  if (problem) std::rethrow_exception(problem);
}

std::vector<int> memory_nodes(Comm const& comm) {
  std::vector<int> nodes;
  std::map<int, int> lowest;
  for (int const node : comm.gather(own_node()))
    nodes.push_back(lowest.try_emplace(node, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

std::vector<int> launched_ranks(Comm const& comm) {
  std::vector<int> here(comm.size()), there(here.size());
  std::iota(here.begin(), here.end(), 0);
  MPI_Group ours = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_Comm_group(comm.handle(), &ours);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(ours, comm.size(), here.data(), world, there.data());
  MPI_Group_free(&ours);
  MPI_Group_free(&world);
  return there;
}

Node* node_of(Comm const& comm) {
  auto const* const known = Attachment<KnownNode>::of(comm);
  return known != nullptr ? known->node : nullptr;
}

void set_node(Comm const& comm, Node* node) {
  if (node != nullptr)
    Attachment<KnownNode>::put(comm, std::make_unique<KnownNode>(node));
  else
    Attachment<KnownNode>::remove(comm);
}

}  // namespace tessera::core
