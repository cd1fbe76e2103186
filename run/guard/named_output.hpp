// SPDX-License-Identifier: Apache-2.0
// Files that the user names for what a command writes, such as --report: they take the place of nothing but their like.
#pragma once
#include <string>
#include <vector>

namespace tessera::run {

/// What lies in a file.
enum class OutputKind { report, plan, plan_page, machine_file, picture };

struct NamedOutput {
  std::string option, file;  ///< no file: the option is not given
  OutputKind kind;
};

/// Throws core::WrongCommand for a file that is there and is not what an earlier command has written under this option (a dictionary,
/// a snapshot, a table, the command's input), for one that lies among what runs read and write of one of these cases and folders for
/// results, and for two options with one file. Links are followed; a device or a pipe may be written to. Of a
/// picture, whose ending says what it is, nothing is asked but another file than the others have. Of one rank.
void check_outputs(std::vector<NamedOutput> const& outputs, std::vector<std::string> const& folders = {});

/// Whether both names are of one file, links followed; it need not be there.
bool same_place(std::string const& a, std::string const& b);

}  // namespace tessera::run
