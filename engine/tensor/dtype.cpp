#include "engine/tensor/dtype.h"

namespace fireside {
namespace {

struct GgmlName
{
    std::uint32_t id;
    const char *name;
};
constexpr GgmlName kOtherGgmlTypes[] = {
#define OTHER_TYPE(name, ggml) {ggml, #name},
#include "engine/tensor/weight_types.def"
};

} // namespace

std::string lowerName(DType type)
{
    std::string text = name(type);
    for (char &c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

std::optional<DType> dtypeFromGgml(std::uint32_t id)
{
    for (const DTypeInfo &t : kDTypes)
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
