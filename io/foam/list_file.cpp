// SPDX-License-Identifier: Apache-2.0
#include "io/foam/list_file.hpp"

#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/together.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20;

bool space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool delimiter(char c) { return space(c) || c == '{' || c == '}' || c == ';' || c == '"'; }

/// A file read from front to back, a piece at a time; counts lines.
class Scanner {
 public:
  explicit Scanner(std::string const& path) : in_(open_file(path)), buffer_(piece) {}
  /// The next byte, -1 at the end; `get` takes it.
  int peek() { return at_ < end_ || refill() ? static_cast<unsigned char>(buffer_[at_]) : -1; }
  int get() {
    int const c = peek();
    if (c < 0) return c;
    ++at_;
    line_ += c == '\n';
    return c;
  }
  /// Takes all bytes before `stop`; false if there is none. Counts words where `words` is given.
  bool skip_to(char stop, std::int64_t* words) {
    bool inside = false;
    while (at_ < end_ || refill()) {
      auto const* first = buffer_.data() + at_;
      auto const* found = static_cast<char const*>(std::memchr(first, stop, end_ - at_));
      std::size_t const n = found != nullptr ? static_cast<std::size_t>(found - first) : end_ - at_;
      line_ += static_cast<int>(std::count(first, first + n, '\n'));
      if (words != nullptr)
        for (std::size_t i = 0; i < n; ++i) {
          *words += !space(first[i]) && !inside;
          inside = !space(first[i]);
        }
      at_ += n;
      if (found != nullptr) return true;
    }
    return false;
  }
  /// Takes `bytes` bytes, counting lines as editors do, although they hold numbers; false if the file is shorter.
  bool skip(std::int64_t bytes) {
    while (bytes > 0 && (at_ < end_ || refill())) {
      auto const n = std::min<std::int64_t>(bytes, static_cast<std::int64_t>(end_ - at_));
      auto const* first = buffer_.data() + at_;
      line_ += static_cast<int>(std::count(first, first + n, '\n'));
      at_ += static_cast<std::size_t>(n);
      bytes -= n;
    }
    return bytes == 0;
  }
  std::int64_t offset() const { return before_ + static_cast<std::int64_t>(at_); }
  int line() const { return line_; }

 private:
  bool refill() {
    if (in_->eof()) return false;
    before_ += static_cast<std::int64_t>(end_);
    in_->read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    end_ = static_cast<std::size_t>(in_->gcount());
    at_ = 0;
    return end_ > 0;
  }
  std::unique_ptr<std::istream> in_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
  std::int64_t before_ = 0;
  int line_ = 1;
};

/// A file without its list, and the lines that stand at `hole` for the list.
struct Found {
  ListFile file;
  std::size_t hole = 0, lines = 0;
};

/// Copies a field file to `text`, all but the values of the internal list.
class ListFinder {
 public:
  explicit ListFinder(std::string const& path) : path_(path), in_(path) {}
  Found find() {
    std::size_t const most = most_text(path_);
    while (in_.peek() >= 0) {
      step();
      if (file_.text.size() > most) refuse_text(path_);
    }
    return std::move(found_);
  }

 private:
  void copy() { file_.text += static_cast<char>(in_.get()); }
  void copy_space() {
    while (in_.peek() >= 0 && space(static_cast<char>(in_.peek()))) copy();
  }

  void step() {
    auto const c = static_cast<char>(in_.peek());
    if (c == '/') {
      copy_comment();
    } else if (c == '"') {
      copy_string();
    } else if (delimiter(c)) {
      depth_ += c == '{';
      depth_ -= c == '}';
      if (!space(c)) words_.clear();
      copy();
    } else {
      copy_word();
    }
  }

  void copy_comment() {
    copy();
    if (in_.peek() == '/') {
      while (in_.peek() >= 0 && in_.peek() != '\n') copy();
    } else if (in_.peek() == '*') {
      copy();
      while (in_.peek() >= 0) {
        bool const star = in_.peek() == '*';
        copy();
        if (star && in_.peek() == '/') return copy();
      }
    }
  }

  void copy_string() {
    copy();
    while (in_.peek() >= 0 && in_.peek() != '"') {
      if (in_.peek() == '\\') copy();
      if (in_.peek() >= 0) copy();
    }
    if (in_.peek() >= 0) copy();
    // of the header, `arch "LSB;label=32;scalar=32"`
    if (depth_ == 1 && words_.size() == 1 && words_[0] == "arch")
      bytes_ = file_.text.find("scalar=32", file_.text.rfind("arch")) != std::string::npos ? 4 : 8;
    words_.emplace_back("\"");
  }

  void copy_word() {
    std::string word;
    while (in_.peek() >= 0 && !delimiter(static_cast<char>(in_.peek()))) {
      word += static_cast<char>(in_.peek());
      copy();
      if (word == "List<scalar>") break;  // its length or bracket may follow at once
    }
    words_.push_back(word);
    if (depth_ == 1 && words_.size() == 2 && words_[0] == "format") binary_ = word == "binary";
    if (depth_ == 0 && words_.size() == 3 && words_[0] == "internalField" && words_[1] == "nonuniform" &&
        word == "List<scalar>")
      take_list();
  }

  /// The values stay in the file: `text` gets `internalField nonuniform` and the lines they would have filled.
  void take_list() {
    ListPlace place{path_, 0, 0, -1, false, 8};
    copy_space();
    std::string count;
    while (in_.peek() >= '0' && in_.peek() <= '9' && count.size() < 18) count += static_cast<char>(in_.get());
    copy_space();
    if (in_.peek() == '{') {  // N{value}: short, left to the dictionary
      file_.text += count;
      return;
    }
    if (in_.peek() != '(')
      throw core::Error(path_, in_.line(), "expected '(' after 'nonuniform List<scalar>' and its length");
    in_.get();
    if (!count.empty()) place.count = std::stoll(count);
    place.line = in_.line();
    place.offset = in_.offset();
    place.binary = binary_ && !count.empty();
    if (place.binary) {
      place.bytes = bytes_;
      if (!in_.skip(place.count * place.bytes))
        throw core::Error(path_, place.line,
                          "the file ends within the binary list of internalField, expected " + count + " values");
      if (in_.peek() != ')')
        throw core::Error(path_, place.line,
                          "the binary list of internalField is not closed by ')' after " + count + " values");
    } else {
      std::int64_t words = 0;
      if (!in_.skip_to(')', count.empty() ? &words : nullptr))
        throw core::Error(path_, place.line, "the list of internalField is not closed by ')'");
      if (count.empty()) place.count = words;
    }
    in_.get();
    file_.text.resize(file_.text.rfind("List<scalar>"));
    found_.hole = file_.text.size();
    found_.lines = static_cast<std::size_t>(in_.line() - 1 - std::count(file_.text.begin(), file_.text.end(), '\n'));
    file_.text.append(found_.lines, '\n');
    file_.list = place;
    words_.clear();
  }

  std::string path_;
  Scanner in_;
  Found found_;
  ListFile& file_ = found_.file;
  std::vector<std::string> words_;  // of the current entry
  int depth_ = 0;
  bool binary_ = false;
  int bytes_ = 8;
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
    while (at_ < end_ && space(buffer_[at_])) line_ += buffer_[at_++] == '\n';
  } while (at_ == end_ && refill());
}

void ListRows::read_text(std::span<double> values) {
  for (double& value : values) {
    skip_space();
    std::size_t last = at_;
    while (true) {
      while (last < end_ && !space(buffer_[last]) && buffer_[last] != ')') ++last;
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
