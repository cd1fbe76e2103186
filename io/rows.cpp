// SPDX-License-Identifier: Apache-2.0
// Both directions walk the same chunks of the region in the order of the file. Every rank knows the owners of all tiles,
// so it knows what of a chunk goes which way in the tree, and how long each message is, without being told.
#include "io/rows.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/detail/bits.hpp"
#include "io/detail/chunks.hpp"
#include "io/detail/hand_on.hpp"
#include "io/detail/values.hpp"
#include "io/together.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera::io {
namespace {

using core::Box;
using core::Bytes;
using core::Comm;
using core::Count;
using core::FieldView;
using core::Layout;
using detail::Chunks;
using detail::Header;
using detail::Incoming;
using detail::Outgoing;

/// What the root knows of a file and all need to know.
struct Plan {
  Box region;
  std::int64_t top_down = 0, bytes = 1;  // bytes: of one cell, in the file or in the field, whichever is more
  std::int64_t packed = 0;               // cells travel as bits, which stand for
  std::array<double, 2> values{};        // these, which the field's type holds

  Chunks chunks(core::Grid const& grid) const {
    if (packed != 0) return {grid, region, top_down != 0, 1, 8 * router_settings().chunk};
    return {grid, region, top_down != 0, static_cast<std::size_t>(bytes), router_settings().chunk};
  }
};

Plan agreed(Comm const& comm, Plan plan) {
  Bytes bytes(sizeof plan);
  std::memcpy(bytes.data(), &plan, sizeof plan);
  comm.broadcast(bytes);
  std::memcpy(&plan, bytes.data(), sizeof plan);
  return plan;
}

/// One rank's view of a stream: which of a chunk's cells are its own, and which belong to ranks below each child.
template <class T>
class Stream {
 public:
  Stream(Layout const& layout, Plan const& plan)
      : layout_(layout),
        comm_(layout.comm()),
        tree_(routers_of(comm_)),
        ways_(tree_.ways(comm_.rank())),
        region_(plan.region),
        packed_(plan.packed != 0),
        chunks_(plan.chunks(layout.grid())) {}

 protected:
  Layout const& layout_;
  Comm comm_;
  RouterTree const& tree_;
  std::vector<int> ways_;
  Box region_;
  bool packed_;
  Chunks chunks_;

  std::vector<int> const& children() const { return tree_.children(comm_.rank()); }
  std::vector<int> parent() const {
    return comm_.root() ? std::vector<int>{} : std::vector<int>{tree_.parent(comm_.rank())};
  }
  int way(int tile) const { return ways_[static_cast<std::size_t>(layout_.owner(tile))]; }

  std::size_t cells_of_row(Box const& piece) const { return static_cast<std::size_t>(piece.hi.i - piece.lo.i); }
  /// Where a piece begins in the rows of the region.
  std::size_t column(Box const& piece) const { return static_cast<std::size_t>(piece.lo.i - region_.lo.i); }
  /// Bytes that a row of a piece has on its way. Bits go with the others of their byte, so that nobody has to shift them.
  std::size_t bytes_of_row(Box const& piece) const {
    return packed_ ? detail::bytes_of_bits(column(piece), cells_of_row(piece)) : cells_of_row(piece) * sizeof(T);
  }
  /// Bytes of a chunk for this rank (`all`: and for those below it) and for each child.
  struct Share {
    std::size_t all = 0;
    std::vector<std::size_t> below;
  };
  Share share(Chunks::Chunk const& chunk) const {
    Share share{0, std::vector<std::size_t>(children().size())};
    chunks_.for_each_piece(chunk, [&](int tile, Box const& piece) {
      int const to = way(tile);
      if (to < 0) return;
      std::size_t const bytes = static_cast<std::size_t>(piece.hi.j - piece.lo.j) * bytes_of_row(piece);
      share.all += bytes;
      if (to > 0) share.below[static_cast<std::size_t>(to) - 1] += bytes;
    });
    return share;
  }
  /// Calls f(way, tile, piece, j, bytes of the row) for each row of a tile that this rank owns or hands on.
  template <class F>
  void for_each_row(Chunks::Chunk const& chunk, F const& f) const {
    chunks_.for_each_piece(chunk, [&](int tile, Box const& piece) {
      int const to = way(tile);
      if (to < 0) return;
      auto const bytes = bytes_of_row(piece);
      for (Count j = piece.lo.j; j < piece.hi.j; ++j) f(to, tile, piece, j, bytes);
    });
  }
  template <class S>
  S* field_row(FieldView<S> const& view, int tile, Box const& piece, Count j) const {
    Box const box = layout_.grid().tile_box(tile);
    return view.row(layout_.slot(tile), static_cast<int>(piece.lo.k - box.lo.k), static_cast<int>(j - box.lo.j)) +
           (piece.lo.i - box.lo.i);
  }
  /// The root's place of a row of a tile among the rows of the region that it holds.
  Count place(Chunks::Chunk const& chunk, Box const& piece, Count j) const {
    return chunks_.offset(chunk, {piece.lo.i, j, piece.lo.k}) + (chunk.lo - region_.lo.i);
  }
};

template <class T>
class Down : Stream<T> {
  using Chunk = Chunks::Chunk;

