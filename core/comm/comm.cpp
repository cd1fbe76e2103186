// SPDX-License-Identifier: Apache-2.0
#include "core/comm/comm.hpp"

#include "core/comm/comm_counts.hpp"
#include "core/comm/delay.hpp"
#include "core/comm/emulation.hpp"
#include "core/comm/node.hpp"
#include "core/comm/waiting.hpp"
#include "core/error.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <type_traits>

namespace tessera::core {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // MPI counts are int

/// A call of all ranks of a communicator, for the clock of an emulated cluster.
class Meeting {
 public:
  explicit Meeting(Comm const& comm) : comm_(comm) {}
  ~Meeting() {
    if (auto& cluster = emulation()) cluster->meet(comm_);
  }
  Meeting(Meeting const&) = delete;
  Meeting& operator=(Meeting const&) = delete;

 private:
  ClockStands const stands_;
  Comm const& comm_;
};

void complete(Requests& requests) {
  if (auto& cluster = emulation())
    cluster->wait_all(requests);
  else
    wait_politely(static_cast<int>(requests.size()), requests.data());
}

template <class T>
void reduce(Comm const& comm, std::span<T> x, Reduction how) {
  Timed const timed(Part::reduce);
  if (comm.size() == 1) return;
  if (Node* const node = node_of(comm); node != nullptr && node->reduce(x, how)) return;
  Meeting const meeting(comm);
  ++comm_counts().reductions;
  MPI_Datatype const type = std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT64_T;
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), type, operation(how), comm.handle(), &request);
  wait_politely(1, &request);
}
void count_message(std::size_t bytes) {
  ++comm_counts().messages;
  comm_counts().bytes += static_cast<std::int64_t>(bytes);
}

template <class T>
T reduced(Comm const& comm, T x, Reduction how) {
  reduce(comm, std::span<T>(&x, 1), how);
  return x;
}

}  // namespace

CommCounts& comm_counts() {
  static CommCounts one;
  return one;
}

Comm::Comm(MPI_Comm handle) : handle_(handle) {
  MPI_Comm_rank(handle_, &rank_);
  MPI_Comm_size(handle_, &size_);
}

std::int64_t Comm::sum(std::int64_t x) const { return reduced(*this, x, Reduction::sum); }
std::int64_t Comm::min(std::int64_t x) const { return reduced(*this, x, Reduction::min); }
std::int64_t Comm::max(std::int64_t x) const { return reduced(*this, x, Reduction::max); }
double Comm::min(double x) const { return reduced(*this, x, Reduction::min); }
double Comm::max(double x) const { return reduced(*this, x, Reduction::max); }
void Comm::sum(std::span<std::int64_t> x) const { reduce(*this, x, Reduction::sum); }
void Comm::max(std::span<double> x) const { reduce(*this, x, Reduction::max); }

void Comm::gather_in_place(std::byte* data, std::vector<int> const& counts, std::vector<int> const& places) const {
  Timed const timed(Part::reduce);
  Meeting const meeting(*this);
  MPI_Request request;
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts.data(), places.data(), MPI_BYTE, handle_, &request);
  wait_politely(1, &request);
}

void Comm::gather_bytes(std::span<std::byte const> mine, std::span<std::byte> all) const {
  Timed const timed(Part::reduce);
  Meeting const meeting(*this);
  int const n = static_cast<int>(mine.size());
  MPI_Request request;
  MPI_Iallgather(mine.data(), n, MPI_BYTE, all.data(), n, MPI_BYTE, handle_, &request);
  wait_politely(1, &request);
}

void Comm::broadcast_bytes(std::span<std::byte> data, int root) const {
  Timed const timed(Part::reduce);
  Meeting const meeting(*this);
  for (std::size_t at = 0; at < data.size(); at += piece) {
    MPI_Request request;
    MPI_Ibcast(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, root, handle_,
               &request);
    wait_politely(1, &request);
  }
}

void Comm::broadcast(Bytes& data, int root) const {
  std::size_t n = data.size();
  broadcast(n, root);
  data.resize(n);
  broadcast_bytes(data, root);
}

void Comm::broadcast(std::string& text, int root) const {
  std::size_t n = text.size();
  broadcast(n, root);
  text.resize(n);
  broadcast_bytes(std::as_writable_bytes(std::span(text)), root);
}

void Comm::broadcast(std::vector<std::string>& texts, int root) const {
  std::size_t n = texts.size();
  broadcast(n, root);
  texts.resize(n);
  for (auto& text : texts) broadcast(text, root);
}

void Comm::barrier() const {
  Timed const timed(Part::idle);
  Meeting const meeting(*this);
  MPI_Request request;
  MPI_Ibarrier(handle_, &request);
  wait_politely(1, &request);
}

