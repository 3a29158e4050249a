#include "engine/core/error.h"
#include "engine/cpu/cpu_commands.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::cpu {
void CpuCommands::copy(const Tensor &, const Tensor &)
{
    throwUnsupported("copy on the CPU");
}
void CpuCommands::reorderHeads(const Tensor &, std::int64_t, HeadOrder, const Tensor &)
{
    throwUnsupported("reorderHeads on the CPU");
}
void CpuCommands::splitQkv(const Tensor &, QkvLayout, const AttentionShape &, const Tensor &,
                           const Tensor &, const Tensor &)
{
    throwUnsupported("splitQkv on the CPU");
}
void CpuCommands::addRmsNorm(const Tensor &, const Tensor &, const Weight &, float, const Tensor &)
{
    throwUnsupported("addRmsNorm on the CPU");
}
void CpuCommands::layerNorm(const Tensor &, const Weight &, const Weight *, float, const Tensor &)
{
    throwUnsupported("layerNorm on the CPU");
}
void CpuCommands::addLayerNorm(const Tensor &, const Tensor &, const Weight &, const Weight *,
                               float, const Tensor &)
{
    throwUnsupported("addLayerNorm on the CPU");
}
void CpuCommands::l2Normalize(const Tensor &, const Tensor &)
{
    throwUnsupported("l2Normalize on the CPU");
}
void CpuCommands::add(const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("add on the CPU");
}
void CpuCommands::multiply(const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("multiply on the CPU");
}
void CpuCommands::addScaled(const Tensor &, float, const Tensor &)
{
    throwUnsupported("addScaled on the CPU");
}
void CpuCommands::addBias(const Tensor &, const Weight &, const Tensor *, const Tensor &)
{
    throwUnsupported("addBias on the CPU");
}
void CpuCommands::activate(const Tensor &, Activation, const Weight *, const Tensor &)
{
    throwUnsupported("activate on the CPU");
}
void CpuCommands::gate(const Tensor &, const Tensor &, Activation, const Tensor &)
{
    throwUnsupported("gate on the CPU");
}
void CpuCommands::softcap(const Tensor &, float, const Tensor &)
{
    throwUnsupported("softcap on the CPU");
}
void CpuCommands::softmax(const Tensor &, float, const Tensor *, const Tensor &)
{
    throwUnsupported("softmax on the CPU");
}
void CpuCommands::headLinear(const Tensor &, const Weight &, const Tensor &)
{
    throwUnsupported("headLinear on the CPU");
}
void CpuCommands::batchedProduct(const Tensor &, const Tensor &, const BatchedProduct &,
                                 const Tensor &)
{
    throwUnsupported("batchedProduct on the CPU");
}
void CpuCommands::transformHeads(const Tensor &, const HeadTransform &, HeadOrder, const Tensor &)
{
    throwUnsupported("transformHeads on the CPU");
}
void CpuCommands::latentToCache(const Tensor &, const Tensor &, const Rope &, std::int64_t)
{
    throwUnsupported("latentToCache on the CPU");
}
void CpuCommands::sequenceAttention(const Tensor &, const Tensor &, const Tensor &,
                                    const AttentionShape &, const Tensor &)
{
    throwUnsupported("sequenceAttention on the CPU");
}
void CpuCommands::route(const Tensor &, const Routing &, const Tensor &, const Tensor &)
{
    throwUnsupported("route on the CPU");
}
void CpuCommands::expertGatedLinear(const LinearInput &, const Tensor &, const GatedWeights &,
                                    Activation, const Tensor &)
{
    throwUnsupported("expertGatedLinear on the CPU");
}
void CpuCommands::expertLinear(const Tensor &, const Tensor &, const Tensor &, const Weight &,
                               const Weight *, const Tensor &, Accumulate)
{
    throwUnsupported("expertLinear on the CPU");
}
void CpuCommands::shortConvolution(const Tensor &, const Weight &, const Weight *, const Tensor &,
                                   const Tensor &)
{
    throwUnsupported("shortConvolution on the CPU");
}
void CpuCommands::gatedDeltaRule(const Tensor &, const Tensor &, const Tensor &, const Tensor &,
                                 const Tensor &, std::int64_t, const Tensor &, const Tensor &)
{
    throwUnsupported("gatedDeltaRule on the CPU");
}
void CpuCommands::topK(const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("topK on the CPU");
}
void CpuCommands::pad(const Tensor &, const Tensor &)
{
    throwUnsupported("pad on the CPU");
}
void CpuCommands::unpad(const Tensor &, const Tensor &)
{
    throwUnsupported("unpad on the CPU");
}
void CpuCommands::pool(const Tensor &, Pooling, const Tensor &)
{
    throwUnsupported("pool on the CPU");
}
} // namespace fireside::cpu
