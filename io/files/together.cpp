// SPDX-License-Identifier: Apache-2.0
#include "io/files/together.hpp"

#include "core/case/wrong_command.hpp"

#include <exception>

namespace tessera::io {

void Failure::raise() const {
  if (kind == wrong_command) throw core::WrongCommand(text, core::WrongCommand::Whole());
  if (kind == wrong_input) throw core::Error(text);
  throw core::RunError(text);
}

Failure Failure::caught() {
  try {
    throw;
  } catch (core::WrongCommand const& error) {
    return {wrong_command, error.what()};
  } catch (core::Error const& error) {
    return {wrong_input, error.what()};
  } catch (std::bad_alloc const&) {
    return {at_run_time, "out of memory"};
  } catch (std::exception const& error) {
    return {at_run_time, error.what()};
  }
}

void agree(core::Comm const& comm, Failure const& mine) {
  int const ranks = comm.size();
  auto const first = static_cast<int>(comm.min(std::int64_t{mine ? comm.rank() : ranks}));
  if (first == ranks) return;
  core::Bytes message;
  if (comm.rank() == first) {
    core::append(message, mine.kind);
    core::append(message, std::span<char const>(mine.text));
  }
  comm.broadcast(message, first);
  core::ByteReader reader(message);
  Failure theirs;
  theirs.kind = reader.take<Failure::Kind>();
  theirs.text.resize(message.size() - sizeof theirs.kind);
  reader.take(std::span<char>(theirs.text));
  theirs.raise();
}

void on_all(core::Comm const& comm, std::function<void()> const& f) {
  Failure failure;
  try {
    f();
  } catch (...) {
    failure = Failure::caught();
  }
  agree(comm, failure);
}

void on_root(core::Comm const& comm, std::function<void()> const& f) {
  on_all(comm, [&] {
    if (comm.root()) f();
  });
}

}  // namespace tessera::io