 public:
  Down(Layout const& layout, Plan const& plan, FieldView<T> view, double (*map)(double))
      : Stream<T>(layout, plan),
        view_(view),
        map_(map),
        out_(detail::under_way, Outgoing(this->comm_, this->children())) {
    if (this->packed_) unpack_ = {detail::converted<T>(plan.values[0], {}), detail::converted<T>(plan.values[1], {})};
  }

  /// Root: reads on while the chunks before travel.
  void read(RowSource& source) {
    Failure failure;
    try {
      for (Count n = 0; n < this->chunks_.count(); ++n) {
        Chunk const chunk = this->chunks_.chunk(n);
        if (n % this->chunks_.parts() == 0) next_rows(source, chunk.rows);
        hand_on(n, chunk, [&](Box const& piece, Count j, std::size_t) { return read_row(chunk, piece, j); });
        detail::count_held(raw_.size() + values_.size() * sizeof(T) + outgoing());
      }
    } catch (...) {
      failure = Failure::caught();
    }
    finish(failure, nullptr);
  }

  /// Others: take from above what is for them and for those below.
  void receive() {
    Incoming in(this->comm_, this->parent());
    for (Count n = 0; n < this->chunks_.count(); ++n) {
      Chunk const chunk = this->chunks_.chunk(n);
      std::size_t const all = this->share(chunk).all;
      if (all == 0) continue;
      in.begin({all});
      in.wait();
      Header const header = in.header(0);
      if (header.chunk == Header::at_failure) return finish({}, &header);
      core::expect(header.chunk == n, "chunks come in their order");
      hand_on(n, chunk, [&](Box const&, Count, std::size_t bytes) { return in.take(0, bytes); });
      detail::count_held(in.held() + outgoing());
    }
    finish({}, nullptr);
  }

 private:
  FieldView<T> view_;
  double (*map_)(double);
  std::vector<Outgoing> out_;
  std::size_t turn_ = 0;
  std::vector<std::byte> raw_;
  std::vector<T> values_;
  detail::Unpacker<T> unpack_;

  /// Bytes of a row of the region as bits.
  std::size_t packed_row() const { return (static_cast<std::size_t>(this->region_.hi.i - this->region_.lo.i) + 7) / 8; }
  void next_rows(RowSource& source, Count rows) {
    if (this->packed_) {
      raw_.resize(static_cast<std::size_t>(rows) * packed_row());
      return source.next_bits(rows, raw_);
    }
    auto const cells = static_cast<std::size_t>(rows * (this->region_.hi.i - this->region_.lo.i));
    values_.resize(cells);
    bool const as_it_is = map_ == nullptr && size_of(source.element()) == sizeof(T) && source.element() == element_;
    if (as_it_is) return source.next(rows, std::as_writable_bytes(std::span(values_)));
    raw_.resize(cells * size_of(source.element()));
    source.next(rows, raw_);
    detail::convert(source.element(), raw_, map_, std::span(values_), source.name());
  }
  static constexpr core::Element element_ = core::element_of<T>();
  /// The row of a piece among those that the root has read.
  std::byte const* read_row(Chunk const& chunk, Box const& piece, Count j) const {
    Count const place = this->place(chunk, piece, j);
    if (!this->packed_) return reinterpret_cast<std::byte const*>(values_.data() + place);
    auto const row = static_cast<std::size_t>(place / (this->region_.hi.i - this->region_.lo.i));
    return raw_.data() + row * packed_row() + this->column(piece) / 8;
  }
  /// A row that has come to its owner.
  void keep(std::byte const* row, std::size_t bytes, int tile, Box const& piece, Count j) {
    T* const cells = this->field_row(view_, tile, piece, j);
    if (this->packed_)
      unpack_(row, this->column(piece) % 8, this->cells_of_row(piece), cells);
    else
      std::memcpy(cells, row, bytes);
  }

