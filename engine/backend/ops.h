#pragma once
#include "engine/backend/memory.h"

#include <cstdint>
#include <span>
#include <vector>

// The parameters of ops: plain values without behaviour.
namespace fireside {

/// A product's input: x [T, in], or its RMS norm x / √(mean(x²) + eps) · norm, taken on the way
/// (x itself stays as it is).
struct LinearInput
{
    LinearInput(const Tensor &tensor) // NOLINT: a plain tensor is an input
        : x(tensor)
    {}
    LinearInput(const Tensor &tensor, const Weight &rmsNorm, float rmsEps)
        : x(tensor)
        , norm(&rmsNorm)
        , eps(rmsEps)
    {}
    Tensor x;
    const Weight *norm = nullptr; // [1, in] or none
    float eps = 0;
};

/// One product of a group that reads the same input: out = x · weightᵀ (+ bias).
struct LinearTarget
{
    const Weight *weight = nullptr; // [out, in]
    Tensor out;                     // [T, out]
    const Weight *bias = nullptr;   // [1, out] or none
};
enum class Accumulate { Overwrite, AddToOutput };

/// The nonlinear functions. GELU comes in two forms that differ by up to 4.7e-4: a model says
/// which.
enum class Activation {
    SiLU,          // x·σ(x)
    GeluErf,       // ½x(1 + erf(x/√2)), arXiv 1606.08415
    GeluTanh,      // ½x(1 + tanh(√(2/π)(x + 0.044715x³)))
    ReluSquared,   // max(x, 0)², arXiv 2109.08668
    ClampedSwiGlu, // gated only: g·σ(1.702 g)·(u + 1), g ≤ 7, |u| ≤ 7 (gpt-oss)
};

/// The two matrices of a gated feed-forward: act(x·gateᵀ + gateBias) ⊙ (x·upᵀ + upBias).
struct GatedWeights
{
    const Weight *gate = nullptr, *up = nullptr;         // [ffn, in], depth = experts in a mixture
    const Weight *gateBias = nullptr, *upBias = nullptr; // [1, ffn] or none, the same depth
};

enum class RopePairing { HalfSplit, Interleaved }; // (i, i + r/2) or (2i, 2i + 1)
/// Rotary position embedding, arXiv 2104.09864: pairs of channels turn by position · frequency.
/// All scalings (linear, YaRN, Llama 3, LongRoPE, factors of a file) are already in the
/// frequencies. Channels [firstChannel, firstChannel + 2·pairs) of a head turn, the others stay.
struct Rope
{
    RopePairing pairing = RopePairing::HalfSplit;
    std::vector<float> inverseFrequencies; // one per pair; angle = position · f
    float attentionFactor = 1;             // multiplies cos and sin (YaRN)
    std::int64_t firstChannel = 0;
};

/// What happens to each head of a projection before attention; any part may be absent.
struct HeadTransform
{
    std::int64_t headDim = 0;
    const Weight *norm = nullptr; // [1, headDim] RMS norm over the head
    float eps = 0;
    const Rope *rope = nullptr;
};

struct AttentionShape
{
    std::int64_t heads = 0, kvHeads = 0;    // H, Hkv: kv head of head h is h / (H / Hkv)
    std::int64_t headDim = 0, valueDim = 0; // D of queries and keys, Dv of values (0: D)
    float scale = 0;                        // 1/√D unless the model says otherwise
    bool causal = true;                     // row i of an item sees keys ≤ past + i
    std::int64_t window = 0; // 0: none. Causal: the last `window` keys, itself included.
                             // Not causal: |query − key| ≤ window / 2
    float softcap = 0;       // 0: none; else cap·tanh(score / cap)
    const Weight *sinks =
        nullptr;            // [1, H]: one more logit per head that takes weight, adds no value
    float alibiMaxBias = 0; // 0: none; else score += slope(h)·(key − query), arXiv 2108.12409,
                            // slope(h) = 2^(−maxBias·(h+1)/H) for H a power of two (else as there)
    std::int64_t values() const { return valueDim > 0 ? valueDim : headDim; }
};

/// How a mixture of experts chooses. Weights of the chosen experts, in order of falling score
/// (the first expert wins a tie).
struct Routing
{
    enum class Score {
        SoftmaxAll,    // softmax over all logits, then the k largest
        SoftmaxChosen, // the k largest logits, then softmax over those
        Sigmoid,       // σ(logit) each (DeepSeek V3)
    };
    Score score = Score::SoftmaxAll;
    std::int64_t used = 1;        // k
    const Weight *bias = nullptr; // [1, experts]: added to the scores for choosing, not to weights
    std::int64_t groups = 1, usedGroups = 1; // choose the best groups first, experts within them
    bool groupByBestTwo = false; // a group's score: sum of its two best (V3), or its best (V2)
    bool normalize = false;      // the chosen weights are divided by their sum
    float scale = 1;             // then multiplied by this
};

enum class Pooling { First, Mean, Last };

/// Where q, k and v lie in one fused projection [T, (H + 2·Hkv)·D].
enum class QkvLayout {
    TokenMajor, // all q heads, all k heads, all v heads
    PerKvHead,  // for each kv head: its H/Hkv q heads, its k, its v (Falcon, GPT-NeoX)
};

/// [T, H·D] token-major ↔ [H·T, D] head-major (head h at rows h·T …).
enum class HeadOrder { TokenMajor, HeadMajor };

/// Batched product out[b] = a[b] · b[b] (or · b[b]ᵀ): matrices one after another at a distance of
/// `…Stride` elements; a distance of 0 repeats one matrix. Rows are contiguous at Tensor::stride.
/// Each tensor has the columns of one matrix, and at least its rows: it begins with the first one.
struct BatchedProduct
{
    std::int64_t batch = 1, m = 0, n = 0, k = 0;
    std::int64_t aStride = 0, bStride = 0, outStride = 0; // elements
    bool transposeB = true;                               // b is [n, k], else [k, n]
};

/// How a pass chooses the ids of the next one, see Commands::advance(): what engine/generate's
/// sampler does with the best candidates, in the device's arithmetic.
struct NextIds
{
    float temperature = 0; // ≤ 0: the first candidate
    float minP = 0;        // keeps p ≥ minP · p_max
    float topP = 1;        // the fewest best candidates that hold this much; 1: all
    /// In [0, 1), used when the temperature is not 0: row r of the i-th pass takes draws[i · T +
    /// r].
    std::span<const float> draws{};
};
constexpr std::size_t kMaxAheadRows = 64, kMaxAheadCandidates = 8000; // of all rows
constexpr std::int64_t kMaxAheadK = 256;
/// What such a pass chose, and from what. T rows, k candidates each.
struct ChosenIds
{
    std::span<const std::int32_t> chosen; // [T]
    std::span<const std::int32_t> ids;    // [T, k]
    std::span<const float> logits;        // [T, k], or empty
};

/// Device time of all calls of one op.
struct OpTime
{
    const char *op = ""; // the op's name in Commands
    std::int64_t calls = 0;
    double seconds = 0;
    std::int64_t dispatches = 0; // launches on the device; 0 on the CPU
};

} // namespace fireside
