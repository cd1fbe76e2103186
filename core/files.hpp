// SPDX-License-Identifier: Apache-2.0
// How files are opened, made and named, so that no case makes the program wait for ever or write elsewhere.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::core {

/// A file of the C library, closed at the end.
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

// ---- what is read: regular files only, since a pipe or a device may have no end

/// Throws core::Error naming what PATH is unless it is a regular file that can be looked at (links are followed). For
/// libraries that open files by name.
void require_regular(std::string const& path);

/// Opens a regular file. Throws core::Error with the system's reason.
FilePointer open_to_read(std::string const& path);

/// The bytes that a regular file has when it is opened; those of the kernel that tell no size (/proc) are empty.
/// Throws core::Error.
std::string read_file(std::string const& path);

// ---- what is written: into a file that this program made

/// Makes the folder a file is to lie in. Throws core::RunError with the system's reason.
void make_folder_of(std::string const& file);

/// Makes a new file for reading and writing and gives its descriptor. What had the name before is taken away, never
/// followed: a link in a case may point at anything. Throws core::RunError.
int create_file(std::string const& file);

/// Opens a regular file to add to its end; no link. Throws core::RunError.
FilePointer open_to_append(std::string const& file);

/// Renames a file that is complete; if that fails the file goes away. Throws core::RunError.
void rename_file(std::string const& from, std::string const& to);

/// Waits until a file is on the disk, then renames it, then waits for the folder: after a crash of the machine TO is whole,
/// or what it was. Throws core::RunError. Cost: bytes of the file / bandwidth of the disk.
void rename_synced(std::string const& from, std::string const& to);

/// Writes FILE.part and renames it; `synced`: by rename_synced. Throws core::RunError; FILE is then as it was.
void write_file(std::string const& file, std::string_view text, bool synced = false);

/// Writes a file that the user, no case, has named: like write_file, but what is there and is no regular file (a device, a
/// pipe, /dev/stdout) is written in place. Throws core::RunError.
void write_named_file(std::string const& file, std::string_view text);

/// Throws core::RunError unless files can be made in this folder, or in the one in which it would be made. Leaves nothing
/// behind.
void require_writable_folder(std::string const& folder);

/// The same for a file of write_named_file.
void require_writable_file(std::string const& file);

// ---- names

/// Whether a name from a dictionary may become the name of a file or folder: a word as in OpenFOAM (no blanks, quotes, '/',
/// ';', braces), and neither "." nor "..".
bool is_file_name(std::string_view name);

}  // namespace tessera::core
