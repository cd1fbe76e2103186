// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace tessera::io::detail {

/// Makes the folder a file is to lie in. Throws core::RunError with the system's reason.
void make_folder_of(std::string const& file);

/// Sets disk space aside for a file of so many bytes, which is made if there is none: so a full disk, a limit or a missing
/// right is found out, with the system's reason, before libraries that take failing writes badly. On file systems that
/// cannot set space aside only the other two are found. Throws core::RunError.
void reserve(std::string const& file, std::uint64_t bytes);

/// Renames a file that is complete. Throws core::RunError.
void rename(std::string const& from, std::string const& to);

/// Writes FILE.part and renames it. Throws core::RunError; FILE is then as it was.
void write_atomically(std::string const& file, std::string const& text);

}  // namespace tessera::io::detail
