// SPDX-License-Identifier: Apache-2.0
// Each of the ranks that read takes one stretch of a file's rows, and hands its chunks down its own tree. The trees take
// turns, the first chunk of each, then the second: in this order all ranks send and receive, so that they cannot wait for
// each other in a circle, while those that read do so at the same time.
#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/files/values.hpp"
#include "io/rows.hpp"
#include "io/stream/hand_on.hpp"
#include "io/stream/stream.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <optional>

namespace tessera::io {
namespace {

using core::Box;
using core::Comm;
using core::Count;
using core::Layout;
using detail::Chunks;
using detail::Header;
using detail::Incoming;
using detail::Outgoing;
using detail::Place;
using detail::Plan;

Plan plan_of(RowSource const& source, core::FieldBase const& field, core::Index at, double (*map)(double)) {
  Box const grid = field.layout().grid().box();
  auto const n = source.cells();
  Plan plan;
  plan.region = {at, at + core::Index{n[0], n[1], n[2]}};
  if (!(core::intersect(plan.region, grid) == plan.region))
    throw core::Error(source.name(), 0,
                      fmt::format("{} x {} x {} cells at ({} {} {}) do not fit into the grid of {} x {} x {}", n[0],
                                  n[1], n[2], at.i, at.j, at.k, grid.hi.i, grid.hi.j, grid.hi.k));
  plan.top_down = source.top_down();
  plan.bytes = static_cast<std::int64_t>(std::max(size_of(source.element()), size_of(field.element())));
  if (auto const bits = source.bits()) {
    plan.packed = 1;
    for (std::size_t v = 0; v < 2; ++v) {
      plan.values[v] = map == nullptr ? (*bits)[v] : map((*bits)[v]);
      detail::with_type(field.element(),
                        [&]<class T>(std::type_identity<T>) { detail::converted<T>(plan.values[v], source.name()); });
    }
  }
  return plan;
}

/// Groups of chunks, a group being one or more whole rows, cut into stretches as equal as can be.
class Stretches {
 public:
  Stretches(Chunks const& chunks, std::size_t readers)
      : groups_(chunks.count() / chunks.parts()),
        parts_(chunks.parts()),
        rows_(chunks.count() > 0 ? chunks.chunk(0).rows : 1),
        readers_(static_cast<Count>(readers)) {}
  /// First chunk of a stretch.
  Count begin(std::size_t s) const { return groups_ * static_cast<Count>(s) / readers_ * parts_; }
  /// The stretch that a row lies in.
  std::size_t of_row(Count row) const { return static_cast<std::size_t>(((row / rows_ + 1) * readers_ - 1) / groups_); }
  Count longest() const {
    Count most = 0;
    for (std::size_t s = 0; s < static_cast<std::size_t>(readers_); ++s) most = std::max(most, begin(s + 1) - begin(s));
    return most;
  }

 private:
  Count groups_, parts_, rows_, readers_;
};

/// The ranks that have a source, in the order of their stretches: each stretch goes to the rank left on whose node most
/// of its tiles are at home. Equal on all ranks.
std::vector<int> readers_of(Layout const& layout, Plan const& plan, std::vector<int> const& ranks) {
  if (ranks.size() == 1) return ranks;
  Chunks const chunks = plan.chunks(layout.grid());
  Stretches const stretches(chunks, ranks.size());
  auto const& nodes = routers_of(layout.comm()).nodes();
  std::vector<std::size_t> reader(nodes.size());  // of each rank's tiles: itself, or the last one of its node
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (nodes[ranks[r]] == nodes[rank]) reader[rank] = r;
  for (std::size_t r = 0; r < ranks.size(); ++r) reader[ranks[r]] = r;
  std::vector<std::vector<Count>> cells(ranks.size(), std::vector<Count>(ranks.size()));
  Chunks::Chunk const all{0, 0, plan.region.lo.i, plan.region.hi.i};
  for (int tile = 0; tile < layout.grid().tiles(); ++tile) {
    Box const part = core::intersect(layout.grid().tile_box(tile), plan.region);
    if (part.empty()) continue;
    core::Index const middle{plan.region.lo.i, (part.lo.j + part.hi.j - 1) / 2, (part.lo.k + part.hi.k - 1) / 2};
    std::size_t const stretch = stretches.of_row(chunks.offset(all, middle) / (all.hi - all.lo));
    cells[stretch][reader[layout.owner(tile)]] += part.cells();
  }
  std::vector<int> result;
  std::vector<bool> taken(ranks.size());
  for (auto const& here : cells) {
    std::optional<std::size_t> best;
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (!taken[r] && (!best || here[r] > here[*best])) best = r;
    taken[*best] = true;
    result.push_back(ranks[*best]);
  }
  return result;
}

template <class T>
class Down : detail::Stream<T> {
  using Chunk = Chunks::Chunk;

