#pragma once
#include "tests/support/reference_decoder.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Small models of families, with random weights, described by what their makers' code computes.
namespace fireside::test {

struct FamilyModel
{
    ReferenceOptions options;
    ReferenceTensors tensors; // for the reference
    nlohmann::json config;
    ReferenceTensors stored; // as the folder has them
    /// What is changed in config.json so that the folder is refused, and what is then said.
    nlohmann::json wrong;
    std::string words;
    bool gguf = true; // there is a form of it

    void writeFolder(const std::filesystem::path &folder, bool makeWrong = false) const;
    std::vector<double> logits(std::span<const std::int32_t> ids) const;
};

/// "InternLM2", …
std::vector<std::string> familyModelNames();
FamilyModel familyModel(const std::string &name);

} // namespace fireside::test
