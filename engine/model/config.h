#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/attention.h"
#include "engine/backend/ops/pool.h"
#include "engine/backend/ops/route.h"
#include "engine/backend/ops/transform_heads.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

class ModelFile;

enum class NormKind { Rms, Layer };

/// Where the norms of a layer stand, f being attention and g the feed-forward.
enum class NormPlaces {
    Before,      // x += f(norm(x)); x += g(norm(x))
    After,       // x += norm(f(x)); x += norm(g(x)): OLMo 2, EXAONE 4
    AfterSum,    // x = norm(x + f(x)); x = norm(x + g(x)): BERT
    Around,      // x += norm(f(norm(x))); the same with g: Gemma 2 and later, GLM 4
    Parallel,    // x += f(n) + g(n) with n = norm(x): Cohere, Phi, Falcon 7B
    ParallelTwo, // x += f(norm1(x)) + g(norm2(x)): GPT-NeoX, Falcon 40B
};

/// Norms of q and k between their products and the scores.
enum class HeadNorm {
    None,
    Each,    // over each head, one weight [D] for all heads
    EachOwn, // over each head, weights [H, D]: Cohere, StableLM
    Row,     // over all heads together, weights [H·D]: OLMo 2
    Bare,    // over each head, without weights: Llama 4, nanochat
};

/// A gate on attention's result: out ⊙ σ(gate).
enum class AttentionGate {
    None,
    Own,     // a matrix of its own from the layer's input: AFMoE
    InQuery, // q's matrix gives for each head its query and its gate: Qwen3-Next
};

/// What mixes tokens in a layer.
enum class Mixer {
    None,
    Attention,
    Latent,
    ShortConvolution,   // LFM2
    Mamba,              // a decay for each channel and state
    Mamba2,             // one for each head
    AttentionAndMamba2, // side by side: Falcon-H1
    DeltaNet,           // gated delta rule, a decay for each head
    KimiDelta,          // the same, a decay for each channel of keys
    Product,            // one matrix, which mixes nothing: Nemotron-NAS
};
enum class FeedForward { None, Gated, Plain, Mixture };
enum class RopeUse { None, Main, Local };

/// Of the output matrix.
enum class OutputForm {
    Stored,
    UnitRows,    // each of length 1: Baichuan 2
    UnitColumns, // Ling 1
};

/// The sparse feed-forward of a mixture of experts.
struct ExpertConfig
{
    std::int64_t count = 0; // E; 0: no mixture
    std::int64_t used = 0;  // k of them for each token
    std::int64_t ffn = 0;   // width of one expert
    bool gated = true;
    Routing::Score score = Routing::Score::SoftmaxAll;
    bool normalize = false; // the chosen weights sum to 1
    float scale = 1;        // then multiplied by this
    std::int64_t groups = 1, usedGroups = 1;
    bool groupByBestTwo = false;
    float jitter = 0;           // of SparseMixer
    bool choiceBias = false;    // the file has a bias for choosing; without: taken when it is there
    bool weighInput = false;    // weights multiply the experts' inputs, not their results: Llama 4
    std::int64_t sharedFfn = 0; // width of the expert that all tokens use; 0: none
    bool sharedGate = false;    // its result is multiplied by σ(x·w)
};

/// Multi-head latent attention, arXiv 2405.04434.
struct LatentConfig
{
    std::int64_t queryRank = 0; // 0: q by one matrix
    std::int64_t rank = 0;      // of keys and values
    std::int64_t plainDim = 0;  // channels of a head without position
    std::int64_t rotaryDim = 0; // and with; the key's are shared by all heads
    std::int64_t valueDim = 0;
    float normEps = 1e-6f; // of its norms, whatever the file says of the others
};

/// State space models: Mamba, arXiv 2312.00752, and Mamba 2, arXiv 2405.21060.
struct StateSpaceConfig
{
    enum class InnerNorms { None, Bare, Weighted }; // Mamba: RMS norms of δ, b and c
    enum class GatedNorm { None, GateFirst, NormFirst };

