// SPDX-License-Identifier: Apache-2.0
#pragma once
// What io/insitu/catalyst2.catalyst2.cpp uses of libcatalyst, so that it is compiled and run where there is none: nodes are
// kept, nothing is drawn.
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace conduit_cpp {

struct Data {
  std::vector<std::pair<std::string, std::shared_ptr<Data>>> children;
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<double> numbers;
  void const* external = nullptr;
  std::size_t count = 0, size = 0;
};

class Node {
 public:
  Node() : data_(std::make_shared<Data>()) {}
  Node operator[](std::string const& path) {
    auto at = data_;
    for (std::size_t begin = 0; begin <= path.size();) {
      std::size_t const end = std::min(path.find('/', begin), path.size());
      at = child_of(*at, path.substr(begin, end - begin), true);
      begin = end + 1;
    }
    return Node(at, path.substr(path.rfind('/') + 1));
  }
  bool has_path(std::string const& path) const {
    auto at = data_;
    for (std::size_t begin = 0; at && begin <= path.size();) {
      std::size_t const end = std::min(path.find('/', begin), path.size());
      at = child_of(*at, path.substr(begin, end - begin), false);
      begin = end + 1;
    }
    return at != nullptr;
  }
  Node append() {
    data_->children.emplace_back("", std::make_shared<Data>());
    return Node(data_->children.back().second, "");
  }
  std::size_t number_of_children() const { return data_->children.size(); }
  Node child(std::size_t n) const { return Node(data_->children.at(n).second, data_->children.at(n).first); }
  std::string name() const { return name_; }
  double to_float64() const { return data_->number; }
  Data& data() const { return *data_; }

  void set_string(std::string const& text) { data_->text = text; }
  void set_int64(std::int64_t x) { data_->integer = x; }
  void set_float64(double x) { data_->number = x; }
  void set_float64_vector(std::vector<double> const& x) { data_->numbers = x; }
  template <class T>
  void set_external(T* x, std::size_t n) {
    data_->external = x;
    data_->count = n;
    data_->size = sizeof(T);
  }

 private:
  Node(std::shared_ptr<Data> data, std::string name) : data_(std::move(data)), name_(std::move(name)) {}
  static std::shared_ptr<Data> child_of(Data& data, std::string const& name, bool make) {
    for (auto const& [key, child] : data.children)
      if (key == name) return child;
    if (!make) return nullptr;
    return data.children.emplace_back(name, std::make_shared<Data>()).second;
  }
  std::shared_ptr<Data> data_;
  std::string name_;
};

inline Node* c_node(Node* node) { return node; }

}  // namespace conduit_cpp

enum catalyst_status { catalyst_status_ok, catalyst_status_error };

namespace catalyst_stub {
inline conduit_cpp::Node initialized, executed, results;
inline int finalized = 0;
}  // namespace catalyst_stub

inline catalyst_status catalyst_initialize(conduit_cpp::Node* node) {
  catalyst_stub::initialized = *node;
  return catalyst_status_ok;
}
inline catalyst_status catalyst_execute(conduit_cpp::Node* node) {
  catalyst_stub::executed = *node;
  return catalyst_status_ok;
}
inline catalyst_status catalyst_results(conduit_cpp::Node* node) {
  *node = catalyst_stub::results;
  return catalyst_status_ok;
}
inline catalyst_status catalyst_finalize(conduit_cpp::Node*) {
  ++catalyst_stub::finalized;
  return catalyst_status_ok;
}
