#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/gguf.h"
#include "engine/files/gguf_type.h"
#include "engine/files/packed_weight.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr std::string_view kWeight = ".weight";

/// The same with the shape slowest first, as weights of folders have it.
std::unique_ptr<const SafetensorsTensor> inOrder(const GgufTensor &t)
{
    SafetensorsTensor tensor{.name = std::string(t.name),
                             .type = ggmlTypeName(t.ggmlType),
                             .dtype = t.dtype,
                             .shape = {},
                             .fileOffset = t.fileOffset,
                             .bytes = t.bytes};
    for (int i = t.rank; i-- > 0;)
        tensor.shape.push_back(t.dims[static_cast<std::size_t>(i)]);
    return std::make_unique<const SafetensorsTensor>(std::move(tensor));
}

void requireFactors(const Gguf &file, const GgufTensor &factor, std::uint64_t matrices)
{
    const std::uint64_t count = factor.dims[0];
    const bool fits =
        factor.dims[1] * factor.dims[2] * factor.dims[3] == 1 && (count == 1 || count == matrices);
    if (factor.dtype == DType::F32 && fits)
        return;
    throwBadInput(file.path().string() + ": tensor " + fireside::quoted(std::string(factor.name)) +
                  " is " + ggmlTypeName(factor.ggmlType) + ' ' + shapeText(inOrder(factor)->shape) +
                  ", expected F32 [" + std::to_string(matrices) + "] or one number");
}

} // namespace

PackedWeights findScaledWeights(const Gguf &file)
{
    PackedWeights found;
    for (const GgufTensor &t : file.tensors()) {
        if (t.dtype != DType::NVFP4 || !t.name.ends_with(kWeight))
            continue;
        const std::string base(t.name.substr(0, t.name.size() - kWeight.size()));
        if (const GgufTensor *const rounding = file.findTensor(base + ".input_scale"))
            found.partNames.insert(rounding->name);
        const GgufTensor *const factor = file.findTensor(base + ".scale");
        if (!factor)
            continue;
        requireFactors(file, *factor, t.dims[2]);
        found.partNames.insert(factor->name);
        const SafetensorsTensor *const codes = found.fromGguf.emplace_back(inOrder(t)).get();
        const SafetensorsTensor *const factors =
            found.fromGguf.emplace_back(inOrder(*factor)).get();
        found.weights.push_back({.name = std::string(t.name),
                                 .form = PackedWeight::Form::Nvfp4Blocks,
                                 .stored = t.dims[0] % 256 == 0 ? DType::NVFP4_F32 : DType::F16,
                                 .bits = 4,
                                 .depth = t.dims[2],
                                 .rows = t.dims[1],
                                 .cols = t.dims[0],
                                 .groupCols = 16,
                                 .codes = codes,
                                 .factor = factors});
    }
    return found;
}

} // namespace fireside