    std::int64_t width = 0;    // inner channels
    std::int64_t states = 0;   // N, of each channel
    std::int64_t stepRank = 0; // Mamba: of what makes δ
    InnerNorms innerNorms = InnerNorms::None;
    std::int64_t heads = 0, groups = 0;    // Mamba 2: heads divide the width, groups the heads
    GatedNorm norm = GatedNorm::GateFirst; // Mamba 2: RMS norm of the result
    std::int64_t normGroups = 1;           // each by itself
    float stepMin = 0, stepMax = std::numeric_limits<float>::infinity();

    /// Mamba 2: x, b and c, which pass the convolution.
    std::int64_t convolved() const { return width + 2 * groups * states; }
};

/// Gated delta rule, arXiv 2412.06464, and Kimi's, arXiv 2510.26692.
struct DeltaConfig
{
    std::int64_t keyHeads = 0, heads = 0; // keyHeads divides heads
    std::int64_t keyDim = 0, valueDim = 0;
    float rateScale = 1;     // of β
    float normEps = 0;       // of the norm of results
    bool keysInTurn = false; // head h has the key h mod keyHeads, not h / (heads / keyHeads)

    std::int64_t keyWidth() const { return keyHeads * keyDim; }
    std::int64_t valueWidth() const { return heads * valueDim; }
    std::int64_t convolved() const { return 2 * keyWidth() + valueWidth(); } // q, k and v
};

/// Fixed factors of Falcon-H1.
struct BranchScales
{
    float attentionIn = 1, attentionOut = 1;
    float scanIn = 1, scanOut = 1;
    std::array<float, 5> scanParts{1, 1, 1, 1, 1}; // of gate, x, b, c and δ
    float gate = 1, down = 1;                      // of the feed-forward
};

/// AltUp, arXiv 2301.13310: the residual stream is several side by side. One of them, the active
/// one, goes through the blocks; the others are predicted from all and corrected: Gemma 3n.
struct AltUpConfig
{
    std::int64_t streams = 1;
    std::int64_t active = 0;
    bool scaled = true;          // the corrected stream on its way to the layer's own embedding
    float correctionClip = 0;    // bound of the correction's coefficients; 0: none
    std::int64_t laurelRank = 0; // of a product beside attention
};

/// Every layer's own embedding of the token: Gemma 3n, 4.
struct LayerInputConfig
{
    std::int64_t width = 0; // 0: none
    std::int64_t rows = 0;  // of its table: the tokens that have one
};

/// Llama 4, Ministral 3: q is multiplied by 1 + scale · ln(1 + floor((position + offset) /
/// period)).
struct TemperatureConfig
{
    float scale = 0; // 0: not at all
    float offset = 0, period = 1;
    bool onlyWithoutRope = false;
};

/// What a sequence's final rows are made into.
enum class EmbeddingForm {
    Mean,
    First, // the row of the token that stands for all: BERT's [CLS]
    Last,
    Rows,  // all of them
    Score, // one number: a reranker's
};

/// What follows the pooling of sentence-transformers: act(W·x + b).
struct DenseLayer
{
    std::int64_t in = 0, out = 0;
    bool tanh = false;
    std::vector<float> weight, bias; // [out, in]; [out] or none
};

/// The head of a reranker: of one row for each sequence, W·norm(act(D·row + b)) + c.
struct ScoreConfig
{
    bool there = false;
    bool norm = false;
    Activation activation = Activation::Tanh;
    Pooling pooling = Pooling::First;
};

