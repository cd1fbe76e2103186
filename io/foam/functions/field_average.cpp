// SPDX-License-Identifier: Apache-2.0
#include "core/grid/migrate.hpp"
#include "core/grid/sweep.hpp"
#include "io/foam/functions/columns.hpp"
#include "io/foam/patch_faces.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <sstream>

namespace tessera::io::foam::functions {

/// Mean over time and mean square of what differs from it, of cells and boundary faces: FIELDMean and FIELDPrime2Mean
/// in time directories and snapshots, and as fields for other function objects. With dt the step (base time) or 1
/// (iteration), D the sum of these and b = dt / D a step changes
///   mean += b (x - mean),   prime2Mean = (1 - b) (prime2Mean + b (x - mean)^2)   with the mean before,
/// which are v1912's formulas, but for squares of x that would cancel. A run that goes on goes on averaging, from a
/// snapshot or from what v1912 or Tessera left in the time directory.
class FieldAverage final : public FunctionObject {
 public:
  static inline std::string const help = R"(fields ( T { mean on; prime2Mean on; base time | iteration; } ... );
restartOnRestart no; restartOnOutput no; periodicRestart no; restartPeriod [s]; restartTime [s];)";

  explicit FieldAverage(FunctionEntry const& entry)
      : name_(entry.name),
        context_(entry.context),
        faces_(entry.context.mesh) {
    core::Dictionary const& dictionary = entry.dictionary;
    restart_on_restart_ = dictionary.get_or<bool>("restartOnRestart", false);
    restart_on_output_ = dictionary.get_or<bool>("restartOnOutput", false);
    if (dictionary.get_or<bool>("periodicRestart", false)) period_ = dictionary.get_positive<double>("restartPeriod");
    restart_time_ = dictionary.get_or<double>("restartTime", restart_time_);
    for (auto const& item : dictionary.items("fields")) {
      if (item.dictionary == nullptr || item.name.empty())
        dictionary.fail_expected("fields", "fields 'NAME { mean on; prime2Mean on; base time; }'");
      add(entry, item.name, *item.dictionary);
    }
    if (averages_.empty()) dictionary.fail_expected("fields", "a field to average");
    if (!restart_on_restart_ && !restart_on_output_)
      for (auto& average : averages_) go_on_from_directory(*average);
  }

  bool executes() const override { return true; }
  void execute(StepTime const& now) override {
    if (!next_period_) next_period_ = first_period_after(now.time - now.delta_t);
    if (now.time > *next_period_ * period_ || (now.time >= restart_time_ && now.time - now.delta_t < restart_time_)) {
      if (now.time > *next_period_ * period_) *next_period_ += 1;
      for (auto& average : averages_) average->begin_anew();
    }
    for (auto& average : averages_) {
      average->steps += 1;
      average->time += now.delta_t;
      take(*average, average->by_time ? now.delta_t / average->time : 1 / static_cast<double>(average->steps));
    }
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    output.log(
        fmt::format("fieldAverage {} write:\n    Calculating averages\n\n    Writing average fields\n\n", name_));
    auto const& directory = context_.directories.write;
    if (directory) {
      std::string properties;
      for (auto const& average : averages_) {
        properties +=
            fmt::format("    {}\n    {{\n        totalIter       {};\n        totalTime       {:.17g};\n    }}\n",
                        average->of, average->steps, average->time);
        for (auto const& [name, field] : fields_of(*average)) directory(name, field, now);
      }
      output.properties(properties);
    }
    if (restart_on_output_)
      for (auto& average : averages_) average->begin_anew();
  }

  std::map<std::string, FunctionField> fields() const override {
    std::map<std::string, FunctionField> all;
    for (auto const& average : averages_) all.merge(fields_of(*average));
    return all;
  }

  std::vector<std::string> written() const override {
    std::vector<std::string> names;
    for (auto const& [name, field] : fields()) names.push_back(name);
    return names;
  }