 public:
  Down(Layout const& layout, Plan const& plan, std::vector<int> const& readers, core::Field<T>& field,
       double (*map)(double))
      : detail::Stream<T>(layout, plan),
        rows_(field),
        map_(map),
        in_(this->comm_),
        out_(detail::under_way, Outgoing(this->comm_)),
        stretches_(this->chunks_, readers.size()) {
    if (this->packed_) unpack_ = {detail::converted<T>(plan.values[0], {}), detail::converted<T>(plan.values[1], {})};
    RouterTree const& tree = routers_of(this->comm_);
    for (int const rank : readers)
      places_.emplace_back(rank == 0 ? tree : tree.rooted_at(rank), rank, this->comm_.rank());
  }

  /// `source` on the ranks that read. After a failure empty messages keep the order, on all ranks that have heard of it.
  Failure run(RowSource* source) {
    Count const rounds = stretches_.longest();
    for (Count n = 0; n < rounds; ++n) {
      for (std::size_t s = 0; s < places_.size() && source != nullptr; ++s)
        if (mine(s) && n < size(s)) read(*source, s, n);
      for (std::size_t s = 0; s < places_.size(); ++s)
        if (n < size(s)) step(places_[s], stretches_.begin(s) + n);
    }
    for (auto& out : out_) out.wait();
    detail::count_stream(this->chunks_.count());
    return failure_;
  }

 private:
  core::RowWriter<T> rows_;
  double (*map_)(double);
  Incoming in_;
  std::vector<Outgoing> out_;
  Stretches stretches_;
  std::vector<Place> places_;  // in the tree of each rank that reads
  std::size_t turn_ = 0;
  std::vector<std::byte> raw_;
  std::vector<T> values_;
  detail::Unpacker<T> unpack_;
  Failure failure_;
  bool failed_ = false;  // here or elsewhere
  bool begun_ = false;   // to read

  bool mine(std::size_t s) const { return places_[s].root == this->comm_.rank(); }
  Count size(std::size_t s) const { return stretches_.begin(s + 1) - stretches_.begin(s); }

  /// Reads on while the chunks before travel.
  void read(RowSource& source, std::size_t s, Count n) {
    Count const number = stretches_.begin(s) + n;
    if (failed_ || number % this->chunks_.parts() != 0) return;
    Chunk const chunk = this->chunks_.chunk(number);
    try {
      if (!std::exchange(begun_, true) && chunk.first > 0)
        core::expect(source.seek(chunk.first), "who reads a part of a file can begin anywhere in it");
      next_rows(source, chunk.rows);
    } catch (...) {
      failure_ = Failure::caught();
      failed_ = true;
    }
  }

  /// A chunk on its way through this rank.
  void step(Place const& place, Count n) {
    Chunk const chunk = this->chunks_.chunk(n);
    auto const share = this->share(place, chunk);
    if (place.parent.empty()) {
      hand_on(place, n, chunk, share.below, !failed_,
              [&](Box const& piece, Count j, std::size_t) { return read_row(chunk, piece, j); });
    } else if (share.all > 0) {
      in_.begin(place.parent, std::vector{share.all});
      in_.wait();
      Header const header = in_.header(0);
      core::expect(header.chunk == n, "chunks come in their order");
      if (header.whole == 0) failed_ = true;
      hand_on(place, n, chunk, share.below, header.whole != 0,
              [&](Box const&, Count, std::size_t bytes) { return in_.take(0, bytes); });
    }
  }

  /// `row_at(piece, j, bytes)`: where a row of a tile lies, asked for in the order in which cells travel.
  template <class F>
  void hand_on(Place const& place, Count n, Chunk const& chunk, std::vector<std::size_t> const& below, bool whole,
               F const& row_at) {
    Outgoing& out = out_[turn_++ % out_.size()];
    out.begin(n, place.children, below);
    if (whole) {
      this->for_each_row(place, chunk, [&](int to, int tile, Box const& piece, Count j, std::size_t bytes) {
        std::byte const* const row = row_at(piece, j, bytes);
        if (to == 0)
          keep(row, bytes, tile, piece, j);
        else
          out.put(static_cast<std::size_t>(to) - 1, row, bytes);
      });
      out.send();
    } else {
      out.send_empty();
    }
    std::size_t held = raw_.size() + values_.size() * sizeof(T) + in_.held();
    for (auto const& o : out_) held += o.held();
    detail::count_held(held);
  }

