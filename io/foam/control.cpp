// SPDX-License-Identifier: Apache-2.0
#include "io/foam/control.hpp"

#include "core/case/error_list.hpp"
#include "core/case/unsupported.hpp"
#include "core/files.hpp"
#include "io/files/compressed.hpp"
#include "io/foam/libraries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

/// A word that must be one of `supported`; unsupported ones are refused by name.
std::string word_at(core::Dictionary const& dictionary, std::string_view key, std::vector<std::string> const& supported,
                    std::string fallback) {
  std::string value = dictionary.get_or<std::string>(key, std::move(fallback));
  if (std::find(supported.begin(), supported.end(), value) == supported.end())
    dictionary.fail(key, core::unsupported_name(key, value, supported));
  return value;
}

void read_times(core::Dictionary const& dictionary, ControlNeeds const& needs, Control& control) {
  control.start_from = word_at(dictionary, "startFrom", {"firstTime", "startTime", "latestTime"}, control.start_from);
  control.start_time = dictionary.get_or<double>("startTime", 0.0);
  control.stop_at = word_at(dictionary, "stopAt", {"endTime", "writeNow", "noWriteNow", "nextWrite"}, "endTime");
  if (control.stop_at != "endTime") {  // endTime then says nothing, as in OpenFOAM
    if (dictionary.contains("endTime")) dictionary.mark_read("endTime");
    if (needs.time_step) control.end_time = std::numeric_limits<double>::infinity();
  } else if (needs.time_step) {
    control.end_time = dictionary.get<double>("endTime");
  }
  // elsewhere these are told to be read by nobody
  if (needs.time_step) control.delta_t = dictionary.get_positive<double>("deltaT");
  if (control.end_time && control.start_from == "startTime" && *control.end_time < control.start_time)
    dictionary.fail("endTime", fmt::format("endTime {} is before startTime {}", *control.end_time, control.start_time));
  if (!dictionary.get_or<bool>("adjustTimeStep", false)) return;
  if (!needs.adjusts_time_step) dictionary.fail("adjustTimeStep", "adjustTimeStep yes is not supported, supported: no");
  // v1912's laplacianFoam looks at none of this
  if (control.application == "laplacianFoam" && !dictionary.contains("deltaTTolerance")) return;
  control.adjust_time_step = true;
  if (!dictionary.contains("deltaTTolerance"))
    dictionary.fail(
        "adjustTimeStep",
        "adjustTimeStep yes wants 'deltaTTolerance', the error of T in a step [K], such as 0.05, and perhaps "
        "maxDeltaT; maxCo and maxDi say nothing of the steps here");
  control.delta_t_tolerance = dictionary.get_positive<double>("deltaTTolerance");
  control.max_delta_t = dictionary.get_positive<double>("maxDeltaT", control.max_delta_t);
}

/// Other programs of the family have these; v1912 passes over them without a word, so a case that has them lacks
/// results.
void refuse_second_control(core::Dictionary const& dictionary) {
  for (char const* key : {"secondaryWriteControl", "secondaryWriteInterval", "secondaryPurgeWrite"})
    if (dictionary.contains(key))
      dictionary.fail(key,
                      fmt::format("{} is not supported, nor is it by OpenFOAM v1912, which passes over it; expected a "
                                  "function object 'NAME {{ type writeObjects; objects (T); writeControl ...; "
                                  "writeInterval ...; }}'",
                                  key));
}

void read_output(core::Dictionary const& dictionary, ControlNeeds const& needs, Control& control) {
  core::attempt([&] { refuse_second_control(dictionary); });
  control.write_control =
      word_at(dictionary, "writeControl",
              {"timeStep", "runTime", "adjustableRunTime", "adjustable", "clockTime", "cpuTime", "none"},
              control.write_control);
  // where deltaT is constant nothing is adjusted to meet a time of writing, as in OpenFOAM
  if (control.write_control.starts_with("adjustable")) {
    control.meets_write_times = control.adjust_time_step;
    control.write_control = "runTime";
  }
  if (dictionary.contains("writeInterval")) {
    control.write_interval = dictionary.get_positive<double>("writeInterval");
    if (control.write_control == "timeStep" && control.write_interval != std::floor(control.write_interval))
      dictionary.fail(
          "writeInterval",
          fmt::format("writeInterval {} is no whole number of steps (writeControl timeStep)", control.write_interval));
  } else if (control.write_control != "timeStep" && control.write_control != "none") {
    dictionary.fail("writeControl", "no writeInterval, expected one [s] with writeControl " + control.write_control);
  }
  control.purge_write = dictionary.get_in<int>("purgeWrite", {0, 1'000'000}, 0);
  if (dictionary.contains("writeFormat"))
    control.write_format = word_at(dictionary, "writeFormat", needs.write_formats, "ascii");
  control.write_mesh = dictionary.get_or<bool>("writeMesh", false);
  control.write_precision = dictionary.get_in<int>("writePrecision", {1, 17}, control.write_precision);
  control.time_format = word_at(dictionary, "timeFormat", {"general", "fixed", "scientific"}, control.time_format);
  control.time_precision = dictionary.get_in<int>("timePrecision", {1, 17}, control.time_precision);
  auto const packed = word_at(
      dictionary, "writeCompression",
      {"off", "uncompressed", "no", "false", "none", "n", "f", "on", "compressed", "yes", "true", "y", "t"}, "off");
  bool const pack =
      packed == "on" || packed == "compressed" || packed == "yes" || packed == "true" || packed == "y" || packed == "t";
  control.write_packed = pack && control.write_format == "ascii";
  if (control.write_packed) require_gzip(dictionary.location("writeCompression"));
}

