#pragma once
#include <filesystem>
#include <string>

namespace fireside::test {

/// How a model with other kinds of input as well is stored: the prefix of what is "model." in the
/// folder of its text model, and of the rest.
struct MultimodalNames
{
    std::string transformer; // class in config.json
    std::string model;       // "model.language_model."
    std::string rest;        // "" or "language_model."
};

/// Writes a golden folder as such a model: its config.json as `text_config`, its tensors with
/// those names, and tensors of a part that sees and of one that hears.
void writeMultimodal(const std::filesystem::path &folder, const MultimodalNames &names,
                     const std::filesystem::path &out);

} // namespace fireside::test
