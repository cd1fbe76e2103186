// SPDX-License-Identifier: Apache-2.0
#include "io/foam/schemes.hpp"

#include "core/case/unsupported.hpp"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

namespace tessera::io::foam {
namespace {

void refuse(core::Dictionary const& group, std::string const& key, std::string_view what, std::string const& found,
            std::vector<std::string> const& supported) {
  group.fail(key, core::unsupported_name(what, found, supported));
}

/// The key that holds the scheme of `term`: its own, otherwise `default`.
std::string key_of(core::Dictionary const& group, std::string const& term) {
  std::string const key = group.contains(term) ? term : "default";
  auto const words = group.words(key);
  if (words.empty()) group.fail(key, "no scheme, expected one for '" + term + "'");
  if (words == std::vector<std::string>{"none"}) group.fail(key, "no scheme for '" + term + "': the default is none");
  return key;
}

void read_ddt(core::Dictionary const& ddt, std::string const& key, Schemes& schemes) {
  std::vector<std::string> const supported{"Euler", "CrankNicolson", "backward", "steadyState"};
  auto in = ddt.stream(key);
  if (!in.at_word()) in.fail_expected("the name of a scheme");
  schemes.ddt = in.next().text;
  if (schemes.ddt == "CrankNicolson") {
    if (in.done()) ddt.fail(key, "CrankNicolson has no coefficient, expected 'CrankNicolson PSI', PSI from 0 to 1");
    schemes.psi = in.read<double>();
    if (!(schemes.psi >= 0 && schemes.psi <= 1))
      ddt.fail(key, fmt::format("the coefficient of CrankNicolson is {}, expected a number from 0 to 1", schemes.psi));
  } else if (schemes.ddt != "Euler" && schemes.ddt != "backward" && schemes.ddt != "steadyState") {
    refuse(ddt, key, "ddt scheme", schemes.ddt, supported);
  }
  if (!in.done()) refuse(ddt, key, "ddt scheme", fmt::format("{}", fmt::join(ddt.words(key), " ")), supported);
}

/// Entries of the group that are neither the term's nor the default.
void note_others(core::Dictionary const& group, std::string const& term, Schemes& schemes) {
  for (auto const& key : group.keys()) {
    if (key == term || key == "default") continue;
    if (group.contains(term) && group.location(key) == group.location(term))
      continue;  // the pattern that it is read by
    std::string const guess = core::nearest(key, {term});
    schemes.notes.push_back(fmt::format("{}: '{}' is used by nobody{}", group.location(key), key,
                                        guess.empty() ? "" : "; did you mean '" + guess + "'?"));
  }
}

}  // namespace

Schemes read_schemes(core::Dictionary& dictionary, std::string const& field, std::string const& gamma) {
  Schemes schemes;
  core::Dictionary const& ddt = dictionary.sub("ddtSchemes");
  std::string key = key_of(ddt, "ddt(" + field + ")");
  read_ddt(ddt, key, schemes);
  note_others(ddt, "ddt(" + field + ")", schemes);

  core::Dictionary const& laplacian = dictionary.sub("laplacianSchemes");
  std::string const term = "laplacian(" + gamma + "," + field + ")";
  key = key_of(laplacian, term);
  note_others(laplacian, term, schemes);
  auto const words = laplacian.words(key);
  if (words[0] != "Gauss") refuse(laplacian, key, "laplacian scheme", words[0], {"Gauss"});
  if (words.size() < 3)
    laplacian.fail(
        key, fmt::format("entry '{}' is '{}', expected 'Gauss harmonic|linear SNGRAD'", key, fmt::join(words, " ")));
  schemes.interpolation = words[1];
  if (words[1] != "harmonic" && words[1] != "linear")
    refuse(laplacian, key, "interpolation", words[1], {"harmonic", "linear"});
  schemes.sn_grad = words[2];
  std::vector<std::string> const supported{"orthogonal", "corrected", "uncorrected", "limited"};
  if (std::find(supported.begin(), supported.end(), words[2]) == supported.end())
    refuse(laplacian, key, "snGrad scheme", words[2], {"orthogonal", "corrected", "uncorrected", "limited"});
  if (words[2] == "limited" && words.size() > 3) {
    char* end = nullptr;
    double const coefficient = std::strtod(words.back().c_str(), &end);
    if (*end != '\0' || !(coefficient >= 0 && coefficient <= 1))
      laplacian.fail(key, fmt::format("the coefficient of limited is {}, expected a number from 0 to 1", words.back()));
  }
  // limited carries a coefficient (and perhaps a scheme), the others nothing
  if (words.size() > (words[2] == "limited" ? 5U : 3U))
    laplacian.fail(key, fmt::format("entry '{}' goes on after the snGrad scheme: '{}'", key, fmt::join(words, " ")));
  dictionary.mark_read();
  return schemes;
}

}  // namespace tessera::io::foam
