// SPDX-License-Identifier: Apache-2.0
#include "io/writer.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::io {

std::unique_ptr<Writer> writer_for(std::string const& file) {
  std::string lower = file, known;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (auto const& [name, entry] : Writers::entries()) {
    auto writer = entry.make();
    for (auto const& extension : writer->extensions()) {
      if (lower.ends_with("." + extension)) return writer;
      known += (known.empty() ? "." : ", .") + extension;
    }
  }
  for (auto const& [name, entry] : Writers::entries())
    if (auto writer = entry.make(); writer->takes(file)) return writer;
  throw core::Error(file, 0, "no writer for this extension, expected one of " + known);
}

}  // namespace tessera::io
