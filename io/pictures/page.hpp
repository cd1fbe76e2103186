// SPDX-License-Identifier: Apache-2.0
// Pages of HTML that need no other file.
#pragma once
#include <string>
#include <vector>

namespace tessera::io {

/// A page; `where`: lines under the title, and `body`: HTML of paragraphs, tables and plots (plots.hpp). Plots side by side stand in
/// <div class="plots"><div>...</div> ... </div>, what may be wider than the page in <div class="wide">.
struct Page {
  std::string title;
  std::vector<std::string> where;
  std::string body;
};
std::string html(Page const& page);

/// The first row has the names of the columns. Texts of several words stand at the left.
std::string html_table(std::vector<std::vector<std::string>> const& rows);

}  // namespace tessera::io
