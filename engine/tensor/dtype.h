#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace fireside {

/// Element types of weights and buffers. Values are ours; ggmlId maps to the file's numbers.
enum class DType : std::uint8_t {
#define PLAIN_TYPE(name, ...) name,
#define BLOCK_TYPE(name, ...) name,
#include "engine/tensor/weight_types.def"
    I32, // ids; never weights
};

inline constexpr DType kWeightTypes[] = {
#define PLAIN_TYPE(name, ...) DType::name,
#define BLOCK_TYPE(name, ...) DType::name,
#include "engine/tensor/weight_types.def"
};

struct DTypeInfo
{
    DType type;
    const char *name;            // as GGUF tools print it: "Q4_K"
    std::uint32_t ggmlId;        // ggml_type in a GGUF tensor table
    std::uint32_t blockElements; // elements per block, 1 for plain types
    std::uint32_t blockBytes;
    std::uint32_t codeBits = 0;      // of the numbers in blocks as the CPU decodes them
    std::uint32_t scaleElements = 0; // consecutive elements of a block with the same scale
};
inline constexpr DTypeInfo kDTypes[] = {
#define PLAIN_TYPE(name, ggml, bytes) {DType::name, #name, ggml, 1, bytes},
#define BLOCK_TYPE(name, ggml, elements, bytes, bits, group, ...)                                  \
    {DType::name, #name, ggml, elements, bytes, bits, group},
#include "engine/tensor/weight_types.def"
    {DType::I32, "I32", 26, 1, 4},
};
constexpr const DTypeInfo &info(DType type)
{
    return kDTypes[static_cast<std::size_t>(type)];
}
/// Numbers of a floating-point format, with or without a scale: products take activations as they
/// are. The codes of other types are whole numbers, which may meet activations rounded to bytes.
constexpr bool isFloatType(DType type)
{
    return info(type).codeBits == 0 && type != DType::I32;
}
inline const char *name(DType type)
{
    return info(type).name;
}
std::string lowerName(DType type); // "q4_k"

/// Calls f.operator()<type>() with a type of blocks; does nothing for others. withCodeType: of
/// blocks of whole numbers.
template <typename F>
void withBlockType(DType type, const F &f)
{
    switch (type) {
#define BLOCK_TYPE(name, ...)                                                                      \
    case DType::name:                                                                              \
        return f.template operator()<DType::name>();
#include "engine/tensor/weight_types.def"
    default:
        return;
    }
}

template <typename F>
void withCodeType(DType type, const F &f)
{
    withBlockType(type, [&]<DType Type>() {
        if constexpr (!isFloatType(Type))
            f.template operator()<Type>();
    });
}

/// nullopt for types we do not compute with; ggmlTypeName() still names the known ones.
std::optional<DType> dtypeFromGgml(std::uint32_t id);
std::string ggmlTypeName(std::uint32_t id); // "IQ2_XXS", or "type 77"

/// Bytes of `elements` consecutive elements; elements must be a multiple of blockElements.
std::size_t rowBytes(DType type, std::size_t elements);

} // namespace fireside
