// SPDX-License-Identifier: Apache-2.0
#include "io/files/table.hpp"

#include "core/error.hpp"
#include "io/files/atomic.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace tessera::io {
namespace {

/// The rows of an existing table whose first value is less than `limit`; none where there is no such file.
std::string rows_before(std::string const& file, std::string const& header, double limit) {
  std::string line, kept;
  if (!std::filesystem::exists(file)) return kept;
  std::istringstream in(core::read_file(file));
  if (!std::getline(in, line)) return kept;
  if (line != header) throw core::Error(file, 1, fmt::format("the columns are '{}', expected '{}'", line, header));
  while (std::getline(in, line)) {
    double first = 0;
    auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), first);
    bool const complete = error == std::errc{} && !in.eof();  // a last line without its end was cut off by a kill
    if (complete && first < limit) kept += line + "\n";
  }
  return kept;
}

}  // namespace

Table::Table(std::string file, std::vector<std::string> columns, double resume_at)
    : file_(std::move(file)),
      columns_(columns.size()) {
  std::string const header = fmt::format("{}", fmt::join(columns, ","));
  bool const fresh = resume_at == -std::numeric_limits<double>::infinity();
  std::string const kept = fresh ? "" : rows_before(file_, header, resume_at);
  detail::write_atomically(file_, header + "\n" + kept);
  out_ = core::open_to_append(file_);
}

void Table::row(std::span<double const> values) {
  core::expect(values.size() == columns_, "a row has a value for each column");
  write(fmt::format("{}\n", fmt::join(values, ",")));
}

void Table::write(std::string const& line) {
  bool const ok = std::fwrite(line.data(), 1, line.size(), out_.get()) == line.size() && std::fflush(out_.get()) == 0;
  if (!ok) throw core::RunError(fmt::format("{}: cannot be written: {}", file_, std::strerror(errno)));
}

}  // namespace tessera::io
