#include "engine/core/error.h"
#include "engine/cpu/cpu_commands.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::cpu {
void CpuCommands::headLinear(const Tensor &, const Weight &, const Tensor &)
{
    throwUnsupported("headLinear on the CPU");
}
void CpuCommands::batchedProduct(const Tensor &, const Tensor &, const BatchedProduct &,
                                 const Tensor &)
{
    throwUnsupported("batchedProduct on the CPU");
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
} // namespace fireside::cpu
