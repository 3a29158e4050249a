// Included by C++ and GLSL: names under which both see the same layout (scalar block layout).
#ifndef FIRESIDE_SHARED_TYPES_H
#define FIRESIDE_SHARED_TYPES_H

#ifdef __cplusplus
#include <cstdint>
#define SHARED_UINT std::uint32_t
#define SHARED_INT std::int32_t
#define SHARED_FLOAT float
#define SHARED_ADDRESS(type) std::uint64_t // a buffer device address
#define SHARED_POINTER std::uint64_t       // the same, untyped: see references.glsl
#define SHARED_CONSTANT inline constexpr std::uint32_t
#else
#define SHARED_UINT uint
#define SHARED_INT int
#define SHARED_FLOAT float
#define SHARED_ADDRESS(type) type
#define SHARED_POINTER uvec2
#define SHARED_CONSTANT const uint
#endif

#endif
