#pragma once
#include <cstdint>

// A file as an array of 32-bit words, spirv_NAME up to spirv_NAME_end. The assembler takes it as it
// is: as numbers in C++ the shaders would take seconds to compile.
#define EMBED(name, file)                                                                          \
    extern "C" const std::uint32_t spirv_##name[], spirv_##name##_end[];                           \
    asm(".section .rodata\n"                                                                       \
        ".balign 4\n"                                                                              \
        ".hidden spirv_" #name ", spirv_" #name "_end\n"                                           \
        ".globl spirv_" #name ", spirv_" #name "_end\n"                                            \
        "spirv_" #name ":\n"                                                                       \
        ".incbin \"" file "\"\n"                                                                   \
        "spirv_" #name "_end:\n"                                                                   \
        ".previous\n")
