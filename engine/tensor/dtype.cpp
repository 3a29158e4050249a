#include "engine/tensor/dtype.h"

#include <array>

namespace fireside {
namespace {

constexpr std::array<DTypeInfo, kDTypeCount> kTypes{{
    {DType::F32, "F32", 0, 1, 4},
    {DType::F16, "F16", 1, 1, 2},
    {DType::BF16, "BF16", 30, 1, 2},
    {DType::I32, "I32", 26, 1, 4},
    {DType::Q4_0, "Q4_0", 2, 32, 18},
    {DType::Q4_1, "Q4_1", 3, 32, 20},
    {DType::Q5_0, "Q5_0", 6, 32, 22},
    {DType::Q5_1, "Q5_1", 7, 32, 24},
    {DType::Q8_0, "Q8_0", 8, 32, 34},
    {DType::Q2_K, "Q2_K", 10, 256, 84},
    {DType::Q3_K, "Q3_K", 11, 256, 110},
    {DType::Q4_K, "Q4_K", 12, 256, 144},
    {DType::Q5_K, "Q5_K", 13, 256, 176},
    {DType::Q6_K, "Q6_K", 14, 256, 210},
    {DType::IQ4_NL, "IQ4_NL", 20, 32, 18},
    {DType::IQ4_XS, "IQ4_XS", 23, 256, 136},
    {DType::MXFP4, "MXFP4", 39, 32, 17},
}};

struct GgmlName
{
    std::uint32_t id;
    const char *name;
};
constexpr std::array kOtherGgmlTypes{
    GgmlName{9, "Q8_1"},     GgmlName{15, "Q8_K"},  GgmlName{16, "IQ2_XXS"}, GgmlName{17, "IQ2_XS"},
    GgmlName{18, "IQ3_XXS"}, GgmlName{19, "IQ1_S"}, GgmlName{21, "IQ3_S"},   GgmlName{22, "IQ2_S"},
    GgmlName{24, "I8"},      GgmlName{25, "I16"},   GgmlName{27, "I64"},     GgmlName{28, "F64"},
    GgmlName{29, "IQ1_M"},   GgmlName{34, "TQ1_0"}, GgmlName{35, "TQ2_0"},   GgmlName{40, "NVFP4"},
};

} // namespace

const DTypeInfo &info(DType type)
{
    return kTypes[static_cast<std::size_t>(type)];
}

std::optional<DType> dtypeFromGgml(std::uint32_t id)
{
    for (const DTypeInfo &t : kTypes)
        if (t.ggmlId == id)
            return t.type;
    return std::nullopt;
}

std::string ggmlTypeName(std::uint32_t id)
{
    if (const auto type = dtypeFromGgml(id))
        return name(*type);
    for (const GgmlName &t : kOtherGgmlTypes)
        if (t.id == id)
            return t.name;
    return "type " + std::to_string(id);
}

std::size_t rowBytes(DType type, std::size_t elements)
{
    const DTypeInfo &t = info(type);
    return elements / t.blockElements * t.blockBytes;
}

} // namespace fireside
