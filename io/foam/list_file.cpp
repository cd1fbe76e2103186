// SPDX-License-Identifier: Apache-2.0
#include "io/foam/list_file.hpp"

#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/together.hpp"
#include "io/foam/file_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tessera::io::foam {
using namespace core::dictionary_text;

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;

/// A file without its list, and the lines that stand at `hole` for the list.
struct Found {
  ListFile file;
  std::size_t hole = 0, lines = 0;
};

/// Copies a field file to `text`, all but the values of the internal list.
class ListFinder {
 public:
  explicit ListFinder(std::string const& path) : path_(path), in_(path) { in_.copy = &file_.text; }
  Found find() {
    for (skip_space(in_); !in_.ahead(1).empty(); skip_space(in_)) step();
    return std::move(found_);
  }

 private:
  void step() {
    std::string_view const next = in_.ahead(2);
    if (next == "#{") {
      read_verbatim(in_);
    } else if (next[0] == '"') {
      take_value(read_string(in_));
    } else if (one_of(next[0], "(){}[];")) {
      take_punctuation(next[0]);
    } else {
      std::string const word = read_word(in_);
      bool const list = word.starts_with("List<") && last_ == "nonuniform" && (open_.empty() || open_.back() == '{');
      take_value(word);
      if (list) take_list(word);
    }
  }

  void take_punctuation(char c) {
    in_.take(1);
    if (one_of(c, "({[")) {
      in_header_ = open_.empty() && words_ == 1 && key_ == "FoamFile";
      open_ += c;
    } else if (c != ';' && !open_.empty()) {
      open_.pop_back();
      in_header_ = false;
    }
    last_.clear();
    if (one_of(c, "{};")) words_ = 0;
  }

  void take_value(std::string value) {
    if (++words_ == 1) key_ = value;
    if (in_header_ && words_ == 2 && key_ == "format") format_.binary = value == "binary";
    if (in_header_ && words_ == 2 && key_ == "arch") format_.arch = value;
    last_ = std::move(value);
  }

  /// The values of the internal list stay in the file: `text` gets `internalField nonuniform` and the lines that they would
  /// have filled. Lists of patches are copied.
  void take_list(std::string const& list) {
    bool const internal = open_.empty() && words_ == 3 && key_ == "internalField" && list == "List<scalar>";
    std::size_t const before = file_.text.size() - list.size();
    ListHead const head = read_list_head(in_, list, key_);
    bool const leave = internal && head.open == '(';
    if (leave) in_.copy = nullptr;
    core::ListSpan const span = skip_list(in_, head, format_, list, key_);
    in_.copy = &file_.text;
    if (!leave) return;
    file_.text.resize(before);
    found_.hole = before;
    found_.lines = static_cast<std::size_t>(in_.line - 1 - lines_in(file_.text));
    file_.text.append(found_.lines, '\n');
    file_.list = ListPlace{
        path_,       span.line,        static_cast<std::int64_t>(span.offset), static_cast<std::int64_t>(span.count),
        span.binary, span.scalar_bytes};
  }

  std::string path_;
  FileText in_;
  Found found_;
  ListFile& file_ = found_.file;
  std::string key_, last_;  // first and latest word of the entry being read; the latest is empty behind a bracket
  std::int64_t words_ = 0;  // of it so far
  std::string open_;        // brackets round it
  bool in_header_ = false;  // FoamFile
  ListFormat format_;
};

Found read_on_root(std::string const& path) {
  std::string const file = find_file(path);
  if (file.empty()) throw core::Error(path, 0, "no such file, expected a field of OpenFOAM");
  return ListFinder(file).find();
}

}  // namespace

ListFile read_list_file(std::string const& path, core::Comm const& comm) {
  Found found;
  on_root(comm, [&] { found = read_on_root(path); });

  // the lines that a long list leaves behind travel as a number
  core::Bytes message;
  ListFile& file = found.file;
  ListPlace place = file.list.value_or(ListPlace{path, 0, 0, -1, false, 8});
  if (comm.root()) {
    std::string const rest = file.text.substr(0, found.hole) + file.text.substr(found.hole + found.lines);
    core::append(message, place.line);
    core::append(message, place.offset);
    core::append(message, place.count);
    core::append(message, static_cast<std::uint8_t>(place.binary));
    core::append(message, place.bytes);
    core::append(message, found.hole);
    core::append(message, found.lines);
    core::append(message, rest.size());
    core::append(message, std::span<char const>(rest));
  }
  comm.broadcast(message);
  if (comm.root()) return std::move(file);
  core::ByteReader in(message);
  place.line = in.take<int>();
  place.offset = in.take<std::int64_t>();
  place.count = in.take<std::int64_t>();
  place.binary = in.take<std::uint8_t>() != 0;
  place.bytes = in.take<int>();
  if (place.count >= 0) file.list = place;
  auto const hole = in.take<std::size_t>(), lines = in.take<std::size_t>();
  file.text.resize(in.take<std::size_t>());
  in.take(std::span<char>(file.text));
  file.text.insert(hole, lines, '\n');
  return std::move(file);
}

