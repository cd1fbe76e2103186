// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/joining.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tessera::ca::blocks {
namespace {

constexpr Id source = 0, sink = 1;

}  // namespace

/// Layers of cells within reach of faces inside a box, or at its two ends where steps lead from one to the other round a
/// periodic axis: a number for each cell of them.
class Joining::Faces {
 public:
  Faces(core::Grid const& grid, core::Index const& reach, core::Box const& box, std::vector<core::Box> const& boxes,
        std::vector<std::vector<Id>>& storage)
      : box_(box),
        n_(box.shape()),
        storage_(storage) {
    for (std::size_t a = 0; a < 3; ++a) {
      core::Count const lo = along(box.lo, a), hi = along(box.hi, a), deep = along(reach, a);
      for (core::Box const& child : boxes)
        if (core::Count const face = along(child.lo, a); face != lo) {
          for (core::Count p = std::max(lo, face - deep); p < std::min(hi, face + deep); ++p) add(a, p);
          break;
        }
      if (grid.periodic(static_cast<int>(a)) && grid.cells()[a] - (hi - lo) < deep)
        for (core::Count n = 0; n < std::min(deep, hi - lo); ++n) {
          add(a, lo + n);
          add(a, hi - 1 - n);
        }
    }
  }
  /// nullptr: no layer holds the cell.
  Id* at(core::Index const& x) {
    for (Layer const& layer : layers_)
      if (along(x, layer.axis) == layer.at) {
        core::Index const p = x - box_.lo;
        core::Count const n = layer.axis == 0   ? p.k * n_.j + p.j
                              : layer.axis == 1 ? p.k * n_.i + p.i
                                                : p.j * n_.i + p.i;
        return &storage_[layer.number][static_cast<std::size_t>(n)];
      }
    return nullptr;
  }

 private:
  struct Layer {
    std::size_t axis;
    core::Count at;
    std::size_t number;
  };
  void add(std::size_t axis, core::Count at) {
    core::Count const cells = axis == 0 ? n_.j * n_.k : axis == 1 ? n_.i * n_.k : n_.i * n_.j;
    for (Layer const& layer : layers_)
      if (layer.axis == axis && layer.at == at) return;
    if (storage_.size() == layers_.size()) storage_.emplace_back();
    auto& numbers = storage_[layers_.size()];
    if (numbers.size() < static_cast<std::size_t>(cells)) numbers.resize(static_cast<std::size_t>(cells));
    layers_.push_back({axis, at, layers_.size()});
  }

  core::Box box_;
  core::Index n_;
  std::vector<std::vector<Id>>& storage_;
  std::vector<Layer> layers_;
};

void Joining::take(std::vector<Reduced*> const& children, JoinRecord& record) {
  place_.assign(2, 0);
  leaving_.assign(2, 0);
  begin_.assign(1, 0);
  members_.clear();
  for (Reduced* const of_child : children) {
    Reduced& child = *of_child;
    auto const first = static_cast<Id>(place_.size());
    auto const shift = static_cast<Id>(members_.size());
    std::size_t const ends = child.ends ? 2 : 0;
    if (place_.size() + child.places.size() > most_vertices)
      throw core::RunError("the borders of a region have more cells than a rank can join, 2^30");
    place_.insert(place_.end(), child.places.begin() + static_cast<std::ptrdiff_t>(ends), child.places.end());
    leaving_.insert(leaving_.end(), child.leaving.begin() + static_cast<std::ptrdiff_t>(ends), child.leaving.end());
    for (Id const v : child.members) members_.push_back(v < ends ? v : v - static_cast<Id>(ends) + first);
    for (std::size_t e = 1; e < child.begin.size(); ++e) begin_.push_back(child.begin[e] + shift);
    record.children.push_back({first, child.vertices(), child.elements(), child.ends});
    child = {};
  }
}

