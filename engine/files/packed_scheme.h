#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fireside {

/// How a folder is quantised, after the words of its config.json.
struct PackedScheme
{
    std::string method; // "gptq"; empty: none
    bool symmetric = true, zerosAsTheyAre = false, inverseScale = false;
    std::uint64_t blockRows = 128, blockCols = 128; // of FP8
    std::optional<std::string> cache; // "FP8": what its makers kept keys and values in
    std::optional<std::string> problem;
};

/// From config.json's object, or its part that describes the text model. Which modules are left out
/// the tensors themselves say.
PackedScheme packedSchemeOf(const nlohmann::json &config);

} // namespace fireside