void read_functions(core::Dictionary& dictionary, ControlNeeds const& needs, Control& control) {
  core::Dictionary* const functions = dictionary.find_sub("functions");
  if (functions == nullptr) return;
  for (auto const& name : functions->keys())
    core::attempt([&] {
      core::Dictionary* const entry = functions->is_dictionary(name) ? functions->find_sub(name) : nullptr;
      if (entry == nullptr) {  // functions { libs (...); errors warn; }
        functions->fail(name,
                        fmt::format("entry '{}' of functions is not supported, expected 'name {{ type ...; }}'", name));
      }
      if (!core::is_file_name(name))
        functions->fail(
            name, fmt::format("the function object '{}' gives a folder its name, expected a word without '/'", name));
      auto const type = entry->get<std::string>("type");
      if (!entry->get_or<bool>("enabled", true)) {
        entry->mark_read();
        return;
      }
      if (std::find(needs.functions.begin(), needs.functions.end(), type) == needs.functions.end())
        entry->fail("type", core::unsupported_name(fmt::format("function object '{}' of type", name), type,
                                                   needs.functions.empty() ? std::vector<std::string>{"none"}
                                                                           : needs.functions));
      if (entry->contains("libs")) library_names(*entry);
      control.functions.push_back({name, type, entry});
    });
}

}  // namespace

namespace {
constexpr int most_digits = 17;

std::string time_name_of(Control const& control, double t, int precision) {
  // sums of steps end in rounding noise, which must not show as -0 or 1e-17
  if (control.delta_t && std::abs(t) < 1e-10 * *control.delta_t) t = 0;
  if (control.time_format == "fixed") return fmt::format("{:.{}f}", t, precision);
  if (control.time_format == "scientific") return fmt::format("{:.{}e}", t, precision);
  return fmt::format("{:.{}g}", t, precision);
}
}  // namespace

std::string Control::time_name(double t) const { return time_name_of(*this, t, time_precision); }

bool Control::named(double t, std::string const& name) const {
  for (int digits = time_precision; digits <= most_digits; ++digits)
    if (time_name_of(*this, t, digits) == name) return true;
  return false;
}

int Control::precision_for(double t, double tolerance) const {
  int digits = time_precision;
  while (digits < most_digits &&
         !(std::abs(std::strtod(time_name_of(*this, t, digits).c_str(), nullptr) - t) <= tolerance))
    ++digits;
  return digits;
}

double Control::name_tolerance(double step) const {
  return std::max(std::min(std::pow(10.0, -time_precision), 0.1 * step), 1e-15);
}

long Control::steps(double from) const {
  core::expect(end_time && delta_t, "a run in time has endTime and deltaT");
  if (std::isinf(*end_time)) return std::numeric_limits<long>::max();
  // OpenFOAM goes on while t < endTime - deltaT / 2
  double const steps = std::max(0.0, std::ceil((*end_time - from) / *delta_t - 0.5));
  // `endTime 1e30` means "until I stop it"
  return steps < 0x1p62 ? std::lround(steps) : std::numeric_limits<long>::max();
}

Control read_control(core::Dictionary& dictionary, ControlNeeds const& needs, std::vector<std::string> const& extra) {
  Control control;
  control.application = dictionary.get<std::string>("application");
  bool const timed = core::attempt([&] { read_times(dictionary, needs, control); });
  core::attempt([&] { read_output(dictionary, needs, control); });
  core::attempt([&] {
    if (dictionary.contains("libs")) library_names(dictionary);  // opened, or passed over, by who runs the case
  });
  core::attempt([&] { read_functions(dictionary, needs, control); });
  core::attempt([&] { control.modifiable = dictionary.get_or<bool>("runTimeModifiable", true); });
  std::vector<char const*> harmless{"graphFormat", "DebugSwitches", "InfoSwitches", "OptimisationSwitches"};
  if (needs.time_step) harmless.insert(harmless.end(), {"maxCo", "maxDi", "maxDeltaT", "deltaTTolerance"});
  for (char const* key : harmless)
    if (dictionary.contains(key)) dictionary.mark_read(key);
  for (auto const& key : extra)
    if (dictionary.contains(key)) dictionary.mark_read(key);
  if (control.functions.empty()) dictionary.check_all_read();
  core::rely_on(timed);
  return control;
}

}  // namespace tessera::io::foam
