// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/method.hpp"

#include "core/case/topics.hpp"

namespace tessera::run::percolation {

void Method::read(core::Dictionary& properties) {
  if (properties.get_choice("update", {"synchronous", "random"}, "synchronous") == "random")
    properties.fail_entry("update", "is random, expected synchronous with method exact");
}

bool tell_method(std::string const& name, std::string const& doc, std::string const& keys) {
  return core::add_topic("percolationMethods", name, doc,
                         "method " + name + "; of constant/percolationProperties." + (keys.empty() ? "" : "\n" + keys));
}

}  // namespace tessera::run::percolation