/// What may differ from layer to layer.
struct LayerConfig
{
    Mixer mixer = Mixer::Attention;
    FeedForward feedForward = FeedForward::Gated;
    std::int64_t heads = 0;   // query heads
    std::int64_t kvHeads = 0; // divides heads
    std::int64_t headDim = 0; // even
    std::int64_t ffn = 0;     // width of the plain or gated feed-forward
    RopeUse rope = RopeUse::Main;
    std::int64_t window = 0;    // 0: none
    std::int64_t chunk = 0;     // 0: none
    std::int64_t kvFrom = -1;   // the layer whose keys and values it reads; −1: its own
    bool headNorms = true;      // has the norms that Config::headNorm names
    bool valuesAreKeys = false; // v is k before its norm: Gemma 4
    std::optional<NormPlaces> normPlaces{}; // where they are not Config::normPlaces
    std::optional<float> sparsity{};        // k of op::GaussianSparsify on the feed-forward's gate

    std::int64_t qWidth() const { return heads * headDim; }
    std::int64_t kvWidth() const { return kvHeads * headDim; }
};

/// Keys and values of a layer, for one token: [heads, keyDim] and [heads, valueDim].
struct KvShape
{
    std::int64_t heads = 0; // 0: the layer keeps none
    std::int64_t keyDim = 0, valueDim = 0;
    bool valuesInKeys = false; // a latent cache: values are the first valueDim channels of keys
};

/// F32 numbers of recurrent state of a layer, for each session: the last inputs of its convolution,
/// then the state of its scan.
struct StateShape
{
    std::int64_t convolution = 0, scan = 0;

    std::int64_t scanOffset() const { return convolution; }
    std::int64_t size() const { return convolution + scan; }
};

/// The numbers of a transformer, read from a file and checked: every one is positive and bounded,
/// so that products of them cannot overflow 63 bits.
struct Config
{
    std::string architecture; // "llama"
    std::int64_t layers = 0;
    std::int64_t hidden = 0; // model width
    // Of most layers; each has its own in `each`.
    std::int64_t heads = 0, kvHeads = 0, headDim = 0, ffn = 0;
    std::int64_t vocabulary = 0;
    std::int64_t contextTrained = 0;

    NormKind norm = NormKind::Rms;
    NormPlaces normPlaces = NormPlaces::Before;
    float normEps = 1e-5f;
    bool normWeights = true;    // nanochat's norms have none
    bool embeddingNorm = false; // BLOOM
    bool firstNorm = true;      // before attention of the first layer: not in ModernBERT
    bool subNorms = false;      // before attention's and the feed-forward's last product: BitNet
    Activation activation = Activation::SiLU; // of the feed-forward
    std::vector<XIelu> xielu;                 // its numbers for each layer; empty: in tensors
    float embeddingScale = 1, residualScale = 1, logitScale = 1;
    float logitSoftcap = 0; // 0: none

    bool attentionBias = false; // biases the file must have; others are taken when they are there
    bool ffnBias = false;
    HeadNorm headNorm = HeadNorm::None;
    bool headNormAfterRope = false;
    bool valueNorm = false; // v's heads are normed, without weights: Gemma 4
    AttentionGate attentionGate = AttentionGate::None;
    float attentionScale = 0; // 0: 1/√D
    float attentionSoftcap = 0;
    float alibiMaxBias = 0, alibiScale = 1; // see AttentionShape
    float clampQkv = 0;                     // 0: not at all
    bool clampAfterNorm = false;            // behind the norms of q and k: OLMoE
    bool sinks = false;
    TemperatureConfig temperature;
    Rope rope, localRope;
    /// LongRoPE: instead of `rope` for chats up to shortContext tokens; 0: there is none.
    Rope shortRope;
    std::int64_t shortContext = 0;
    bool longContext = true;         // what the pass at hand is for
    std::int64_t positions = 0;      // rows of a table of learned positions; 0: none
    std::int64_t positionOffset = 0; // its row of position 0: OPT
    LatentConfig latent;
    ExpertConfig experts;
    std::int64_t taps = 0; // inputs that a short convolution sees: of most recurrent mixers
    StateSpaceConfig stateSpace;
    DeltaConfig delta;
    BranchScales scales;
    AltUpConfig altUp;
    LayerInputConfig layerInput;
    bool tiedOutput = false; // the output matrix is the embedding
    OutputForm outputForm = OutputForm::Stored;