std::map<int, Bytes> Comm::exchange(std::map<int, Bytes> const& outgoing) const {
  constexpr Tag tag = Tag::exchange;
  std::vector<std::int64_t> sizes(size_, -1), incoming_sizes(sizes.size());
  for (auto const& [to, data] : outgoing)
    sizes.at(static_cast<std::size_t>(to)) = static_cast<std::int64_t>(data.size());
  {
    Timed const timed(Part::idle);
    Meeting const meeting(*this);
    MPI_Request request;
    MPI_Ialltoall(sizes.data(), 1, MPI_INT64_T, incoming_sizes.data(), 1, MPI_INT64_T, handle_, &request);
    wait_politely(1, &request);
  }
  std::map<int, Bytes> incoming;
  Requests requests;
  for (int from = 0; from < size_; ++from) {
    std::int64_t const n = incoming_sizes[from];
    if (n < 0) continue;
    Bytes& data = incoming[from];
    data.resize(n);
    if (from != rank_) start_receive(from, data, tag, requests);
  }
  for (auto const& [to, data] : outgoing) {
    if (to == rank_)
      incoming[to] = data;
    else
      start_send(to, data, tag, requests);
  }
  wait_all(requests);
  return incoming;
}

std::vector<Bytes> Comm::gather_to_root(Bytes const& mine) const {
  std::vector<Bytes> all(root() ? static_cast<std::size_t>(size_) : 0);
  for (auto& [from, data] : exchange({{0, mine}})) all[from] = std::move(data);
  return all;
}

void Comm::send(int to, std::span<std::byte const> data, Tag tag) const {
  Requests requests;
  start_send(to, data, tag, requests);
  complete(requests);
}

void Comm::receive(int from, std::span<std::byte> data, Tag tag) const {
  Requests requests;
  start_receive(from, data, tag, requests);
  complete(requests);
}

void Comm::send_block(int to, Bytes const& data, Tag tag) const {
  std::int64_t const n = static_cast<std::int64_t>(data.size());
  send(to, std::as_bytes(std::span(&n, 1)), tag);
  send(to, data, tag);
}

Bytes Comm::receive_block(int from, Tag tag) const {
  std::int64_t n = 0;
  receive(from, std::as_writable_bytes(std::span(&n, 1)), tag);
  Bytes data(static_cast<std::size_t>(n));
  receive(from, data, tag);
  return data;
}

void Comm::start_send(int to, std::span<std::byte const> data, Tag tag, Requests& requests) const {
  count_message(data.size());
  ClockStands const stands;
  for (std::size_t at = 0; at < data.size(); at += piece)
    MPI_Isend(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, to,
              static_cast<int>(tag), handle_, &requests.emplace_back());
  if (auto& cluster = emulation(); cluster && !data.empty()) cluster->sent(*this, to, data.size(), tag, requests);
}

void Comm::start_receive(int from, std::span<std::byte> data, Tag tag, Requests& requests) const {
  ClockStands const stands;
  for (std::size_t at = 0; at < data.size(); at += piece)
    MPI_Irecv(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, from,
              static_cast<int>(tag), handle_, &requests.emplace_back());
  if (delay().seconds > 0 && !data.empty()) delay().posted(requests.back());
  if (auto& cluster = emulation(); cluster && !data.empty()) cluster->awaited(*this, from, tag, requests);
}

void Comm::start_handing(int to, std::span<std::byte const> data, Tag tag, Requests& requests) const {
  count_message(data.size());
  ClockStands const stands;
  MPI_Issend(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, static_cast<int>(tag), handle_,
             &requests.emplace_back());
  // take_one knows no sender
  if (auto& cluster = emulation(); cluster && tag != Tag::tasks) cluster->sent(*this, to, data.size(), tag, requests);
}

std::optional<Bytes> Comm::take_one(Tag tag) const {
  ClockStands const stands;
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, static_cast<int>(tag), handle_, &there, &status);
  if (there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Bytes data(static_cast<std::size_t>(size));
  MPI_Recv(data.data(), size, MPI_BYTE, status.MPI_SOURCE, static_cast<int>(tag), handle_, MPI_STATUS_IGNORE);
  return data;
}

Bytes Comm::wait_for_one(Tag tag) const {
  std::optional<Bytes> data;
  wait_politely([&] { return (data = take_one(tag)).has_value(); });
  return std::move(*data);
}

void Comm::progress() const {
  ClockStands const stands;
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, handle_, &there, MPI_STATUS_IGNORE);
}

void Comm::wait_all(Requests& requests) {
  Timed const timed(Part::idle);
  double const last = delay().seconds > 0 ? delay().waiting(requests) : 0;
  complete(requests);
  requests.clear();
  if (double const more = last - Delay::now(); last > 0 && more > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(more));
}

void ByteReader::copy(std::span<std::byte> to) {
  expect(at_ + to.size() <= bytes_.size(), "a message is shorter than what it should hold");
  if (to.empty()) return;  // memcpy takes no null pointer, even for nothing
  std::memcpy(to.data(), bytes_.data() + at_, to.size());
  at_ += to.size();
}

}  // namespace tessera::core
