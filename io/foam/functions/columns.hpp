// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/function_object.hpp"

#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::foam::functions {

/// Numbers and headings as OpenFOAM lays them out in the tables of its function objects.
class Columns {
 public:
  explicit Columns(core::Dictionary const& dictionary, FunctionContext const& context);

  std::string scientific(double value) const;        ///< in files
  std::string general(double value) const;           ///< in the log
  std::string comment(std::string_view text) const;  ///< `# TEXT   `, as wide as the first column
  std::string property(std::string_view name, std::string_view value) const;  ///< `# NAME   : VALUE` and end of line
  std::string column(std::string_view text) const;                            ///< tab and text, as wide as a column
  std::string time(StepTime const& now) const;                                ///< the first column of a row
  int precision() const { return precision_; }

 private:
  FunctionContext const& context_;
  int precision_;
};

/// Those with values in cells; those and quantities of the boundary alone; vectors, too.
enum class Quantities { in_cells, on_faces, all };

/// The fields that `KEY ( ... )` of an entry names, in its order; names in quotes are patterns. Throws core::Error
/// naming those there are.
std::vector<std::string> select_fields(FunctionEntry const& entry, Quantities which, std::string_view key = "fields");

/// The pattern that a token in quotes is. Throws core::Error at the entry where it is none.
std::regex pattern_of(core::Token const& token, core::TokenStream const& in);

/// The field of that name. Throws core::Error at the entry `key` where there is none of this kind.
FunctionField const& find_field(FunctionEntry const& entry, std::string_view key, std::string const& name,
                                Quantities which);

}  // namespace tessera::io::foam::functions