void Joining::find_edges(core::Box const& box, std::vector<core::Box> const& boxes) {
  from_.clear();
  to_.clear();
  auto const n = static_cast<Id>(place_.size());
  Faces faces(grid_, reach_, box, boxes, face_);
  for (Id v = 2; v < n; ++v)
    if (leaving_[v] != 0)
      if (Id* const place = faces.at(places_.cell(place_[v])); place != nullptr) *place = v;
  std::size_t const half = directions_.size() / 2;
  auto const cells = grid_.cells();
  for (Id v = 2; v < n; ++v) {
    if (leaving_[v] == 0) continue;
    for (auto const& [bit, end] : {std::pair{to_source, source}, std::pair{to_sink, sink}})
      if ((leaving_[v] & bit) != 0) {
        from_.push_back(end);
        to_.push_back(v);
        leaving_[v] &= ~bit;
      }
    core::Index const x = places_.cell(place_[v]);
    if (leaving_[v] == 0 || faces.at(x) == nullptr) continue;
    for (Ways ways = leaving_[v]; ways != 0; ways &= ways - 1) {
      auto const d = static_cast<std::size_t>(std::countr_zero(ways));
      core::Index to = x + directions_[d];
      for (std::size_t a = 0; a < 3; ++a) {
        core::Count& p = along(to, a);
        while (p < 0) p += cells[a];
        while (p >= cells[a]) p -= cells[a];
      }
      if (!box.contains(to)) continue;
      leaving_[v] &= ~(Ways{1} << d);
      // each edge leaves both its ends, in opposite directions
      if (d < half) continue;
      from_.push_back(v);
      to_.push_back(*faces.at(to));
    }
  }
}

void Joining::list_neighbours() {
  auto& first = search_.first;
  first.assign(place_.size() + 1, 0);
  for (std::size_t e = 0; e + 1 < begin_.size(); ++e) {
    Id const a = begin_[e], b = begin_[e + 1], each = b - a == 2 ? 1 : 2;
    for (Id m = a; m < b; ++m) first[members_[m]] += each;
  }
  for (std::size_t n = 0; n < from_.size(); ++n) {
    ++first[from_[n]];
    ++first[to_[n]];
  }
  std::uint64_t sum = 0;
  for (Id& degree : first) {
    sum += degree;
    degree = static_cast<Id>(sum);
  }
  if (sum > none) throw core::RunError("the borders of a region have more edges than a rank can join, 2^32");
  search_.neighbours.resize(sum);
  auto const join = [&](Id a, Id b) {
    search_.neighbours[--first[a]] = b;
    search_.neighbours[--first[b]] = a;
  };
  for (std::size_t e = 0; e + 1 < begin_.size(); ++e) {
    Id const a = begin_[e], b = begin_[e + 1];
    for (Id m = a; m + 1 < b; ++m) join(members_[m], members_[m + 1]);
    if (b - a > 2) join(members_[b - 1], members_[a]);
  }
  for (std::size_t n = 0; n < from_.size(); ++n) join(from_[n], to_[n]);
}

/// Two cells may be neighbours on both sides of a periodic axis, source and sink joined in several regions.
bool Joining::joined_once(Id a, Id b) const {
  int edges = 0;
  for (Id n = search_.first[a]; n < search_.first[a + 1]; ++n) edges += search_.neighbours[n] == b;
  return edges == 1;
}

void Joining::join(core::Box const& box, std::vector<core::Box> const& boxes, std::vector<Reduced*> const& children,
                   JoinRecord& record, Reduced& reduced) {
  take(children, record);
  find_edges(box, boxes);
  list_neighbours();
  auto const n = place_.size();
  forest_.reset(n);
  forest_.single.assign(n, 0);
  for (std::size_t v = 0; v < n; ++v)
    if (v < 2 || leaving_[v] != 0) forest_.flag[v] = Forest::terminal;
  search_.run(forest_, [](Id, Id head) { return dead | head; });
  write(record, reduced);
}

