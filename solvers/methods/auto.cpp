// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "solvers/algebra/residual.hpp"
#include "solvers/methods/auto_candidate.hpp"
#include "solvers/preconditioner.hpp"

#include <cmath>
#include <sstream>
#include <vector>

namespace tessera::solvers::methods {
namespace {

constexpr int unlimited = std::numeric_limits<int>::max();
constexpr int probe = 4;       // iterations that show what one costs
constexpr int patience = 40;   // iterations after which a method may be slow
constexpr int most_races = 3;  // in a run; then the choice stays, however slow

// for media that defeat multigrid on grids: hypre's algebraic multigrid takes some ten iterations where others take hundreds
constexpr char const* algebraic = "BoomerAMG";
constexpr char const* algebraic_entry = "solver PETSc; options \"-ksp_type cg -pc_type hypre\";";

/// Iterations of DIC-PCG in two passes that take about as long as one of this, on a million cells.
double work_of_iteration(std::string const& name) {
  if (name == "PETSc" || name == algebraic) return 40;
  if (name == "multigrid" || name == "GAMG") return 4;
  return name == "DIC" || name == "MDIC" || name == "FDIC" ? 1 : 3;
}

}  // namespace

/// Chooses among methods by what they cost, on the run's own steps.
///
/// In the first steps one candidate after the other has its turn. Its cost is measured: time for a fall of the residual to
/// a tenth. A newcomer gets as much time as the best so far would take for the whole step; what it reaches is kept, and if
/// that is not enough the best goes on from there. So no work is thrown away, and a trial costs at most the set-up and the
/// time of a step. Then the cheapest does all steps, and the others are released.
/// When the chosen one becomes slow (a medium that defeats it: contrasts from cell to cell, a percolation cluster's
/// conductivity), after 40 iterations and four times what it has taken so far, others get as much time as it has spent in
/// this step, one after the other until one finishes: first hypre's algebraic multigrid, where PETSc is built in and has
/// it and time is measured, then the candidates and DIC. The fastest goes on.
/// `note` tells choices and reasons; solver and preconditioner in the result are those that finished the step.
///
/// Keys: those of Controls, and
///   candidates  (multigrid MDIC): names of preconditioners for PCG or of methods, or entries
///               `name { solver ...; ... }`, in the order of trials
///   measure     time: seconds of the slowest rank, so that all ranks choose alike. The choice, and with it the solution
///               within its tolerance, may then differ from run to run and with the number of ranks.
///               work: iterations times a fixed weight; the same choice and the same bits in every run on any number of
///               ranks, unless PETSc is named as a candidate. For runs that must repeat bit by bit, say `work` or name
///               the method.
/// Memory during the trials: all candidates'. A candidate that refuses the matrix is left out.
class Auto final : public LinearSolver {
 public:
  static constexpr char const* help =
      "candidates (multigrid MDIC);   preconditioners for PCG, or solvers, or name { solver ...; }\n"
      "measure time | work;               work: iterations times fixed weights, the same choice and bits in every run\n"
      "tolerance 1e-6; relTol 0; maxIter 1000; minIter 0;";

