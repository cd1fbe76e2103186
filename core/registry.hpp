// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::core {

/// Names that two plugins claimed, one sentence each. Collected, not thrown: plugins register before main, where nobody
/// can catch.
std::vector<std::string>& registry_clashes();

/// Throws Error if two plugins claimed one name. Called by Runtime at start, and to be called after each dlopen of a
/// plugin library.
void check_registries();

/// The plugins of one kind: name -> {one-line doc, maker}.
///
/// A plugin registers itself by one static line in its own file; there is no list anywhere:
///   [[maybe_unused]] static bool const added = Registry<Base, Args...>::add<Mine>("mine", "what it does, in a line");
/// Makers are plain function pointers, so that nothing runs before Runtime has started. `Base::kind`, a static
/// constexpr std::string_view such as "preconditioner", is the word for messages. The table is one per process, also for plugins
/// opened by dlopen.
template <class Base, class... Args>
class Registry {
 public:
  using Maker = std::unique_ptr<Base> (*)(Args...);
  struct Entry {
    std::string doc;
    Maker make;
    std::string help;  // keys with their defaults, for `tessera help NAME`: T::help, if the plugin has that string
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// Registers T, made by T(args...). Returns true, for the static variable. A name taken already goes to
  /// registry_clashes().
  template <class T>
  static bool add(std::string_view name, std::string_view doc) {
    std::string_view help;
    if constexpr (requires { std::string_view(T::help); }) help = T::help;
    return add(
        name, doc,
        [](Args... args) -> std::unique_ptr<Base> { return std::make_unique<T>(std::forward<Args>(args)...); }, help);
  }

  static bool add(std::string_view name, std::string_view doc, Maker maker, std::string_view help = {}) {
    auto const [place, added] = table().emplace(std::string(name), Entry{std::string(doc), maker, std::string(help)});
    if (!added)
      registry_clashes().push_back("two plugins claim the " + std::string(Base::kind) + " '" + std::string(name) +
                                   "' (\"" + place->second.doc + "\" and \"" + std::string(doc) + "\")");
    return true;
  }

  /// Throws Error naming the valid names and the nearest one.
  static std::unique_ptr<Base> make(std::string_view name, Args... args) {
    return find(name).make(std::forward<Args>(args)...);
  }

  /// Throws Error as make does.
  static Entry const& find(std::string_view name) {
    auto const place = table().find(name);
    if (place == table().end()) throw Error(unknown_name(Base::kind, name, names()));
    return place->second;
  }

  static bool contains(std::string_view name) { return table().contains(name); }

  /// Sorted by name.
  static Entries const& entries() { return table(); }

  static std::vector<std::string> names() {
    std::vector<std::string> result;
    for (auto const& entry : table()) result.push_back(entry.first);
    return result;
  }

 private:
  static Entries& table() {
    static Entries entries;
    return entries;
  }
};

}  // namespace tessera::core