  std::size_t outgoing() const {
    std::size_t bytes = 0;
    for (auto const& out : out_) bytes += out.held();
    return bytes;
  }
  /// `row_at(piece, j, bytes)`: where a row of a tile lies, asked for in the order in which cells travel.
  template <class F>
  void hand_on(Count n, Chunk const& chunk, F const& row_at) {
    Outgoing& out = out_[turn_++ % out_.size()];
    out.begin(n, this->share(chunk).below);
    this->for_each_row(chunk, [&](int to, int tile, Box const& piece, Count j, std::size_t bytes) {
      std::byte const* const row = row_at(piece, j, bytes);
      if (to == 0)
        keep(row, bytes, tile, piece, j);
      else
        out.put(static_cast<std::size_t>(to) - 1, row, bytes);
    });
    out.send();
  }
  void finish(Failure const& failure, Header const* come) {
    for (auto& out : out_) out.wait();
    detail::count_stream(this->chunks_.count());
    detail::conclude(this->comm_, failure, come);
  }
};

template <class T>
class Up : Stream<T> {
  using Chunk = Chunks::Chunk;

 public:
  Up(Layout const& layout, Plan const& plan, FieldView<T const> view)
      : Stream<T>(layout, plan),
        view_(view),
        in_{Incoming(this->comm_, this->children()), Incoming(this->comm_, this->children())},
        out_{Outgoing(this->comm_, this->parent()), Outgoing(this->comm_, this->parent())} {}

  /// `sink` on the root. After its first failure the root only empties the tree.
  void run(RowSink* sink) {
    Failure failure;
    ask(0);
    for (Count n = 0; n < this->chunks_.count(); ++n) {
      ask(n + 1);
      Chunk const chunk = this->chunks_.chunk(n);
      in(n).wait();
      if (this->comm_.root())
        keep(n, chunk, *sink, failure);
      else
        hand_on(n, chunk);
      detail::count_held(in_[0].held() + in_[1].held() + out_[0].held() + out_[1].held() + values_.size() * sizeof(T));
    }
    for (auto& out : out_) out.wait();
    detail::count_stream(this->chunks_.count());
    detail::conclude(this->comm_, failure);
  }

 private:
  FieldView<T const> view_;
  std::array<Incoming, 2> in_;
  std::array<Outgoing, 2> out_;
  std::size_t turn_ = 0;
  std::vector<T> values_;

  Incoming& in(Count n) { return in_[static_cast<std::size_t>(n % 2)]; }
  void ask(Count n) {
    if (n < this->chunks_.count()) in(n).begin(this->share(this->chunks_.chunk(n)).below);
  }
  void const* row_at(Count n, int to, int tile, Box const& piece, Count j, std::size_t bytes) {
    if (to > 0) return in(n).take(static_cast<std::size_t>(to) - 1, bytes);
    return this->field_row(view_, tile, piece, j);
  }
  void keep(Count n, Chunk const& chunk, RowSink& sink, Failure& failure) {
    values_.resize(static_cast<std::size_t>(chunk.rows * (this->region_.hi.i - this->region_.lo.i)));
    this->for_each_row(chunk, [&](int to, int tile, Box const& piece, Count j, std::size_t bytes) {
      std::memcpy(values_.data() + this->place(chunk, piece, j), row_at(n, to, tile, piece, j, bytes), bytes);
    });
    if (failure || (n + 1) % this->chunks_.parts() != 0) return;
    try {
      sink.next(chunk.rows, std::as_bytes(std::span(values_)));
    } catch (...) {
      failure = Failure::caught();
    }
  }
  void hand_on(Count n, Chunk const& chunk) {
    std::size_t const all = this->share(chunk).all;
    if (all == 0) return;
    Outgoing& out = out_[turn_++ % 2];
    out.begin(n, {all});
    this->for_each_row(chunk, [&](int to, int tile, Box const& piece, Count j, std::size_t bytes) {
      out.put(0, row_at(n, to, tile, piece, j, bytes), bytes);
    });
    out.send();
  }
};

/// A source whose rows come in the other order: holds a layer.
class Turned final : public RowSource {
 public:
  explicit Turned(std::unique_ptr<RowSource> source) : source_(std::move(source)) {
    row_ = static_cast<std::size_t>(source_->cells()[0]) * size_of(source_->element());
  }
  core::Grid::Shape cells() const override { return source_->cells(); }
  core::Element element() const override { return source_->element(); }
  bool top_down() const override { return !source_->top_down(); }
  std::string name() const override { return source_->name(); }
  void next(Count rows, std::span<std::byte> values) override {
    for (Count r = 0; r < rows; ++r) {
      if (left_ == 0) {
        left_ = cells()[1];
        layer_.resize(static_cast<std::size_t>(left_) * row_);
        source_->next(left_, layer_);
      }
      --left_;
      std::memcpy(values.data() + static_cast<std::size_t>(r) * row_,
                  layer_.data() + static_cast<std::size_t>(left_) * row_, row_);
    }
  }

