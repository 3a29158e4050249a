// Included by C++ and GLSL: names under which both see the same layout (scalar block layout).
#ifndef FIRESIDE_SHARED_TYPES_H
#define FIRESIDE_SHARED_TYPES_H

// Specialisation constants are a list in the op's header, a row each, from 0 on without gaps:
//     #define NORM_CONSTANTS(X) X(0, uint, kThreads, 64) X(1, bool, kHasBias, false)
// SHARED_CONSTANTS(NormConstants, NORM_CONSTANTS) makes of it the struct that C++ fills and gives
// to Recorder::dispatch, KERNEL(NORM_CONSTANTS, NormPush) in norm.comp the declarations, with those
// of the push block. Constant 0 is the size of a workgroup.

#ifdef __cplusplus
#include <cstdint>
#include <initializer_list>
#include <span>
#define SHARED_UINT std::uint32_t
#define SHARED_INT std::int32_t
#define SHARED_FLOAT float
#define SHARED_ADDRESS(type) std::uint64_t // a buffer device address
#define SHARED_POINTER std::uint64_t       // the same, untyped: see references.glsl
#define SHARED_CONSTANT inline constexpr std::uint32_t

#define SHARED_WORD_uint std::uint32_t
#define SHARED_WORD_bool std::uint32_t
#define SHARED_WORD_float float
#define SHARED_MEMBER(id, type, name, value) SHARED_WORD_##type name = value;
#define SHARED_ID(id, type, name, value) id,
#define SHARED_CONSTANTS(Name, LIST)                                                               \
    struct Name                                                                                    \
    {                                                                                              \
        LIST(SHARED_MEMBER)                                                                        \
        operator std::span<const std::uint32_t>() const                                            \
        {                                                                                          \
            return {reinterpret_cast<const std::uint32_t *>(this), sizeof *this / 4};              \
        }                                                                                          \
    };                                                                                             \
    static_assert(sharedIdsFollow({LIST(SHARED_ID)}, sizeof(Name) / 4));

/// Whether the ids of `words` constants are numbered without gaps.
constexpr bool sharedIdsFollow(std::initializer_list<std::uint32_t> ids, std::size_t words)
{
    std::uint32_t next = *ids.begin();
    for (const std::uint32_t id : ids)
        if (id != next++)
            return false;
    return ids.size() == words;
}
#else
#define SHARED_UINT uint
#define SHARED_INT int
#define SHARED_FLOAT float
#define SHARED_ADDRESS(type) type
#define SHARED_POINTER uvec2
#define SHARED_CONSTANT const uint

#define SHARED_CONSTANTS(Name, LIST)
#define SPECIALISATION(id, type, name, value) layout(constant_id = id) const type name = value;
#define KERNEL(LIST, PushType)                                                                     \
    layout(local_size_x_id = 0) in;                                                                \
    LIST(SPECIALISATION)                                                                           \
    layout(push_constant, scalar) uniform Push                                                     \
    {                                                                                              \
        PushType push;                                                                             \
    };
#endif

#endif
