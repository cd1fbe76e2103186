// SPDX-License-Identifier: Apache-2.0
#include "io/foam/function_object.hpp"

#include "io/detail/atomic.hpp"
#include "io/together.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

namespace tessera::io::foam {

struct FunctionList::Item {
  std::string name;
  bool log;
  TimeControl control;
  std::unique_ptr<FunctionObject> object;
  std::set<std::string> begun;  // files that this run has made
};

FunctionList::FunctionList(Control const& control, FunctionContext const& context) : context_(context) {
  // what depends on the machine's clock would not be the same on any number of ranks
  std::vector<std::string> const kinds{"timeStep",   "writeTime",         "outputTime", "runTime",
                                       "adjustable", "adjustableRunTime", "onEnd",      "none"};
  for (auto const& function : control.functions) {
    core::Dictionary& entry = *function.dictionary;
    // these objects have nothing to execute between two writings
    TimeControl(entry, "execute", kinds);
    objects_.push_back({function.name,
                        entry.get_or<bool>("log", true),
                        TimeControl(entry, "write", kinds),
                        FunctionObjects::make(function.type, FunctionEntry{function.name, entry, context}),
                        {}});
    entry.check_all_read();
  }
}

FunctionList::~FunctionList() = default;

bool FunctionList::empty() const { return objects_.empty(); }

std::string FunctionList::execute(StepTime const& now) {
  std::string log;
  std::vector<std::pair<Item*, FunctionOutput>> outputs;
  for (auto& item : objects_) {
    if (!item.control.due(now)) continue;
    outputs.emplace_back(&item, FunctionOutput{});
    item.object->write(now, outputs.back().second);
    if (item.log) log += outputs.back().second.log();
  }
  if (outputs.empty()) return log;
  on_root(context_.layout->comm(), [&] {
    for (auto& [item, output] : outputs)
      for (auto const& [file, text] : output.files()) {
        std::string const path = context_.folder + "/" + item->name + "/" + file;
        detail::make_folder_of(path);
        bool const first = item->begun.insert(file).second;
        errno = 0;
        std::ofstream out(path, first ? std::ios::trunc : std::ios::app);
        out << text << std::flush;
        if (!out) throw core::RunError(path + ": cannot be written: " + std::strerror(errno));
      }
  });
  return log;
}

}  // namespace tessera::io::foam
