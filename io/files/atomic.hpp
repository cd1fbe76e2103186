// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/files.hpp"

#include <cstdint>
#include <string>

namespace tessera::io::detail {

using core::make_folder_of;

/// Sets disk space aside for a file of so many bytes, which is made if there is none: so a full disk, a limit or a missing
/// right is found out, with the system's reason, before libraries that take failing writes badly. On file systems that
/// cannot set space aside only the other two are found. Links are not followed. Throws core::RunError.
void reserve(std::string const& file, std::uint64_t bytes);

/// The same for a file that is made anew, in place of what has the name.
void reserve_anew(std::string const& file, std::uint64_t bytes);

/// Renames a file that is complete. Throws core::RunError.
inline void rename(std::string const& from, std::string const& to) { core::rename_file(from, to); }

/// Writes FILE.part and renames it. Throws core::RunError; FILE is then as it was.
inline void write_atomically(std::string const& file, std::string const& text) { core::write_file(file, text); }

}  // namespace tessera::io::detail
