#pragma once

namespace fireside {

/// Lets embeddedShader() find the variants of kernels that only tests use (fireside_test_shader in
/// CMake). Before anything asks for a shader.
void useTestShaders();

} // namespace fireside