  Auto(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : matrix_(matrix),
        controls_(dictionary),
        by_time_(dictionary.get_choice("measure", {"time", "work"}, "time") == "time"),
        r_("r", matrix.layout(), 1) {
    if (dictionary.contains("candidates"))
      for (auto const& item : dictionary.items("candidates")) add(dictionary, item);
    else
      for (char const* name : {"multigrid", "MDIC"}) add_named(name);
    if (candidates_.empty()) dictionary.fail_entry("candidates", "is empty, expected preconditioners or solvers");
    while (!make(candidates_[best_]))
      if (++best_ == candidates_.size())
        throw core::Error("no candidate of solver auto takes this matrix: " + refused_);
    next_ = best_ + 1;
  }

  Controls& controls() override { return controls_; }

  std::string learned() const override {
    if (!measured_) return {};
    std::ostringstream out;
    out << fmt::format("auto {} {} {} {} {} {}\n", candidates_.size(), best_, next_, int{decided_}, races_,
                       int{raced_});
    for (Candidate const& c : candidates_) c.write(out);
    return out.str();
  }

  void learn(std::string const& text) override {
    std::istringstream in(text);
    std::string word;
    std::size_t count = 0, best = 0, next = 0;
    int decided = 0, races = 0, raced = 0;
    if (!(in >> word >> count >> best >> next >> decided >> races >> raced) || word != "auto") return;
    auto const given = candidates_.size();
    if (count > given) add_fallbacks();
    bool fits = count == candidates_.size() && best < count;
    for (Candidate& c : candidates_) fits = fits && c.read(in);
    if (!fits || !make(candidates_[best])) {
      forget(given);
      return;
    }
    best_ = best;
    next_ = next;
    decided_ = decided != 0;
    races_ = races;
    raced_ = raced != 0;
    measured_ = true;
    if (decided_) release_others();
  }

  /// Once the choice is made, the chosen one does; the trials before want matrices of their own.
  bool follow(Follow how) override {
    auto& chosen = candidates_[best_].solver;
    if (!decided_ || !chosen || !chosen->follow(how)) return false;
    if (how == Follow::anew) raced_ = false;
    return true;
  }
  bool outdated() const override {
    auto const& chosen = candidates_[best_].solver;
    return raced_ || (chosen && chosen->outdated());
  }

  Performance solve(core::Field<double> const& b, core::Field<double>& x) override {
    core::SolveClock const clock;
    controls_.abandon = {};  // half a solution says little of a candidate
    Solve now{b, x, {}, 0, 0};
    now.p.field = x.name();
    for (Candidate& c : candidates_) c.begin();
    bool const trial = !decided_ && measured_ && next_ < candidates_.size();
    bool done = trial && try_newcomer(now);
    if (!done)
      done = stage(now, candidates_[best_], may_race() ? std::max(patience, 4 * candidates_[best_].most) : unlimited);
    if (!done && may_race()) race(now);
    if (!decided_) decide(now);
    Performance& p = now.p;
    p.converged = p.converged || controls_.converged(p.initial, p.final);
    clock.tell(p);
    return p;
  }

 private:
  /// The solve that is running, in one stage or several by different candidates.
  struct Solve {
    core::Field<double> const& b;
    core::Field<double>& x;
    Performance p;
    double norm;  // OpenFOAM's, of the first guess; 0: not asked for yet
    int stages;
  };

  void add_named(std::string const& name) {
    bool const preconditioner = Preconditioners::contains(name);
    candidates_.push_back(
        {name, core::Dictionary::parse(
                   preconditioner ? "solver PCG; preconditioner " + name + ";" : "solver " + name + ";", "auto")});
  }

  void add(core::Dictionary& dictionary, core::Dictionary::Item const& item) {
    if (item.dictionary) {
      candidates_.push_back({item.name, *item.dictionary});
      item.dictionary->mark_read();
      require_solver(candidates_.back().settings);
      return;
    }
    std::string const name = item.tokens.empty() ? item.name : item.tokens.front().text;
    if (!Preconditioners::contains(name) && (name == "auto" || !have_solver(name))) {
      auto known = Preconditioners::names();
      for (auto const& method : Methods::names())
        if (method != "auto") known.push_back(method);
      dictionary.fail("candidates", core::unknown_name("candidate", name, known));
    }
    add_named(name);
  }

  /// False if the method refuses the matrix; it does so on all ranks.
  bool make(Candidate& c) {
    if (c.solver || !c.usable) return c.usable;
    try {
      c.solver = make_solver(matrix_, c.settings);
    } catch (core::Error const& error) {
      c.usable = false;
      refused_ = error.what();
      return false;
    }
    c.settings.check_all_read();
    c.solver->learn(c.learned);
    return true;
  }

  /// At most so many iterations by one candidate, from where the solve stands. True when the solve is finished.
  bool stage(Solve& now, Candidate& c, int most) {
    Performance& p = now.p;
    if (!make(c)) return false;
    Controls limits = controls_;
    limits.most = std::min(most, controls_.most - p.iterations);
    limits.least = std::clamp(controls_.least - p.iterations, 0, limits.most);
    // each method scales by the norm of its own first guess; the first one's counts
    double scale = 1;
    if (now.stages > 0) {
      Residual const residual = solvers::residual(matrix_, now.b, now.x, r_);
      if (now.norm == 0) now.norm = residual.norm * residual.initial / p.final;
      scale = residual.norm / now.norm;
      limits.tolerance = target(p) / scale;
      limits.relative = 0;
    }
    c.solver->controls() = limits;
    Performance const q = c.solver->solve(now.b, now.x);
    if (now.stages++ == 0) p.initial = p.final = q.initial;
    double const before = p.final;
    p.final = q.final * scale;
    p.iterations += q.iterations;
    p.solver = q.solver;
    p.preconditioner = q.preconditioner;
    say(p, q.note);
    double const spent = by_time_ ? matrix_.layout().comm().max(q.seconds) : q.iterations * work_of_iteration(c.name);
    double const decades = std::log10(before / p.final);
    c.record(spent, std::isnan(decades) ? -16 : decades, q.iterations);
    measured_ = measured_ || q.iterations > 0;
    // a method also stops at the level of rounding, where the tolerance asks for more than numbers hold
    bool const enough = p.iterations >= controls_.least;
    p.converged = q.converged && enough;
    p.at_rounding = q.at_rounding && enough;
    return p.converged || p.at_rounding || !controls_.go_on(p.iterations, p.initial, p.final);
  }

  double target(Performance const& p) const {
    return std::max(controls_.tolerance, controls_.relative > 0 ? controls_.relative * p.initial : 0);
  }

  /// A stage as long as `budget`.
  bool stage_within(Solve& now, Candidate& c, double budget) {
    if (stage(now, c, probe)) return true;
    if (c.iterations == 0) return false;
    double const affordable = (budget - c.spent) / c.cost_of_iteration;
    return affordable >= 1 && stage(now, c, static_cast<int>(std::min(affordable, 1e9)));
  }

  bool try_newcomer(Solve& now) {
    Candidate& c = candidates_[next_];
    Candidate const& best = candidates_[best_];
    bool done = stage(now, c, probe);
    if (now.stages > 0 && now.p.iterations == 0) return done;  // nothing to solve in this step
    ++next_;
    if (done || !c.usable) return done;
    double const whole = best.cost * std::log10(now.p.initial / target(now.p));
    double const affordable = (whole - c.spent) / c.cost_of_iteration;
    return affordable >= 1 && stage(now, c, static_cast<int>(std::min(affordable, 1e9)));
  }

  bool may_race() const { return races_ < most_races; }

  void race(Solve& now) {
    if (now.p.iterations >= controls_.most) return;
    ++races_;
    raced_ = true;
    Candidate& slow = candidates_[best_];  // until others join
    std::string const slow_name = slow.name;
    std::string const reason =
        fmt::format("{} iterations for {:.1f} decades of the residual", slow.iterations, slow.decades);
    double const budget = slow.spent;
    slow.cost = slow.spent / std::max(slow.decades, 0.01);
    std::size_t const slow_number = best_;
    add_fallbacks();
    bool done = false;
    auto const turn = [&](std::size_t n) {
      if (done || n == slow_number) return;
      candidates_[n].cost = std::numeric_limits<double>::infinity();
      // hypre is done in some ten iterations or never, and a restart would cost it half of them
      Candidate& c = candidates_[n];
      done = c.name == algebraic ? stage(now, c, patience) : stage_within(now, c, budget);
    };
    for (std::size_t n = 0; n < candidates_.size(); ++n)
      if (candidates_[n].name == algebraic) turn(n);
    for (std::size_t n = 0; n < candidates_.size(); ++n)
      if (candidates_[n].name != algebraic) turn(n);
    best_ = cheapest();
    say(now.p, fmt::format("auto: {} is slow here ({}); {} goes on", slow_name, reason, candidates_[best_].name));
    if (!done) stage(now, candidates_[best_], unlimited);
    settle();
  }

  /// What joins when the choice is slow.
  void add_fallbacks() {
    auto const has = [&](std::string const& name) {
      return std::any_of(candidates_.begin(), candidates_.end(), [&](Candidate const& c) { return c.name == name; });
    };
    // its bits hang on the number of ranks
    if (by_time_ && have_solver("PETSc") && !has(algebraic))
      candidates_.push_back({algebraic, core::Dictionary::parse(algebraic_entry, "auto")});
    if (!has("DIC")) add_named("DIC");
  }

  std::size_t cheapest() const {
    auto const cost = [](Candidate const& c) { return c.usable ? c.cost : std::numeric_limits<double>::infinity(); };
    return static_cast<std::size_t>(
        std::min_element(candidates_.begin(), candidates_.end(),
                         [&](Candidate const& a, Candidate const& b) { return cost(a) < cost(b); }) -
        candidates_.begin());
  }

  void decide(Solve& now) {
    if (!measured_) return;
    best_ = cheapest();
    if (next_ < candidates_.size()) return;
    if (candidates_.size() > 1) {
      std::string others;
      for (Candidate const& c : candidates_)
        if (&c != &candidates_[best_] && !std::isinf(c.cost))
          others += fmt::format("{}{} {}", others.empty() ? "" : ", ", c.name, cost_text(c));
      say(now.p, fmt::format("auto: {} goes on: {} for a decade of the residual; {}", candidates_[best_].name,
                             cost_text(candidates_[best_]), others));
    }
    settle();
  }

  std::string cost_text(Candidate const& c) const {
    if (c.fall < 0.05) return "came nowhere in its time";
    return fmt::format("{:.3g} {}", c.cost, by_time_ ? "s" : "units of work");
  }

  static void say(Performance& p, std::string const& text) {
    if (!text.empty()) p.note += (p.note.empty() ? "" : "\n") + text;
  }

  /// The choice is made; what the others hold is released.
  void settle() {
    decided_ = true;
    release_others();
  }
  void release_others() {
    for (Candidate& c : candidates_)
      if (&c != &candidates_[best_] && c.solver) {
        c.learned = c.solver->learned();
        c.solver.reset();
      }
  }

  /// As before anything was measured, with the first so many candidates.
  void forget(std::size_t count) {
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(count), candidates_.end());
    for (Candidate& c : candidates_) {
      c.cost = std::numeric_limits<double>::infinity();
      c.fall = c.cost_of_iteration = 0;
      c.most = 0;
      c.learned.clear();
    }
  }

  StencilMatrix const& matrix_;
  Controls controls_;
  bool by_time_;
  core::Field<double> r_;
  std::vector<Candidate> candidates_;
  std::size_t best_ = 0, next_ = 1;
  bool measured_ = false, decided_ = false;
  int races_ = 0;
  bool raced_ = false;  // since it was set up: who is chosen now was set up for the matrix of the race
  std::string refused_;
};

[[maybe_unused]] static bool const added =
    Methods::add<Auto>("auto", "the cheapest of several methods, measured on the run's own steps");

}  // namespace tessera::solvers::methods
