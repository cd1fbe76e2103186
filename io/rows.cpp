// SPDX-License-Identifier: Apache-2.0
// Root and ranks talk in one way in both directions: the root sends a header that names a strip, or the end, or a failure;
// a rank does what the last header says. So a rank never waits for something that an error has made impossible.
#include "io/rows.hpp"

#include "core/error.hpp"
#include "core/times.hpp"
#include "io/detail/values.hpp"
#include "io/together.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <map>
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

constexpr int header_tag = 7101, data_tag = 7102;
constexpr std::int64_t at_end = -1, at_failure = -2;

/// `strip` >= 0: its number; else the end, or a failure of `kind`. `bytes` of data follow (root to ranks).
struct Header {
  std::int64_t strip = at_end, bytes = 0, kind = Failure::none;
};

/// A region of the grid cut into strips: the cells of one row of tiles in one layer. Numbered layer by layer, upwards.
class Strips {
 public:
  Strips(core::Grid const& grid, Box const& region) : grid_(grid), region_(region), tile_(grid.tile()) {
    first_ = region.lo.j / tile_[1];
    a_layer_ = region.empty() ? 0 : (region.hi.j - 1) / tile_[1] - first_ + 1;
  }
  Count count() const { return a_layer_ * (region_.hi.k - region_.lo.k); }
  /// The n-th strip in the order of a file.
  Count number(Count n, bool top_down) const {
    Count const layer = n / a_layer_, row = n % a_layer_;
    return layer * a_layer_ + (top_down ? a_layer_ - 1 - row : row);
  }
  Box box(Count number) const {
    Count const k = region_.lo.k + number / a_layer_, row = first_ + number % a_layer_;
    return core::intersect(region_, {{region_.lo.i, row * tile_[1], k}, {region_.hi.i, (row + 1) * tile_[1], k + 1}});
  }
  /// Calls f(tile, cells of the tile in the strip) from left to right.
  template <class F>
  void for_each_tile(Count number, F const& f) const {
    Box const strip = box(number);
    for (Count it = strip.lo.i / tile_[0]; it * tile_[0] < strip.hi.i; ++it) {
      int const tile = grid_.tile_number({it, strip.lo.j / tile_[1], strip.lo.k / tile_[2]});
      f(tile, core::intersect(grid_.tile_box(tile), strip));
    }
  }

 private:
  core::Grid const& grid_;
  Box region_;
  core::Grid::Shape tile_;
  Count first_ = 0, a_layer_ = 0;
};

/// Copies a piece between a strip's rows in memory, in the order of the file, and a buffer or a field.
struct StripRows {
  Box strip;
  bool top_down;
  Count offset(Count j, Count i) const {
    Count const row = top_down ? strip.hi.j - 1 - j : j - strip.lo.j;
    return row * (strip.hi.i - strip.lo.i) + (i - strip.lo.i);
  }
};

template <class T>
T* field_row(FieldView<T> const& view, Layout const& layout, int tile, Count j, Box const& piece) {
  int const slot = layout.slot(tile);
  Box const box = layout.grid().tile_box(tile);
  return view.row(slot, static_cast<int>(piece.lo.k - box.lo.k), static_cast<int>(j - box.lo.j)) +
         (piece.lo.i - box.lo.i);
}

/// Calls f(row of the field, bytes of it) for all cells of this rank in a strip, in the order in which they are sent.
template <class T, class F>
void for_own_rows(Strips const& strips, Count number, Layout const& layout, FieldView<T> const& view, F const& f) {
  strips.for_each_tile(number, [&](int tile, Box const& piece) {
    if (layout.owner(tile) != layout.comm().rank()) return;
    for (Count j = piece.lo.j; j < piece.hi.j; ++j)
      f(field_row(view, layout, tile, j, piece), static_cast<std::size_t>(piece.hi.i - piece.lo.i) * sizeof(T));
  });
}

/// Messages of one strip under way; their memory lives until wait().
struct InFlight {
  std::map<int, Bytes> data;
  std::map<int, Header> headers;
  std::vector<MPI_Request> requests;

  void send_header(Comm const& comm, int to, Header const& header) {
    Header& kept = headers[to] = header;
    comm.start_send(to, std::as_bytes(std::span(&kept, 1)), header_tag, requests);
  }
  void wait() {
    Comm::wait_all(requests);
    data.clear();
    headers.clear();
  }
};

