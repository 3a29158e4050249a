#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace fireside {

/// A tool that a model may call.
struct ToolDescription
{
    std::string name, description{};
    nlohmann::ordered_json parameters{}; // a JSON schema of objects; null: it takes none
};

} // namespace fireside
