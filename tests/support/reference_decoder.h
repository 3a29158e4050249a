#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A decoder in plain double precision, all positions of one sequence at once, and small models for
// it with random weights, which tests write under the names of a family.
namespace fireside::test {

struct ReferenceMatrix
{
    std::uint64_t depth = 1, rows = 1, cols = 0;
    std::vector<float> values;

    std::span<const float> row(std::uint64_t r) const
    {
        return std::span(values).subspan(r * cols, cols);
    }
};

/// By the usual names of GGUF: "blk.0.attn_q.weight". What is not there is left out: norms of
/// heads, biases, attention or feed-forward of a layer, the output matrix (then the embedding).
using ReferenceTensors = std::map<std::string, ReferenceMatrix>;

using ReferenceRows = std::vector<std::vector<double>>;
/// What mixes the tokens of a layer ("blk.0."), of its normed rows; nothing where it is attention.
using ReferenceMixer =
    std::function<ReferenceRows(const std::string &layer, const ReferenceRows &rows)>;

struct ReferenceOptions
{
    std::uint64_t layers = 2, hidden = 32, heads = 4, kvHeads = 2, headDim = 8, ffn = 48,
                  vocabulary = 40;
    bool layerNorm = false;
    bool bareNorms = false;  // without weights
    bool headNorms = false;  // RMS norms of q and k
    bool outputBias = false; // of attention's output
    bool plain = false;      // feed-forward without gate, with GELU and biases
    double eps = 1e-5;
    std::vector<double> frequencies; // of each pair of channels; empty: no positions
    bool interleaved = false;
    double turnFactor = 1; // of cosines and sines
    double alibi = 0;      // the largest slope's exponent, 8; 0: none
    double alibiScale = 1; // of the slopes
    double clampQkv = 0;   // 0: none
    double embeddingScale = 1, residualScale = 1, logitScale = 1;
    std::uint64_t experts = 0, usedExperts = 2; // gated ones
    bool sharesOfChosen = true;                 // the chosen shares sum to 1
    bool sigmoid = false; // of each expert by itself, with a bias for choosing; else softmax
    std::uint64_t groups = 1, usedGroups = 1; // of experts, by the sum of each group's best two
    double expertScale = 1;
    std::uint64_t sharedExperts = 0; // of the same width, which all tokens use
    std::uint64_t denseLayers = 0;   // the first ones, without experts
    ReferenceMixer mixer{};
};

/// base^(−2i/rotary)
std::vector<double> referenceFrequencies(std::uint64_t rotary, double base = 10000);

/// bias: of q, k and v. norms near 1, the rest small.
ReferenceTensors randomDecoder(const ReferenceOptions &options, bool qkvBias = false,
                               std::uint32_t seed = 5);

/// [ids, vocabulary]
std::vector<double> referenceLogits(const ReferenceTensors &tensors,
                                    const ReferenceOptions &options,
                                    std::span<const std::int32_t> ids);

/// W·x + b and its RMS norm's like, for mixers.
std::vector<double> referenceProduct(const ReferenceTensors &tensors, const std::string &name,
                                     const std::vector<double> &x);
std::vector<double> referenceRmsNorm(const ReferenceMatrix &weight, std::span<const double> x,
                                     double eps);
std::vector<double> referenceSoftmax(const std::vector<double> &x);

/// All rows of the first, then those of the next.
ReferenceMatrix stacked(const std::vector<ReferenceMatrix> &parts);

/// In each layer the parts, one below the other, under one name; weights and biases.
ReferenceTensors fused(ReferenceTensors tensors, std::uint64_t layers, const std::string &name,
                       std::initializer_list<const char *> parts);

/// A folder with tensors under the names they have there; where these hold a '*', one for each of a
/// matrix's depth, with its number.
void writeReferenceFolder(const std::filesystem::path &folder, const nlohmann::json &config,
                          const ReferenceTensors &tensors);
/// The same as a GGUF file. keys: numbers by name without the architecture's, whole ones as U32;
/// texts as strings.
void writeReferenceGguf(const std::filesystem::path &path, const std::string &architecture,
                        const nlohmann::json &keys, const ReferenceTensors &tensors);
/// The usual keys of both.
nlohmann::json referenceConfig(const ReferenceOptions &options, const std::string &transformer);
nlohmann::json referenceKeys(const ReferenceOptions &options);

/// With other names: each tensor's is looked up by its ending ("attn_q.weight"), and begins with
/// `layer` and its number within a layer.
ReferenceTensors renamed(const ReferenceTensors &tensors, const std::string &layer,
                         const std::vector<std::pair<std::string, std::string>> &names);
/// Those of Llama's folders.
const std::vector<std::pair<std::string, std::string>> &llamaNames();

} // namespace fireside::test
