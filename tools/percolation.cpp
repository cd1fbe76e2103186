// SPDX-License-Identifier: Apache-2.0
// The command percolation: a picture or volume becomes a case, which is run.
#include "core/case/wrong_command.hpp"
#include "core/comm/runtime.hpp"
#include "core/files.hpp"
#include "io/files/together.hpp"
#include "io/reader.hpp"
#include "run/guard/named_output.hpp"
#include "run/log.hpp"
#include "tools/case_folder.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
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
  if (std::string phases = options.phases; !phases.empty()) {
    std::ranges::replace(phases, ',', ' ');
    text += fmt::format(" phases ({});", phases);
  }
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

/// Where the picture goes: by the name that the user gives, or into the folder where the program was started.
fs::path picture_of(PercolationImageOptions const& options) {
  if (options.picture.empty()) return fs::path(io::split_item(options.image).file).stem() += ".percolation.png";
  fs::path const name(options.picture);
  std::string const last = name.filename().string();
  if (!last.empty() && last.find('.') == std::string::npos) return fs::path(name) += ".png";
  if (name.extension() != ".png")
    throw core::WrongCommand(fmt::format("--picture {}: expected the name of a .png file", options.picture));
  return name;
}

/// The same of a crossing among several, `_x` and so on; "": of the only one.
fs::path picture_of(PercolationImageOptions const& options, std::string const& crossing) {
  fs::path const all = picture_of(options);
  return all.parent_path() / (all.stem().string() + crossing + ".png");
}

/// Throws core::WrongCommand for pictures that cannot be written, or only over what they are made of or beside the report.
void check_picture(PercolationImageOptions const& options) {
  for (char const* crossing : {"", "_x", "_y", "_z"}) {
    fs::path const picture = picture_of(options, crossing);
    for (auto const& input : {options.image, options.region})
      if (!input.empty() && run::same_place(picture.string(), io::split_item(input).file))
        throw core::WrongCommand(
            fmt::format("--picture {}: would be written over {}, expected another name", picture.string(), input));
    run::check_outputs({{"--report", options.report, run::OutputKind::report},
                        {"--picture", picture.string(), run::OutputKind::picture}});
  }
}

/// Takes the pictures out of a case that goes away. Returns their names.
std::vector<std::string> take_pictures(std::string const& folder, PercolationImageOptions const& options) {
  std::vector<std::string> names;
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(folder + "/results", none)) {
    if (entry.path().extension() != ".png") continue;
    // backbone.png, or backbone_x.png and so on where there are several
    std::string const crossing = entry.path().stem().string().substr(std::string_view("backbone").size());
    names.push_back(picture_of(options, crossing).string());
    core::write_file(names.back(), core::read_file(entry.path().string()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

int analyse_image(core::Comm const& comm, PercolationImageOptions const& options) {
  run::Log log(comm.root() && !options.quiet);
  io::on_root(comm, [&] { check_picture(options); });
  CaseFolder folder(comm, options.directory, "percolation");
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
