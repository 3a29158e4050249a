#pragma once
#include <cstdint>

/// Ids of the types of metadata values, from ggml's docs/gguf.md.
namespace fireside::gguf_type {

enum : std::uint32_t {
    kU8,
    kI8,
    kU16,
    kI16,
    kU32,
    kI32,
    kF32,
    kBool,
    kString,
    kArray,
    kU64,
    kI64,
    kF64,
    kCount
};

} // namespace fireside::gguf_type
