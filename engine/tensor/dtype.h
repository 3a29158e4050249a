#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace fireside {

/// Element types of weights and buffers. Values are ours; ggmlId maps to the file's numbers.
enum class DType : std::uint8_t {
    F32,
    F16,
    BF16,
    I32,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    MXFP4,
};
inline constexpr int kDTypeCount = static_cast<int>(DType::MXFP4) + 1;

struct DTypeInfo
{
    DType type;
    const char *name;            // as GGUF tools print it: "Q4_K"
    std::uint32_t ggmlId;        // ggml_type in a GGUF tensor table
    std::uint32_t blockElements; // elements per block, 1 for plain types
    std::uint32_t blockBytes;
};
const DTypeInfo &info(DType type);
inline const char *name(DType type)
{
    return info(type).name;
}

/// nullopt for types we do not compute with; ggmlTypeName() still names the known ones.
std::optional<DType> dtypeFromGgml(std::uint32_t id);
std::string ggmlTypeName(std::uint32_t id); // "IQ2_XXS", or "type 77"

/// Bytes of `elements` consecutive elements; elements must be a multiple of blockElements.
std::size_t rowBytes(DType type, std::size_t elements);

} // namespace fireside