    /// Attention goes both ways among the rows of a sequence, without a cache; there are no logits.
    bool encoder = false;
    std::int64_t tokenTypes = 0;      // rows of a table of which the first is added: BERT; 0: none
    std::int64_t relativeBuckets = 0; // of MPNet's bias of distances; 0: none
    EmbeddingForm embedding = EmbeddingForm::Mean;        // what the file says embeddings are
    bool embeddingStated = false;                         // false: the file names no pooling
    std::string embeddingProblem;                         // why that is not known, or empty
    std::shared_ptr<const std::vector<DenseLayer>> dense; // of pooled embeddings; or none
    ScoreConfig score;

    /// Heads for drafting that are loaded, a layer each behind the last: they guess further tokens.
    std::int64_t drafts = 0;
    bool draftHiddenFirst = false; // of what they join: the hidden state, then the embedding

    std::vector<LayerConfig> each; // of layers and drafts

    const LayerConfig &layer(std::int64_t index) const
    {
        return each[static_cast<std::size_t>(index)];
    }
    LayerConfig &layer(std::int64_t index) { return each[static_cast<std::size_t>(index)]; }
    AttentionShape attention(std::int64_t layer) const;
    /// Of the pass at hand.
    const Rope &mainRope() const { return shortContext > 0 && !longContext ? shortRope : rope; }
    /// Whether a chat of so many tokens needs the keys that LongRoPE has for long ones.
    bool needsLongContext(std::size_t tokens) const
    {
        return shortContext > 0 && tokens > static_cast<std::size_t>(shortContext);
    }
    /// What has a cache of its own: layers and drafts.
    std::int64_t allLayers() const { return layers + drafts; }
    KvShape kv(std::int64_t layer) const;
    StateShape state(std::int64_t layer) const;
    std::int64_t stateSize(std::int64_t layer) const { return state(layer).size(); }
    /// The same of all layers.
    std::int64_t stateSize() const;
    /// Copies of all states that a session keeps at most, to go back to earlier tokens: as many as
    /// fit into 128 MiB, 32 at most; of large states up to 8 within 512 MiB, at least 2; none
    /// without states.
    std::int64_t stateCheckpoints() const;
    NormPlaces normPlacesOf(std::int64_t index) const
    {
        return layer(index).normPlaces.value_or(normPlaces);
    }
    /// Numbers that go from layer to layer for each token: all streams, then the inputs of the
    /// layers that are made where the token is known.
    std::int64_t streamWidth() const { return hidden * altUp.streams + layers * layerInput.width; }
    bool sparse(std::int64_t index) const
    {
        return layer(index).feedForward == FeedForward::Mixture;
    }
};

/// Reads the keys of the file's family: of a GGUF `llama.block_count` and so on, of a folder
/// its config.json. Error(BadInput) naming the key and the value; Error(Unsupported) naming what we
/// lack.
Config readConfig(const ModelFile &file);

/// Prompt tokens per pass: enough to reuse each unpacked weight, few enough that Stop answers
/// quickly.
inline constexpr std::int64_t kPromptChunk = 256;
/// The same on a GPU, whose matrix units want more rows.
inline constexpr std::int64_t kGpuPromptChunk = 512;
/// Rows of several sequences of an encoder in one pass on a GPU. BERT-base on an H200, 64 sequences
/// of 512, attention on scalars: 512 rows 334 sequences a second, 4,096 725, 16,384 819.
inline constexpr std::int64_t kGpuEncoderRows = 8192;
/// Most rows whose logits one pass can give.
inline constexpr std::int64_t kMaxOutputRows = 64;

} // namespace fireside