  std::vector<core::FieldBase*> kept() override {
    std::vector<core::FieldBase*> all;
    for (auto& average : averages_)
      for (auto* part : {&average->mean, &average->prime2})
        if (part->cells) all.push_back(&*part->cells);
    return all;
  }

  std::string state() const override {
    std::string text;
    for (auto const& average : averages_) {
      text += fmt::format("{} {} {:a}", average->of, average->steps, average->time);
      for (auto const* part : {&average->mean, &average->prime2}) text += " " + packed(part->faces);
      text += " ";
    }
    return text;
  }

  void resume(std::string const& state) override {
    std::istringstream in(state);
    std::string of, time, mean, prime2;
    for (long steps = 0; in >> of >> steps >> time >> mean >> prime2;)
      for (auto& average : averages_) {
        if (average->of != of || restart_on_restart_ || restart_on_output_) continue;
        auto const means = unpacked(mean), squares = unpacked(prime2);
        // averaged otherwise before: begins anew
        if (means.size() != average->mean.faces.size() || squares.size() != average->prime2.faces.size()) continue;
        average->mean.faces = means;
        average->prime2.faces = squares;
        average->steps = steps;
        average->time = std::strtod(time.c_str(), nullptr);
      }
  }

  void move_to(core::Layout const& next) override {
    for (auto& average : averages_)
      for (auto* part : {&average->mean, &average->prime2}) {
        if (!part->faces.empty()) faces_.gather(*context_.layout, part->faces);
        if (part->cells) core::migrate_to(next, *part->cells);
      }
  }

 private:
  /// A running mean.
  struct Part {
    std::string name = {};  // "": none is wanted
    Dimensions dimensions = {};
    std::optional<core::Field<double>> cells = {};
    std::vector<double> faces = {};  // those of the rank's own cells are up to date
  };
  struct Average {
    std::string of;
    bool by_time, squares;
    long steps = 0;
    double time = 0;  // [s]
    Part mean = {}, prime2 = {};
    void begin_anew() { steps = 0, time = 0; }
  };

  void add(FunctionEntry const& entry, std::string const& name, core::Dictionary const& dictionary) {
    auto const& of = find_field(entry, "fields", name, Quantities::on_faces);
    bool const mean = dictionary.get<bool>("mean"), squares = dictionary.get<bool>("prime2Mean");
    bool const by_time = dictionary.get_choice("base", {"time", "iteration"}) == "time";
    if (dictionary.get_or<double>("window", -1.0) > 0)
      dictionary.fail("window", "averages over a window are not supported, expected no window, or restartPeriod");
    if (squares && !mean) dictionary.fail("prime2Mean", "prime2Mean on needs mean on");
    if (!mean) return;
    auto average = std::make_unique<Average>(Average{name, by_time, squares});
    make(average->mean, name + "Mean", of, of.dimensions);
    Dimensions squared = of.dimensions;
    for (double& exponent : squared) exponent *= 2;
    if (squares) make(average->prime2, name + "Prime2Mean", of, squared);
    averages_.push_back(std::move(average));
  }

  void make(Part& part, std::string name, FunctionField const& of, Dimensions const& dimensions) {
    part.name = std::move(name);
    part.dimensions = dimensions;
    part.faces.assign(faces_.size(), 0.0);
    if (of.cells == nullptr) return;
    core::FieldInfo info{part.name, "average of " + of.cells->name(), "", dimensions};
    info.restart = true;
    part.cells.emplace(info, *context_.layout, 0);
  }

  void go_on_from_directory(Average& average) {
    auto const& from = context_.directories;
    core::Dictionary const* const mine = from.properties ? from.properties->find_sub(name_) : nullptr;
    core::Dictionary const* const counts = mine ? mine->find_sub(average.of) : nullptr;
    if (counts == nullptr || !from.read) return;
    for (auto* part : {&average.mean, &average.prime2}) {
      if (part->name.empty()) continue;
      auto file = from.read(part->name);
      if (!file) return;
      check_dimensions(file->dimensions, part->dimensions, file->location("dimensions"));
      if (part->cells) {
        set_cells(*file, *part->cells, context_.mesh.blocks);
        faces_.for_own(*context_.layout, [&](std::size_t n, core::Side, int s, int k, int j, int i) {
          part->faces[n] = part->cells->host()(s, k, j, i);
        });
      }
      faces_.read(*file, part->faces);
    }
    average.steps = counts->get_in<long>("totalIter", {0, std::numeric_limits<long>::max() / 2});
    average.time = counts->get_in<double>("totalTime", {0, 1e300});
  }

