// SPDX-License-Identifier: Apache-2.0
#include "core/case/topics.hpp"

#include <algorithm>
#include <tuple>

namespace tessera::core {
namespace {

std::vector<Topic>& all() {
  static std::vector<Topic> topics;
  return topics;
}

}  // namespace

std::vector<Topic> const& topics() { return all(); }

bool add_topic(std::string_view kind, std::string_view name, std::string_view doc, std::string_view help) {
  Topic topic{std::string(kind), std::string(name), std::string(doc), std::string(help)};
  auto const before = [](Topic const& a, Topic const& b) {
    return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
  };
  all().insert(std::upper_bound(all().begin(), all().end(), topic, before), std::move(topic));
  return true;
}

}  // namespace tessera::core
