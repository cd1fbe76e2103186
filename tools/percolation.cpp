// SPDX-License-Identifier: Apache-2.0
// The command percolation: a picture or volume becomes a case, which is run.
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "run/log.hpp"
#include "tools/case_folder.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <string_view>

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

/// The image as a case anywhere names it; FILE:ITEM stays so.
std::string absolute_name(std::string const& image) {
  auto const [file, item] = io::split_item(image);
  return fs::absolute(file).string() + (item.empty() ? "" : ":" + item);
}

/// What is occupied, as constant/percolationProperties says it: the entries of `input`.
std::string limit(PercolationImageOptions const& options) {
  std::string text;
  if (options.level) text += fmt::format(" level {};", *options.level);
  if (options.threshold) text += fmt::format(" threshold {};", *options.threshold);
  if (options.otsu) text += " threshold otsu;";
  if (!options.phases.empty()) text += fmt::format(" phases ({});", fmt::join(options.phases, " "));
  if (!options.occupied.empty()) text += fmt::format(" occupied {};", options.occupied);
  return text;
}

/// A value that is a name of a file.
std::string file(std::string const& image, char const* what) {
  return quoted(absolute_name(image), what, "a name without quotes, backslashes and $");
}

void write_case(std::string const& folder, bool passing, PercolationImageOptions const& options) {
  std::string const in = folder + "/";
  for (char const* file : {"constant/percolationProperties", "system/controlDict"}) core::make_folder_of(in + file);
  std::string properties =
      fmt::format("input           {{ type picture; file {};{} }}\n", file(options.image, "IMAGE"), limit(options));
  if (options.region == "cylinder")
    properties += "region          { type cylinder; }\n";
  else if (!options.region.empty())
    properties += fmt::format("region          {{ type mask; file {}; threshold 0.5; occupied light; }}\n",
                              file(options.region, "--region"));
  if (!options.direction.empty()) properties += fmt::format("direction       {};\n", options.direction);
  if (options.connectivity > 0) properties += fmt::format("connectivity    {};\n", options.connectivity);
  if (options.conductivity) properties += "conductivity    yes;\n";
  for (auto const& [wanted, key] :
       {std::pair{options.thickness, "thickness"}, {options.drainage, "drainage"}, {options.geodesic, "geodesic"}})
    if (wanted) properties += fmt::format("{:<15} yes;\n", key);
  if (passing) properties += "picture         yes;\nfields          (occupied spanning backbone articulation red);\n";
  core::write_file(in + "constant/percolationProperties", properties);
  core::write_file(in + "system/controlDict",
                   fmt::format("application     percolation;\n{}", passing ? "writeControl    none;\n" : ""));
}

/// Where the picture of a crossing goes: by the name that the user gives, or into the folder where the program was started.
/// `made`: backbone.png, or backbone_x.png and so on where there are several.
std::string picture_name(PercolationImageOptions const& options, fs::path const& made) {
  std::string name = options.picture;
  if (name.empty()) name = fs::path(io::split_item(options.image).file).stem().string() + ".percolation.png";
  std::string const direction = made.stem().string().substr(std::string_view("backbone").size());
  fs::path const wanted(name);
  return (wanted.parent_path() / wanted.stem()).string() + direction + ".png";
}

/// Takes the pictures out of a case that goes away. Returns their names.
std::vector<std::string> take_pictures(std::string const& folder, PercolationImageOptions const& options) {
  std::vector<std::string> names;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(folder + "/results", none)) {
    if (entry.path().extension() != ".png") continue;
    names.push_back(picture_name(options, entry.path()));
    core::write_file(names.back(), core::read_file(entry.path().string()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

int analyse_image(core::Comm const& comm, PercolationImageOptions const& options) {
  run::Log log(comm.root() && !options.quiet);
  CaseFolder const folder(comm, options.directory, "percolation");
  io::on_root(comm, [&] { write_case(folder.path(), folder.passing(), options); });
  run::RunOptions run;
  run.directory = folder.path();
  run.report = options.report;
  run.quiet = options.quiet;
  run.made = true;
  int const code = folder.run(run, options.image);
  std::vector<std::string> pictures;
  if (folder.passing()) {
    io::on_root(comm, [&] { pictures = take_pictures(folder.path(), options); });
    for (auto const& name : pictures) log.line("Picture: {}", name);
    log.line("The case goes away; --case DIR keeps it and its results");
  }
  comm.barrier();
  return code;
}

}  // namespace tessera::tools