ListRows::ListRows(std::unique_ptr<std::istream> in, ListPlace place)
    : in_(std::move(in)),
      place_(std::move(place)),
      line_(place_.line),
      buffer_(place_.binary ? 0 : piece) {}

void ListRows::begin(core::Box const& block) {
  core::expect(done_ + block.cells() <= place_.count, "the list has a value for each cell of the block");
  block_ = block;
  block_begin_ = done_;
}

std::string ListRows::where(std::int64_t value) const {
  auto const n = block_.shape();
  core::Count const at = value - block_begin_;
  core::Index const x = block_.lo + core::Index{at % n.i, at / n.i % n.j, at / (n.i * n.j)};
  return fmt::format("value {} of internalField (cell ({} {} {}))", value, x.i, x.j, x.k);
}

void ListRows::next(core::Count rows, std::span<std::byte> values) {
  std::size_t const n = static_cast<std::size_t>(rows * block_.shape().i);
  core::expect(values.size() == n * sizeof(double), "rows of double");
  std::span<double> const numbers(reinterpret_cast<double*>(values.data()), n);
  if (place_.binary) {
    bool const single = place_.bytes == 4;
    if (single) single_.resize(n);
    auto* const into = single ? reinterpret_cast<char*>(single_.data()) : reinterpret_cast<char*>(values.data());
    auto const wanted = static_cast<std::streamsize>(n) * place_.bytes;
    in_->read(into, wanted);
    if (single) std::copy(single_.begin(), single_.end(), numbers.begin());
    if (in_->gcount() != wanted)
      throw core::Error(place_.path, place_.line,
                        fmt::format("the file ends within the {} values of internalField", place_.count));
  } else {
    read_text(numbers);
  }
  for (std::size_t v = 0; v < n; ++v)
    if (!std::isfinite(numbers[v]))
      throw core::Error(
          place_.path, place_.binary ? place_.line : 0,
          fmt::format("{} is {}, expected a finite number", where(done_ + static_cast<std::int64_t>(v)), numbers[v]));
  done_ += static_cast<std::int64_t>(n);
  if (!place_.binary && done_ == place_.count) {
    skip_space();
    if (at_ == end_ || buffer_[at_] != ')')
      throw core::Error(place_.path, line_,
                        fmt::format("internalField has more than the {} values announced", place_.count));
  }
}

/// Keeps what is left of the buffer and reads on behind it; false at the end of the file.
bool ListRows::refill() {
  std::size_t const rest = end_ - at_;
  std::memmove(buffer_.data(), buffer_.data() + at_, rest);
  in_->read(buffer_.data() + rest, static_cast<std::streamsize>(buffer_.size() - rest));
  at_ = 0;
  end_ = rest + static_cast<std::size_t>(in_->gcount());
  return end_ > rest;
}

void ListRows::skip_space() {
  do {
    while (at_ < end_ && is_space(buffer_[at_])) line_ += buffer_[at_++] == '\n';
  } while (at_ == end_ && refill());
}

void ListRows::read_text(std::span<double> values) {
  for (double& value : values) {
    skip_space();
    std::size_t last = at_;
    while (true) {
      while (last < end_ && !is_space(buffer_[last]) && buffer_[last] != ')') ++last;
      if (last < end_) break;
      std::size_t const length = last - at_;
      if (!refill()) break;
      last = length;
    }
    if (last == at_)
      throw core::Error(
          place_.path, line_,
          fmt::format("internalField has {} values, expected {}", done_ + (&value - values.data()), place_.count));
    char const* first = buffer_.data() + at_;
    char const* const end = buffer_.data() + last;
    if (*first == '+') ++first;
    auto const [rest, status] = std::from_chars(first, end, value);
    bool const number = status == std::errc() && rest == end && std::isfinite(value);
    // numbers too small for a double are zero, as strtod has it
    if (status == std::errc::result_out_of_range && rest == end)
      value = std::strtod(std::string(first, end).c_str(), nullptr);
    if ((!number && status != std::errc::result_out_of_range) || rest != end || !std::isfinite(value))
      throw core::Error(place_.path, line_,
                        fmt::format("{} is '{}', expected a finite number", where(done_ + (&value - values.data())),
                                    std::string_view(buffer_.data() + at_, std::min<std::size_t>(last - at_, 40))));
    at_ = last;
  }
}

std::unique_ptr<ListRows> open_list(ListPlace const& place) {
  auto in = open_file(place.path);
  if (place.path.ends_with(".gz"))  // unpacked once more up to there
    in->ignore(place.offset);
  else
    in->seekg(place.offset);
  if (!*in) throw core::Error(place.path, place.line, "cannot be read at the values of internalField");
  return std::make_unique<ListRows>(std::move(in), place);
}

}  // namespace tessera::io::foam
