#pragma once
#include "engine/cpu/linear/cpu_weight.h"
#include "engine/cpu/linear/linear.h"
#include "engine/cpu/linear/linear_scratch.h"
#include "engine/cpu/simd/rows.h"

#include <cstdint>
#include <vector>

// Mixtures of experts, as engine/backend/ops describes them. For few tokens only the chosen
// experts' rows are read, all experts' work spread over the pool; for prompts tokens are gathered
// by expert. Ids are not trusted: an expert that does not exist gives zeros.
namespace fireside::cpu {

/// Working memory of these ops, reused from call to call.
struct ExpertScratch
{
    std::vector<std::size_t> begin;   // [experts + 1] into `pairs`
    std::vector<std::uint32_t> pairs; // t·k + j by expert, rising
    ScratchBuffer gathered, results;
};

struct ExpertGate
{
    const CpuWeight *gate; // or null: act(x·upᵀ)
    const CpuWeight &up;
    const CpuWeight *gateBias = nullptr, *upBias = nullptr;
    GateFunction act = nullptr;
};
/// x [T, in], ids [T, k], out [T·k, ffn]
void expertGatedLinear(ThreadPool &pool, LinearScratch &scratch, ExpertScratch &work,
                       const InRows &x, const IdRows &ids, const ExpertGate &weights,
                       const FloatRows &out);
/// x [T·k, ffn], ids and weights [T, k], out [T, n]
void expertLinear(ThreadPool &pool, LinearScratch &scratch, ExpertScratch &work, const InRows &x,
                  const IdRows &ids, const InRows &weights, const CpuWeight &down,
                  const CpuWeight *bias, const FloatRows &out, bool add);

struct HeadSteps
{
    std::size_t x, out; // columns from one head to the next
};
/// x [T, (H − 1)·step.x + in], weight [out, in] of depth H, out [T, (H − 1)·step.out + out]
void headLinear(ThreadPool &pool, LinearScratch &scratch, const InRows &x, const CpuWeight &weight,
                const FloatRows &out, const HeadSteps &step);

} // namespace fireside::cpu
