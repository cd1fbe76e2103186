// SPDX-License-Identifier: Apache-2.0
#include "io/rows.hpp"

#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/files/types.hpp"
#include "io/stream/hand_on.hpp"
#include "io/stream/stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace tessera::io {
namespace {

using core::Box;
using core::Comm;
using core::Count;
using core::Layout;
using detail::Chunks;
using detail::Incoming;
using detail::Outgoing;
using detail::Plan;

template <class T>
class Up : detail::Stream<T> {
  using Chunk = Chunks::Chunk;

 public:
  Up(Layout const& layout, Plan const& plan, core::Field<T> const& field)
      : detail::Stream<T>(layout, plan),
        rows_(field),
        place_(routers_of(this->comm_), 0, this->comm_.rank()),
        in_{Incoming(this->comm_), Incoming(this->comm_)},
        out_{Outgoing(this->comm_), Outgoing(this->comm_)} {}

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
    agree(this->comm_, failure);
  }

 private:
  core::RowReader<T> rows_;
  detail::Place place_;
  std::array<Incoming, 2> in_;
  std::array<Outgoing, 2> out_;
  std::size_t turn_ = 0;
  std::vector<T> values_;

  Incoming& in(Count n) { return in_[n % 2]; }
  void ask(Count n) {
    if (n < this->chunks_.count()) in(n).begin(place_.children, this->share(place_, this->chunks_.chunk(n)).below);
  }
  void const* row_at(Count n, int to, int tile, Box const& piece, Count j, std::size_t bytes) {
    if (to > 0) return in(n).take(static_cast<std::size_t>(to) - 1, bytes);
    return rows_(this->row_piece(tile, piece, j));
  }
  void keep(Count n, Chunk const& chunk, RowSink& sink, Failure& failure) {
    values_.resize(chunk.rows * (this->region_.hi.i - this->region_.lo.i));
    this->for_each_row(place_, chunk, [&](int to, int tile, Box const& piece, Count j, std::size_t bytes) {
      std::memcpy(values_.data() + this->offset(chunk, piece, j), row_at(n, to, tile, piece, j, bytes), bytes);
    });
    if (failure || (n + 1) % this->chunks_.parts() != 0) return;
    try {
      sink.next(chunk.rows, std::as_bytes(std::span(values_)));
    } catch (...) {
      failure = Failure::caught();
    }
  }
  void hand_on(Count n, Chunk const& chunk) {
    std::size_t const all = this->share(place_, chunk).all;
    if (all == 0) return;
    Outgoing& out = out_[turn_++ % 2];
    out.begin(n, place_.parent, {all});
    this->for_each_row(place_, chunk, [&](int to, int tile, Box const& piece, Count j, std::size_t bytes) {
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
  StoredType stored() const override { return source_->stored(); }
  std::optional<Placement> placement() const override { return source_->placement(); }
  std::string note() const override { return source_->note(); }
  std::string rule() const override { return source_->rule(); }
  std::optional<std::int64_t> generation() const override { return source_->generation(); }
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

/// The part of a source that lies in a box.
class Cut final : public RowSource {
 public:
  Cut(std::unique_ptr<RowSource> source, Box const& box) : source_(std::move(source)), box_(box) {
    all_ = source_->cells();
    bytes_ = size_of(source_->element());
    core::expect(!box.empty() && core::intersect(box, {{}, {all_[0], all_[1], all_[2]}}) == box,
                 "the box lies in the source");
    row_.resize(static_cast<std::size_t>(all_[0]) * bytes_);
    if (Count const first = file_row(0); source_->seek(first)) at_ = first;
  }
  core::Grid::Shape cells() const override {
    auto const n = box_.shape();
    return {n.i, n.j, n.k};
  }
  core::Element element() const override { return source_->element(); }
  bool top_down() const override { return source_->top_down(); }
  std::string name() const override { return source_->name(); }
  StoredType stored() const override { return source_->stored(); }
  std::string note() const override { return source_->note(); }
  std::string rule() const override { return source_->rule(); }
  std::optional<std::int64_t> generation() const override { return source_->generation(); }
  std::optional<Placement> placement() const override {
    auto place = source_->placement();
    Count const lo[3] = {box_.lo.i, box_.lo.j, box_.lo.k};
    for (std::size_t a = 0; place && a < 3; ++a) place->origin[a] += place->spacing[a] * static_cast<double>(lo[a]);
    return place;
  }
  void next(Count rows, std::span<std::byte> values) override {
    std::size_t const length = static_cast<std::size_t>(box_.shape().i) * bytes_;
    for (Count r = 0; r < rows; ++r) {
      for (Count const wanted = file_row(given_++); at_ <= wanted; ++at_) source_->next(1, row_);
      std::memcpy(values.data() + static_cast<std::size_t>(r) * length,
                  row_.data() + static_cast<std::size_t>(box_.lo.i) * bytes_, length);
    }
  }

 private:
  /// The place in the file of a row of the box.
  Count file_row(Count row) const {
    Count const rows = box_.shape().j, k = box_.lo.k + row / rows, r = row % rows;
    return k * all_[1] + r + (top_down() ? all_[1] - box_.hi.j : box_.lo.j);
  }

  std::unique_ptr<RowSource> source_;
  Box box_;
  core::Grid::Shape all_{};
  std::size_t bytes_ = 0;
  std::vector<std::byte> row_;  ///< of the file
  Count at_ = 0, given_ = 0;    ///< rows of the file that were read, of the box that were given
};

}  // namespace

void RowSource::next_bits(Count, std::span<std::byte>) {
  core::expect(false, "rows of this source are stored as bits");
}

StoredType RowSource::stored() const { return detail::stored_type(detail::raw_type("", element(), name())); }

void gather(core::FieldBase const& field, Box const& region, RowSink* sink) {
  core::Timed const timed(core::Part::io);
  Layout const& layout = field.layout();
  core::expect(core::intersect(region, layout.grid().box()) == region, "the region to gather lies in the grid");
  Plan plan{region, 0, static_cast<std::int64_t>(size_of(field.element()))};
  on_root(layout.comm(), [&] {
    core::expect(sink != nullptr, "the root gives the sink");
    plan.top_down = sink->top_down();
  });
  plan = detail::agreed(layout.comm(), plan);
  core::visit(field, [&]<class T>(core::Field<T> const& f) { Up<T>(layout, plan, f).run(sink); });
}

void finish(Comm const& comm, RowSink* sink) {
  core::Timed const timed(core::Part::io);
  on_root(comm, [&] { sink->finish(); });
}

std::unique_ptr<RowSource> cut(std::unique_ptr<RowSource> source, Box const& box) {
  return std::make_unique<Cut>(std::move(source), box);
}

std::unique_ptr<RowSource> turned(std::unique_ptr<RowSource> source) {
  if (source->turn()) return source;
  return std::make_unique<Turned>(std::move(source));
}

}  // namespace tessera::io
