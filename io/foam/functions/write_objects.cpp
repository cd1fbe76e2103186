// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::io::foam::functions {

/// Writes fields into the time directory of a step, at times of its own.
class WriteObjects final : public FunctionObject {
 public:
  static inline std::string const help =
      "objects (T \"DT.*\"); or fields, or field T; writeOption anyWrite | autoWrite | noWrite;";
  explicit WriteObjects(FunctionEntry const& entry) : name_(entry.name), context_(entry.context) {
    core::Dictionary const& dictionary = entry.dictionary;
    if (dictionary.contains("field")) {
      names_ = {dictionary.get<std::string>("field")};
      find_field(entry, "field", names_[0], Quantities::all);
    } else {
      names_ = select_fields(entry, Quantities::all, dictionary.contains("fields") ? "fields" : "objects");
    }
    std::sort(names_.begin(), names_.end());
    auto const which = dictionary.get_choice("writeOption", {"anyWrite", "autoWrite", "noWrite"}, "anyWrite");
    if (which != "anyWrite")
      std::erase_if(names_,
                    [&](auto const& name) { return context_.fields.at(name).automatic != (which == "autoWrite"); });
    if (!context_.directories.write)
      dictionary.fail("type",
                      "writeObjects writes into time directories, expected writeFormat ascii or binary in controlDict");
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    std::string log = fmt::format("writeObjects {} write:\n", name_);
    for (auto const& name : names_) {
      FunctionField const& field = context_.fields.at(name);
      bool const written = field.automatic && now.writes;
      log += fmt::format("    {} object {}\n", written ? "automatically written" : "writing", name);
      if (!written) context_.directories.write(name, field, now);
    }
    output.log(log + "\n");
  }

  std::vector<std::string> written() const override { return names_; }

 private:
  std::string name_;
  FunctionContext const& context_;
  std::vector<std::string> names_;
};

[[maybe_unused]] static bool const added =
    FunctionObjects::add<WriteObjects>("writeObjects", "fields in time directories, at times of its own");

}  // namespace tessera::io::foam::functions
