// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/comm/comm.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::run {

/// Dictionaries of a case that many tasks read, by path: nothing where there is none. Each is read once.
using CaseTexts = std::map<std::string, std::optional<std::string>>;

/// A case directory: its dictionaries are opened by name, read by the root and sent to all ranks, with the settings of
/// the command line laid over them. All members that open files are collective.
class Case {
 public:
  /// `settings`: texts of the form FILE:entry.path=value. `output`: where results go, empty: into the directory. `texts`:
  /// what was read before by the same ranks, and is added to. `origins`: the places of settings in messages, by their texts,
  /// where that is not the command line. Throws core::Error if the directory does not exist or a setting is malformed.
  Case(std::string directory, std::vector<std::string> const& settings, core::Comm const& comm, std::string output = {},
       CaseTexts* texts = nullptr, std::map<std::string, std::string> const& origins = {});

  /// A required dictionary, such as "system/controlDict".
  core::Dictionary& open(std::string const& file);
  /// An optional one: nullptr if neither the file nor a setting for it exists. A setting that names no folder is for the file that
  /// is there, where two folders may have it.
  core::Dictionary* find(std::string const& file);
  /// An optional one whose entries all have defaults.
  core::Dictionary& open_or_empty(std::string const& file);
  bool exists(std::string const& file) const;

  /// Path of a file of the case, for readers. Absolute paths stay as they are.
  std::string path(std::string const& file) const;
  /// The same of a file of data that is read; one that lies outside of the case is told by `outside`.
  std::string input(std::string const& file) const;
  /// Throws core::Error with the entry's place where the file of data that it names is not there. Collective.
  void require_input(core::Dictionary const& entry, std::string_view key) const;
  /// Path of a file that runs write, and read again where they go on: results, postProcessing, time directories.
  std::string output(std::string const& file) const;
  std::string const& directory() const { return directory_; }
  /// Last part of the directory's name.
  std::string name() const;
  /// Reads a file on the root and gives its text to all ranks.
  std::string read_text(std::string const& path) const;
  /// The same for this rank alone; of a dictionary that tasks share, as the first of them read it. Throws core::Error, also for a file that lies, its links followed, neither in the case nor
  /// in <etc> nor in a folder beside the case: a stranger's case has no business with other files of its user.
  std::string text_here(std::string const& path) const;

  /// Throws core::Error for the first entry that nobody read, and for settings of files that nobody opened; gathers all of
  /// them where core::all_errors asks.
  void check_all_read() const;
  /// The same for entries alone.
  void check_entries_read() const;
  /// Lines for the log: core::Dictionary::unused_variables, and settings of entries that a later one sets, too.
  std::vector<std::string> remarks() const;
  /// Lines for the log: files that were read and lie outside of the case, links followed. Of <etc> none. Complete on the root.
  std::vector<std::string> outside() const;
  /// What was read other than the files of the folders system, constant and 0, as it was then (input_stamp): by paths from the
  /// case's folder, or whole ones. On the root.
  std::map<std::string, std::string> const& inputs() const { return inputs_; }
  /// All dictionaries opened, as text, by file name: the provenance of a result.
  std::map<std::string, std::string> texts() const;

 private:
  struct Setting {
    std::string file, entry, value, origin;
  };
  bool inside(std::string const& file) const;
  void note_outside(std::string const& file) const;
  void note_input(std::string const& path) const;
  void require_near(std::string const& path, std::string const& file) const;
  bool wanted(Setting const& setting, std::string const& file) const;
  bool elsewhere(std::string const& file) const;

  std::string directory_, output_;
  core::Comm comm_;
  CaseTexts* texts_;
  std::vector<Setting> settings_;
  std::map<std::string, std::unique_ptr<core::Dictionary>> dictionaries_;
  mutable std::set<std::string> outside_;
  mutable std::map<std::string, std::string> inputs_;
};

}  // namespace tessera::run