void send_to_others(Comm const& comm, Header header, std::string const& text) {
  header.bytes = static_cast<std::int64_t>(text.size());
  for (int to = 1; to < comm.size(); ++to) {
    comm.send(to, std::as_bytes(std::span(&header, 1)), header_tag);
    comm.send(to, std::as_bytes(std::span(text)), data_tag);
  }
}

/// Root: runs `strips` and tells the others how it ended.
template <class F>
void lead(Comm const& comm, std::array<InFlight, 2>& flights, F const& strips) {
  try {
    strips();
    for (auto& flight : flights) flight.wait();
  } catch (...) {
    Failure const failure = Failure::caught();
    for (auto& flight : flights) flight.wait();
    send_to_others(comm, {at_failure, 0, failure.kind}, failure.text);
    failure.raise();
  }
  send_to_others(comm, {}, {});
}

/// Others: calls f(header) for each strip until the end; throws the root's failure.
template <class F>
void follow(Comm const& comm, F const& f) {
  for (;;) {
    Header header;
    comm.receive(0, std::as_writable_bytes(std::span(&header, 1)), header_tag);
    if (header.strip == at_end) return;
    if (header.strip == at_failure) {
      Failure failure{static_cast<Failure::Kind>(header.kind),
                      std::string(static_cast<std::size_t>(header.bytes), ' ')};
      comm.receive(0, std::as_writable_bytes(std::span(failure.text)), data_tag);
      failure.raise();
    }
    f(header);
  }
}

/// Root's half of distribute: reads a strip, converts it, and sends it off while the next one is read.
template <class T>
void send_strips(RowSource& source, Strips const& strips, Layout const& layout, FieldView<T> view,
                 double (*map)(double)) {
  bool const top_down = source.top_down();
  std::array<InFlight, 2> flights;
  std::vector<std::byte> raw;
  std::vector<T> values;
  lead(layout.comm(), flights, [&] {
    for (Count n = 0; n < strips.count(); ++n) {
      Count const number = strips.number(n, top_down);
      StripRows const rows{strips.box(number), top_down};
      auto const cells = static_cast<std::size_t>(rows.strip.cells());
      raw.resize(cells * size_of(source.element()));
      values.resize(cells);
      source.next(rows.strip.hi.j - rows.strip.lo.j, raw);
      detail::convert(source.element(), raw, map, std::span(values), source.name());

      InFlight& flight = flights[static_cast<std::size_t>(n % 2)];
      flight.wait();
      strips.for_each_tile(number, [&](int tile, Box const& piece) {
        int const owner = layout.owner(tile);
        auto const length = static_cast<std::size_t>(piece.hi.i - piece.lo.i);
        for (Count j = piece.lo.j; j < piece.hi.j; ++j) {
          T const* const row = values.data() + rows.offset(j, piece.lo.i);
          if (owner == 0)
            std::memcpy(field_row(view, layout, tile, j, piece), row, length * sizeof(T));
          else
            core::append(flight.data[owner], std::span(row, length));
        }
      });
      for (auto const& [to, data] : flight.data) {
        flight.send_header(layout.comm(), to, {number, static_cast<std::int64_t>(data.size())});
        layout.comm().start_send(to, data, data_tag, flight.requests);
      }
    }
  });
}

template <class T>
void receive_strips(Strips const& strips, Layout const& layout, FieldView<T> view) {
  Bytes data;
  follow(layout.comm(), [&](Header const& header) {
    data.resize(static_cast<std::size_t>(header.bytes));
    layout.comm().receive(0, data, data_tag);
    std::size_t at = 0;
    for_own_rows(strips, header.strip, layout, view, [&](T* row, std::size_t bytes) {
      std::memcpy(row, data.data() + at, bytes);
      at += bytes;
    });
  });
}

