#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fireside {

struct EmbeddedShader
{
    std::string_view name;
    std::span<const std::uint32_t> code; // SPIR-V
};

/// SPIR-V of a shader compiled into the program, by the name given in shaders/CMakeLists.txt; empty
/// when the build left it out.
std::span<const std::uint32_t> embeddedShader(std::string_view name);

/// More of them, which must outlive their use. Before anything asks for a shader.
void setTestShaders(std::span<const EmbeddedShader> shaders);

/// Optional features that the build's shader compiler did not know: "cooperative matrix", "integer
/// dot". Shaders that need them are left out.
std::span<const std::string_view> missingShaderFeatures();

} // namespace fireside