  /// Bytes of a row of the region as bits.
  std::size_t packed_row() const { return (static_cast<std::size_t>(this->region_.hi.i - this->region_.lo.i) + 7) / 8; }
  void next_rows(RowSource& source, Count rows) {
    if (this->packed_) {
      raw_.resize(static_cast<std::size_t>(rows) * packed_row());
      return source.next_bits(rows, raw_);
    }
    auto const cells = static_cast<std::size_t>(rows * (this->region_.hi.i - this->region_.lo.i));
    values_.resize(cells);
    bool const as_it_is = map_ == nullptr && source.element() == core::element_of<T>();
    if (as_it_is) return source.next(rows, std::as_writable_bytes(std::span(values_)));
    raw_.resize(cells * size_of(source.element()));
    source.next(rows, raw_);
    convert(source);
  }
  /// What was read, as values of T. Throws for the first that T cannot hold.
  void convert(RowSource const& source) {
    std::size_t const size = size_of(source.element()), cells = values_.size();
    auto const parts = static_cast<std::size_t>(core::host_threads_for(static_cast<Count>(cells)));
    std::vector<std::exception_ptr> failures(parts);
    core::for_each_by_threads(
        "values of a file", static_cast<Count>(parts), static_cast<Count>(cells / parts), [&](Count n) {
          auto const part = static_cast<std::size_t>(n);
          std::size_t const first = cells * part / parts, end = cells * (part + 1) / parts;
          try {
            detail::convert(source.element(), std::span(raw_).subspan(first * size, (end - first) * size), map_,
                            std::span(values_).subspan(first, end - first), source.name());
          } catch (...) {
            failures[part] = std::current_exception();
          }
        });
    for (auto const& failure : failures)
      if (failure != nullptr) std::rethrow_exception(failure);
  }
  /// The row of a piece among those that this rank has read.
  std::byte const* read_row(Chunk const& chunk, Box const& piece, Count j) const {
    Count const at = this->offset(chunk, piece, j);
    if (!this->packed_) return reinterpret_cast<std::byte const*>(values_.data() + at);
    auto const row = static_cast<std::size_t>(at / (this->region_.hi.i - this->region_.lo.i));
    return raw_.data() + row * packed_row() + this->column(piece) / 8;
  }
  /// A row that has come to its owner.
  void keep(std::byte const* row, std::size_t bytes, int tile, Box const& piece, Count j) {
    rows_(this->row_piece(tile, piece, j), [&](T* cells) {
      if (this->packed_)
        unpack_(row, this->column(piece) % 8, this->cells_of_row(piece), cells);
      else
        std::memcpy(cells, row, bytes);
    });
  }
};

/// The ranks that have a source, the root first.
std::vector<int> ranks_with(Comm const& comm, bool source) {
  std::vector<int> ranks;
  auto const all = comm.gather(source ? 1 : 0);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] > 0) ranks.push_back(static_cast<int>(rank));
  core::expect(!ranks.empty() && ranks[0] == 0, "the root gives a source");
  return ranks;
}

}  // namespace

void distribute(RowSource* source, core::FieldBase& field, core::Index at, double (*map)(double)) {
  core::Timed const timed(core::Part::io);
  Layout const& layout = field.layout();
  Comm const& comm = layout.comm();
  auto const ranks = ranks_with(comm, source != nullptr);
  Plan mine;
  on_all(comm, [&] {
    if (source != nullptr) mine = plan_of(*source, field, at, map);
  });
  Plan const plan = detail::agreed(comm, mine);
  bool const several = ranks.size() > 1;
  if (several)
    on_all(comm, [&] {
      if (source != nullptr && !(mine == plan))
        throw core::Error(source->name(), 0, fmt::format("is another file on rank {} than on rank 0", comm.rank()));
    });
  core::visit(field, [&]<class T>(core::Field<T>& f) {
    Down<T> down(layout, plan, readers_of(layout, plan, ranks), f, map);
    agree(comm, down.run(source));
  });
  router_counts().readers = std::max(router_counts().readers, static_cast<std::int64_t>(ranks.size()));
  if (!several) return;  // a single reader has checked all it read by itself
  auto const sum = comm.sum(static_cast<std::int64_t>(source != nullptr ? source->checksum() : 0));
  on_all(comm, [&] {
    if (source != nullptr) source->check(static_cast<std::uint64_t>(sum));
  });
}

}  // namespace tessera::io