  void take(Average& average, double b) const {
    FunctionField const& of = context_.fields.at(average.of);
    bool const squares = average.squares;
    auto const step = [b, squares](double x, double& mean, double* square) {
      double const off = x - mean;
      if (squares) *square = (1 - b) * (*square + b * off * off);
      mean += b * off;
    };
    if (average.steps == 1) {  // forgets what there was before
      for (auto* part : {&average.mean, &average.prime2}) std::fill(part->faces.begin(), part->faces.end(), 0.0);
      if (average.prime2.cells)
        core::for_each_on_host("clear", *context_.layout,
                               [to = average.prime2.cells->host()](int s, int k, int j, int i) { to(s, k, j, i) = 0; });
    }
    faces_.for_own(*context_.layout, [&](std::size_t n, core::Side side, int s, int k, int j, int i) {
      step(of.at_face(side, s, k, j, i), average.mean.faces[n], squares ? &average.prime2.faces[n] : nullptr);
    });
    if (of.cells == nullptr) return;
    auto const x = of.cells->host();
    auto const mean = average.mean.cells->host();
    auto const square = squares ? average.prime2.cells->host() : mean;
    core::for_each_on_host("average", *context_.layout, [&](int s, int k, int j, int i) {
      step(x(s, k, j, i), mean(s, k, j, i), &square(s, k, j, i));
    });
  }

  std::map<std::string, FunctionField> fields_of(Average const& average) const {
    std::map<std::string, FunctionField> found;
    for (auto const* part : {&average.mean, &average.prime2}) {
      if (part->name.empty()) continue;
      FunctionField field{part->cells ? &*part->cells : nullptr,
                          [this, part](core::Side side, int s, int k, int j, int i) {
                            return part->faces[faces_.number(side, context_.layout->info(s).global(k, j, i))];
                          }};
      field.dimensions = part->dimensions;
      found[part->name] = std::move(field);
    }
    return found;
  }

  /// Values of all faces as text, equal ones that follow each other once: `COUNT*VALUE,...`; `-` for none. Collective.
  std::string packed(std::vector<double> faces) const {
    if (faces.empty()) return "-";
    faces_.gather(*context_.layout, faces);
    std::string text;
    for (std::size_t first = 0, last = 0; first < faces.size(); first = last) {
      while (last < faces.size() && faces[last] == faces[first]) ++last;
      text += fmt::format("{}*{:a},", last - first, faces[first]);
    }
    return text;
  }
  static std::vector<double> unpacked(std::string const& text) {
    std::vector<double> faces;
    std::istringstream in(text);
    for (std::string run; std::getline(in, run, ',');) {
      auto const star = run.find('*');
      if (star == std::string::npos) return {};
      faces.insert(faces.end(), std::strtoul(run.c_str(), nullptr, 10), std::strtod(run.c_str() + star + 1, nullptr));
    }
    return faces;
  }

  double first_period_after(double time) const { return std::max(1.0, std::ceil(time / period_)); }

  std::string name_;
  FunctionContext const& context_;
  PatchFaces faces_;
  std::vector<std::unique_ptr<Average>> averages_;
  bool restart_on_restart_ = false, restart_on_output_ = false;
  double period_ = std::numeric_limits<double>::infinity(), restart_time_ = std::numeric_limits<double>::infinity();
  std::optional<double> next_period_;
};

[[maybe_unused]] static bool const added =
    FunctionObjects::add<FieldAverage>("fieldAverage", "running means of fields and of their squared deviations");

}  // namespace tessera::io::foam::functions
