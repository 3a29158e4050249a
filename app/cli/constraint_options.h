#pragma once
#include "engine/constrain/grammar.h"

#include <CLI/App.hpp>

#include <optional>
#include <string>

namespace fireside::cli {

/// What form replies must have: one of three options, or none.
struct ConstraintOptions
{
    std::string jsonSchema; // a file or the schema itself
    std::string grammar;    // a file
    std::string regex;
    bool listedOrder = false, lenient = false;

    void addTo(CLI::App &command);
    /// nullopt where none is asked for. Writes the grammar's notes to standard error.
    std::optional<constrain::Grammar> read() const;
};

} // namespace fireside::cli
