// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/page.hpp"

#include "io/pictures/plots.hpp"

#include <fmt/format.h>

namespace tessera::io {
namespace {

constexpr char const* style = R"(<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1060px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
h1 { font-size: 1.5em; margin-bottom: 0; }
.where { color: #666; margin-top: 0; }
svg { width: 100%; font: 12px system-ui, sans-serif; fill: currentColor; }
svg .title { font-size: 14px; font-weight: 600; }
svg .grid { stroke: currentColor; stroke-opacity: .18; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5em; }
.plots > * { flex: 1 1 420px; }
.wide { overflow-x: auto; }
.wide table { font-size: 13px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .5em; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }
td.why { white-space: normal; text-align: left; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } .where { color: #999; } }
</style>
)";

/// Not a number with its unit.
bool is_sentence(std::string const& cell) { return cell.size() > 12 && cell.find(' ') != std::string::npos; }

}  // namespace

std::string html(Page const& page) {
  std::string where;
  for (auto const& line : page.where) where += (where.empty() ? "" : "<br>") + escaped(line);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n{1}</head>\n<body>\n<h1>{0}</h1>\n"
      "<p class=\"where\">{2}</p>\n{3}</body>\n</html>\n",
      escaped(page.title), style, where, page.body);
}

std::string html_table(std::vector<std::vector<std::string>> const& rows) {
  std::string html = "<div class=\"wide\"><table>\n";
  bool head = true;
  for (auto const& row : rows) {
    html += "<tr>";
    for (auto const& cell : row)
      html += fmt::format("<{0}{2}>{1}</{0}>", head ? "th" : "td", escaped(cell),
                          !head && is_sentence(cell) ? " class=\"why\"" : "");
    html += "</tr>\n";
    head = false;
  }
  return html + "</table></div>\n";
}

}  // namespace tessera::io