 private:
  std::unique_ptr<RowSource> source_;
  std::size_t row_ = 0;
  Count left_ = 0;  // rows of the layer not yet given, from its beginning
  std::vector<std::byte> layer_;
};

}  // namespace

void RowSource::next_bits(Count, std::span<std::byte>) {
  core::expect(false, "rows of this source are stored as bits");
}

void distribute(RowSource* source, core::FieldBase& field, core::Index at, double (*map)(double)) {
  core::Timed const timed(core::Part::io);
  Layout const& layout = field.layout();
  Comm const& comm = layout.comm();
  Box const grid = layout.grid().box();
  Plan plan;
  on_root(comm, [&] {
    core::expect(source != nullptr, "the root gives the source");
    auto const n = source->cells();
    plan.region = {at, at + core::Index{n[0], n[1], n[2]}};
    if (!(core::intersect(plan.region, grid) == plan.region))
      throw core::Error(source->name(), 0,
                        fmt::format("{} x {} x {} cells at ({} {} {}) do not fit into the grid of {} x {} x {}", n[0],
                                    n[1], n[2], at.i, at.j, at.k, grid.hi.i, grid.hi.j, grid.hi.k));
    plan.top_down = source->top_down();
    plan.bytes = static_cast<std::int64_t>(std::max(size_of(source->element()), size_of(field.element())));
    if (auto const bits = source->bits()) {
      plan.packed = 1;
      for (std::size_t n = 0; n < 2; ++n) {
        plan.values[n] = map == nullptr ? (*bits)[n] : map((*bits)[n]);
        detail::with_type(field.element(), [&]<class T>(std::type_identity<T>) {
          detail::converted<T>(plan.values[n], source->name());
        });
      }
    }
  });
  plan = agreed(comm, plan);
  core::visit(field, [&]<class T>(core::Field<T>& f) {
    Down<T> down(layout, plan, f.host(), map);
    comm.root() ? down.read(*source) : down.receive();
  });
}

void gather(core::FieldBase const& field, Box const& region, RowSink* sink) {
  core::Timed const timed(core::Part::io);
  Layout const& layout = field.layout();
  core::expect(core::intersect(region, layout.grid().box()) == region, "the region to gather lies in the grid");
  Plan plan{region, 0, static_cast<std::int64_t>(size_of(field.element()))};
  on_root(layout.comm(), [&] {
    core::expect(sink != nullptr, "the root gives the sink");
    plan.top_down = sink->top_down();
  });
  plan = agreed(layout.comm(), plan);
  core::visit(field, [&]<class T>(core::Field<T> const& f) { Up<T>(layout, plan, f.host()).run(sink); });
}

void finish(Comm const& comm, RowSink* sink) {
  core::Timed const timed(core::Part::io);
  on_root(comm, [&] { sink->finish(); });
}

std::unique_ptr<RowSource> turned(std::unique_ptr<RowSource> source) {
  if (source->turn()) return source;
  return std::make_unique<Turned>(std::move(source));
}

}  // namespace tessera::io
