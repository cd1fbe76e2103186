// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/regions.hpp"

#include "core/grid/sweep.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

namespace tessera::ca::blocks {
namespace {

constexpr core::Tag tag = core::Tag::rank_joins;

/// Work of threads, which take one from here and give it back.
template <class Work>
class Workshop {
 public:
  template <class Make, class F>
  void use(Make const& make, F const& f) {
    std::unique_ptr<Work> work;
    {
      std::lock_guard const guard(lock_);
      if (!idle_.empty()) {
        work = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (work == nullptr) work = std::make_unique<Work>(make());
    f(*work);
    std::lock_guard const guard(lock_);
    idle_.push_back(std::move(work));
  }

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Work>> idle_;
};

/// Those of a list that are wanted.
template <class F>
std::vector<int> only(std::vector<int> const& nodes, F const& wanted) {
  std::vector<int> found;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(found), wanted);
  return found;
}

/// How many vertices, their answers, then the elements'.
core::Bytes packed(Answers const& answers) {
  std::size_t const vertices = answers.vertices.size();
  auto const number = std::as_bytes(std::span(&vertices, 1)), first = std::as_bytes(std::span(answers.vertices)),
             second = std::as_bytes(std::span(answers.elements));
  core::Bytes bytes(number.size() + first.size() + second.size());
  std::copy(second.begin(), second.end(),
            std::copy(first.begin(), first.end(), std::copy(number.begin(), number.end(), bytes.begin())));
  return bytes;
}

Answers unpacked(core::Bytes const& bytes) {
  core::ByteReader in(bytes);
  Answers answers;
  answers.vertices.resize(in.take<std::size_t>());
  in.take(std::span(answers.vertices));
  answers.elements.resize(bytes.size() - sizeof(std::size_t) - answers.vertices.size());
  in.take(std::span(answers.elements));
  return answers;
}

}  // namespace

Regions::Regions(core::Field<std::uint8_t> const& occupied, EndCells const& inlet, EndCells const& outlet,
                 Lattice const& lattice)
    : layout_(occupied.layout()),
      directions_(directions(lattice, layout_.grid())),
      tree_(layout_, reach_of(directions_)),
      places_(layout_.grid()),
      reader_(tree_, reach_of(directions_), occupied, inlet, outlet) {}

void Regions::reduce_pieces() {
  auto const pieces = only(tree_.levels()[0], [&](int n) { return mine(n); });
  std::vector<Region*> regions;
  for (int const piece : pieces) regions.push_back(&regions_[piece]);
  Workshop<PieceWork> workshop;
  auto const count = static_cast<core::Count>(pieces.size());
  core::for_each_by_threads("pieces", count, layout_.cells() / std::max<core::Count>(1, count), [&](core::Count n) {
    workshop.use([&] { return PieceWork(directions_); },
                 [&](PieceWork& work) {
                   auto const q = static_cast<std::size_t>(n);
                   reader_.read(pieces[q], work.bits);
                   work.reduce(tree_.nodes()[pieces[q]].box.lo, places_,
                               std::get<PieceRecord>(regions[q]->record = PieceRecord{}), regions[q]->reduced);
                 });
  });
}

void Regions::join_level(std::vector<int> const& level) {
  // what children of other ranks show: all ranks go through the nodes in the same order
  core::Comm const& comm = layout_.comm();
  for (int const node : level)
    for (int const child : tree_.nodes()[node].children) {
      int const from = tree_.nodes()[child].owner, to = tree_.nodes()[node].owner;
      if (from == to) continue;
      if (from == comm.rank()) {
        comm.send_block(to, regions_[child].reduced.packed(), tag);
        regions_[child].reduced = {};
      }
      if (to == comm.rank()) regions_[child].reduced = Reduced::unpacked(comm.receive_block(from, tag));
    }
  auto const own = only(level, [&](int n) { return mine(n); });
  struct Job {
    std::vector<core::Box> boxes;
    std::vector<Reduced*> children;
    Region* region;
  };
  std::vector<Job> jobs;
  core::Count vertices = 0;
  for (int const node : own) {
    Job& job = jobs.emplace_back();
    for (int const child : tree_.nodes()[node].children) {
      job.boxes.push_back(tree_.nodes()[child].box);
      job.children.push_back(&regions_[child].reduced);
      vertices += job.children.back()->vertices();
    }
    job.region = &regions_[node];
    job.region->record = JoinRecord{};
  }
  Workshop<Joining> workshop;
  auto const count = static_cast<core::Count>(own.size());
  core::for_each_by_threads("regions", count, 10 * vertices / std::max<core::Count>(1, count), [&](core::Count n) {
    workshop.use([&] { return Joining(layout_.grid(), directions_); },
                 [&](Joining& joining) {
                   Job& job = jobs[static_cast<std::size_t>(n)];
                   joining.join(tree_.nodes()[own[static_cast<std::size_t>(n)]].box, job.boxes, job.children,
                                std::get<JoinRecord>(job.region->record), job.region->reduced);
                 });
  });
  for (int const node : own)
    for (int const child : tree_.nodes()[node].children)
      if (!mine(child)) regions_.erase(child);
}

bool Regions::join() {
  reduce_pieces();
  for (std::size_t height = 1; height < tree_.levels().size(); ++height) join_level(tree_.levels()[height]);
  bool spans = false;
  if (mine(tree_.root())) {
    // source and sink are all that is left, and one element, if anything, from one to the other
    Region& root = regions_[tree_.root()];
    spans = root.reduced.elements() > 0;
    root.answers.vertices.assign(root.reduced.vertices(), 0);
    root.answers.elements.assign(root.reduced.elements(), in_backbone | is_red | is_connecting);
    root.reduced = {};
  }
  return layout_.comm().any(spans);
}

void Regions::answer_level(std::vector<int> const& level) {
  struct Job {
    std::map<int, Region>::node_type region;
    std::vector<Answers> answers;
  };
  std::vector<Job> jobs;
  core::Count vertices = 0;
  for (int const node : level)
    if (mine(node)) {
      jobs.push_back({regions_.extract(node), {}});
      vertices +=
          static_cast<core::Count>(std::get<JoinRecord>(jobs.back().region.mapped().record).vertex_label.size());
    }
  auto const count = static_cast<core::Count>(jobs.size());
  core::for_each_by_threads("answers", count, vertices / std::max<core::Count>(1, count), [&](core::Count n) {
    Job& job = jobs[static_cast<std::size_t>(n)];
    Region const& region = job.region.mapped();
    job.answers = answer_children(std::get<JoinRecord>(region.record), region.answers);
    job.region = {};
  });
  // what children of other ranks are told: all ranks go through the nodes in the same order
  core::Comm const& comm = layout_.comm();
  auto job = jobs.begin();
  for (int const node : level) {
    auto const& children = tree_.nodes()[node].children;
    for (std::size_t n = 0; n < children.size(); ++n) {
      int const from = tree_.nodes()[node].owner, to = tree_.nodes()[children[n]].owner;
      if (from == comm.rank() && to == comm.rank())
        regions_[children[n]].answers = std::move(job->answers[n]);
      else if (from == comm.rank())
        comm.send_block(to, packed(job->answers[n]), tag);
      else if (to == comm.rank())
        regions_[children[n]].answers = unpacked(comm.receive_block(from, tag));
    }
    if (mine(node)) ++job;
  }
}

int Regions::pieces() const {
  return static_cast<int>(
      std::count_if(tree_.levels()[0].begin(), tree_.levels()[0].end(), [&](int n) { return mine(n); }));
}

void Regions::mark(MarkPiece const& f) {
  for (std::size_t height = tree_.levels().size() - 1; height > 0; --height) answer_level(tree_.levels()[height]);
  auto const pieces = only(tree_.levels()[0], [&](int n) { return mine(n); });
  std::vector<Region*> regions;
  for (int const piece : pieces) regions.push_back(&regions_[piece]);
  struct Work {
    PieceBits bits;
    PieceMarks marks;
  };
  Workshop<Work> workshop;
  auto const count = static_cast<core::Count>(pieces.size());
  core::for_each_by_threads("marks", count, layout_.cells() / std::max<core::Count>(1, count), [&](core::Count n) {
    workshop.use([] { return Work{}; },
                 [&](Work& work) {
                   auto const q = static_cast<std::size_t>(n);
                   reader_.read_own(pieces[q], work.bits);
                   mark_cells(std::get<PieceRecord>(regions[q]->record), regions[q]->answers, work.bits.own,
                              work.marks);
                   *regions[q] = {};
                   f(static_cast<int>(n), reader_.place(pieces[q]), work.bits, work.marks);
                 });
  });
}

}  // namespace tessera::ca::blocks