/// Root's half of gather: asks for the parts of the next strip before it hands this one to the sink.
template <class T>
void collect_strips(RowSink& sink, Strips const& strips, Layout const& layout, FieldView<T const> view) {
  bool const top_down = sink.top_down();
  Comm const& comm = layout.comm();
  std::array<InFlight, 2> flights;
  std::vector<T> values;

  auto const ask = [&](Count n) {
    if (n >= strips.count()) return;
    InFlight& flight = flights[static_cast<std::size_t>(n % 2)];
    Count const number = strips.number(n, top_down);
    strips.for_each_tile(number, [&](int tile, Box const& piece) {
      auto& data = flight.data[layout.owner(tile)];
      data.resize(data.size() + static_cast<std::size_t>(piece.cells()) * sizeof(T));
    });
    flight.data.erase(0);
    for (auto& [from, data] : flight.data) {
      flight.send_header(comm, from, {number});
      comm.start_receive(from, data, data_tag, flight.requests);
    }
  };
  auto const place = [&](Count n) {
    InFlight& flight = flights[static_cast<std::size_t>(n % 2)];
    Comm::wait_all(flight.requests);
    Count const number = strips.number(n, top_down);
    StripRows const rows{strips.box(number), top_down};
    values.resize(static_cast<std::size_t>(rows.strip.cells()));
    std::map<int, std::size_t> at;
    strips.for_each_tile(number, [&](int tile, Box const& piece) {
      int const owner = layout.owner(tile);
      auto const bytes = static_cast<std::size_t>(piece.hi.i - piece.lo.i) * sizeof(T);
      for (Count j = piece.lo.j; j < piece.hi.j; ++j) {
        T* const row = values.data() + rows.offset(j, piece.lo.i);
        if (owner == 0) {
          std::memcpy(row, field_row(view, layout, tile, j, piece), bytes);
        } else {
          std::memcpy(row, flight.data[owner].data() + at[owner], bytes);
          at[owner] += bytes;
        }
      }
    });
    flight.wait();
    return rows.strip.hi.j - rows.strip.lo.j;
  };

  lead(comm, flights, [&] {
    ask(0);
    for (Count n = 0; n < strips.count(); ++n) {
      ask(n + 1);
      Count const rows = place(n);
      sink.next(rows, std::as_bytes(std::span(values)));
    }
  });
}

template <class T>
void offer_strips(Strips const& strips, Layout const& layout, FieldView<T const> view) {
  Bytes data;
  follow(layout.comm(), [&](Header const& header) {
    data.clear();
    for_own_rows(strips, header.strip, layout, view, [&](T const* row, std::size_t bytes) {
      core::append(data, std::span(reinterpret_cast<std::byte const*>(row), bytes));
    });
    layout.comm().send(0, data, data_tag);
  });
}

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

void distribute(RowSource* source, core::FieldBase& field, core::Index at, double (*map)(double)) {
  core::Timed const timed(core::Part::io);
  Layout const& layout = field.layout();
  Comm const& comm = layout.comm();
  Box const grid = layout.grid().box();
  Bytes shape;
  on_root(comm, [&] {
    core::expect(source != nullptr, "the root gives the source");
    auto const n = source->cells();
    Box const region{at, at + core::Index{n[0], n[1], n[2]}};
    if (!(core::intersect(region, grid) == region))
      throw core::Error(source->name(), 0,
                        fmt::format("{} x {} x {} cells at ({} {} {}) do not fit into the grid of {} x {} x {}", n[0],
                                    n[1], n[2], at.i, at.j, at.k, grid.hi.i, grid.hi.j, grid.hi.k));
    core::append(shape, region);
  });
  comm.broadcast(shape);
  Strips const strips(layout.grid(), core::ByteReader(shape).take<Box>());
  core::visit(field, [&]<class T>(core::Field<T>& f) {
    if (comm.root())
      send_strips<T>(*source, strips, layout, f.host(), map);
    else
      receive_strips<T>(strips, layout, f.host());
  });
}

void gather(core::FieldBase const& field, Box const& region, RowSink* sink) {
  core::Timed const timed(core::Part::io);
  Layout const& layout = field.layout();
  on_root(layout.comm(), [&] { core::expect(sink != nullptr, "the root gives the sink"); });
  core::expect(core::intersect(region, layout.grid().box()) == region, "the region to gather lies in the grid");
  Strips const strips(layout.grid(), region);
  core::visit(field, [&]<class T>(core::Field<T> const& f) {
    if (layout.comm().root())
      collect_strips<T>(*sink, strips, layout, f.host());
    else
      offer_strips<T>(strips, layout, f.host());
  });
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