void Joining::write(JoinRecord& record, Reduced& reduced) {
  // an element lies in the block of its deeper end
  record.element_label.resize(begin_.size() - 1);
  for (std::size_t e = 0; e + 1 < begin_.size(); ++e) {
    Id const a = members_[begin_[e]], b = members_[begin_[e] + 1];
    Id const x = search_.order[a] > search_.order[b] ? a : b;
    Id const label = (forest_.label[x] & dead) != 0 ? dead | x : forest_.label[x];
    bool const lone = begin_[e + 1] - begin_[e] == 2 && forest_.single[x] != 0 && joined_once(x, x == a ? b : a);
    record.element_label[e] = label | (lone ? alone : 0);
  }
  reduced.ends = true;
  auto const n = static_cast<Id>(place_.size());
  vertex_.resize(n);
  auto const vertex = [&](Id v) {
    forest_.flag[v] |= Forest::placed;
    vertex_[v] = static_cast<Id>(record.kept.size());
    reduced.places.push_back(place_[v]);
    reduced.leaving.push_back(leaving_[v]);
    record.kept.push_back(v);
  };
  for (Id v = 0; v < n; ++v) {
    if ((forest_.flag[v] & Forest::terminal) != 0) vertex(v);
    if ((forest_.flag[v] & Forest::cut) != 0) record.cuts.push_back(v);
  }
  reduced.begin = forest_.begin;
  reduced.members.reserve(forest_.members.size());
  for (Id const v : forest_.members) {
    if ((forest_.flag[v] & Forest::placed) == 0) vertex(v);
    reduced.members.push_back(vertex_[v]);
  }
  record.vertex_label = forest_.label;
  record.swallowed = forest_.swallowed;
  record.into = forest_.into;
}

std::vector<Answers> answer_children(JoinRecord const& record, Answers const& answers) {
  constexpr std::uint8_t known = 128;
  std::vector<std::uint8_t> vertices(record.vertex_label.size(), 0);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    Id const label = record.vertex_label[v];
    if (label == none)
      vertices[v] = known;
    else if ((label & dead) == 0)
      vertices[v] = known | (answers.elements[label] & (in_backbone | is_connecting));
  }
  for (std::size_t n = 0; n < record.kept.size(); ++n) vertices[record.kept[n]] |= known | answers.vertices[n];
  // what was dropped lies in the cluster of what it hung on; what hung on an end, in one that does not reach the other
  vertices[source] = vertices[sink] = known;
  std::vector<Id> way;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    Id x = static_cast<Id>(v);
    for (; (vertices[x] & known) == 0; x = number_of(record.vertex_label[x])) way.push_back(x);
    for (Id const w : way) vertices[w] = known | (vertices[x] & is_connecting);
    way.clear();
  }
  for (Id const v : record.cuts)
    if ((vertices[v] & is_connecting) != 0) vertices[v] |= is_articulation;
  for (std::size_t n = 0; n < record.swallowed.size(); ++n)
    vertices[record.swallowed[n]] |= answers.elements[record.into[n]] & (is_red | is_articulation);
  std::vector<Answers> children;
  std::size_t e = 0;
  for (JoinRecord::Child const& child : record.children) {
    Answers& to = children.emplace_back();
    if (child.ends) to.vertices.assign(2, 0);
    auto const from = vertices.begin() + static_cast<std::ptrdiff_t>(child.first);
    to.vertices.insert(to.vertices.end(), from, from + (child.vertices - (child.ends ? 2 : 0)));
    for (std::uint8_t& answer : to.vertices) answer &= static_cast<std::uint8_t>(~known);
    to.elements.resize(child.elements);
    for (std::uint8_t& answer : to.elements) {
      Id const label = record.element_label[e++];
      bool const lone = (label & alone) != 0;
      if ((label & dead) != 0)
        answer = (vertices[number_of(label)] & is_connecting) == 0
                     ? 0
                     : static_cast<std::uint8_t>(is_connecting | (lone ? is_articulation : 0));
      else
        answer = answers.elements[number_of(label)] & (lone ? 0xff : in_backbone | is_connecting);
    }
  }
  return children;
}

}  // namespace tessera::ca::blocks
