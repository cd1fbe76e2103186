// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "io/pictures/preview.hpp"

#include <string>

namespace tessera::run::automaton {

/// Draws the states to a file: two of one byte in two colours, up to 24 that are there in a colour each with a legend, more
/// of them and other numbers by the palette. Rules of files have the colours of their file. Throws core::RunError where it cannot be written. Collective.
void draw_states(std::string const& file, ca::Automaton& automaton);
/// The same of each field of several, to FOLDER/NAME.png by the palette; of one to FOLDER/state.png. Collective.
void draw_fields(std::string const& folder, ca::Automaton& automaton);

/// Previews of so many states, 0 if they are not known, have a colour for each unless the case has a range: the first picture may not have
/// all of them.
void show_states(io::PreviewStyle& style, std::int64_t states);

}  // namespace tessera::run::automaton
