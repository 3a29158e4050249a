#include "engine/model/config.h"

#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"

#include <algorithm>
#include <cmath>

namespace fireside {

AttentionShape Config::attention(std::int64_t layer) const
{
    AttentionShape shape{.heads = heads,
                         .kvHeads = kvHeads,
                         .headDim = headDim,
                         .scale = 1.0f / std::sqrt(static_cast<float>(headDim))};
    if (!windows.empty())
        shape.window = windows[static_cast<std::size_t>(layer)];
    return shape;
}

bool Config::sparse(std::int64_t layer) const
{
    if (experts.count == 0)
        return false;
    return experts.denseLayer.empty() || !experts.denseLayer[static_cast<std::size_t>(layer)];
}

Config readConfig(const ModelFile &file)
{
    if (const Gguf *gguf = file.gguf())
        return readGgufConfig(file, *gguf);
    return readFolderConfig(file, *file.folder());
}

void checkHeads(Config &c, const std::string &heads, const std::string &kvHeads,
                const std::string &headDim)
{
    if (c.heads % c.kvHeads != 0)
        throwBadInput(kvHeads + ": " + std::to_string(c.heads) + " heads do not divide into " +
                      std::to_string(c.kvHeads) + " groups");
    if (c.headDim == 0) {
        if (c.hidden % c.heads != 0)
            throwBadInput(heads + ": a width of " + std::to_string(c.hidden) +
                          " does not divide into " + std::to_string(c.heads) + " heads");
        c.headDim = c.hidden / c.heads;
    }
    if (c.headDim < 2 || c.headDim > kMaxHeadDim || c.headDim % 2 != 0)
        throwBadInput(headDim + ": a head size of " + std::to_string(c.headDim) +
                      " is not an even number from 2 to " + std::to_string(kMaxHeadDim));
}

std::int64_t vocabularyOf(const ModelFile &file, const std::string &tensor)
{
    const ModelTensor *embedding = file.findTensor(tensor);
    if (!embedding)
        throwBadInput(file.path().string() + " lacks the tensor '" + tensor + '\'');
    const std::uint64_t rows = embedding->shape.size() == 2 ? embedding->shape[0] : 0;
    if (rows < 1 || rows > static_cast<std::uint64_t>(kMaxVocabulary))
        throwBadInput(file.path().string() + ": a vocabulary of " + std::to_string(rows) +
                      " tokens");
    return static_cast<std::int64_t>(rows);
}

std::uint64_t scratchBytes(const Config &c, std::int64_t rows)
{
    // What LlamaNetwork takes for a layer: x, q, k, v and the attention's output, and after them
    // the gated product, of a mixture for each chosen expert, with the router's logits and choice.
    const std::int64_t dense = c.ffn;
    const std::int64_t sparse =
        c.experts.count > 0 ? c.experts.used * (c.experts.ffn + 2) + c.experts.count : 0;
    const std::int64_t layer =
        2 * c.hidden + 2 * c.qWidth() + 2 * c.kvWidth() + std::max(dense, sparse);
    // Gathered rows, their norm, logits, arg-max.
    const std::int64_t output = 2 * c.hidden + c.vocabulary + 1;
    // What devices take inside an op. Attention over one row splits the keys into at most 64 parts
    // and keeps each part's sum, maximum and weight; a row of a longer chunk needs no parts.
    constexpr std::int64_t kParts = 64, kSplitRows = 64;
    const std::int64_t partials = std::min(rows, kSplitRows) * kParts * c.heads * (c.headDim + 2);
    // Experts: rows sorted by expert, with counts and offsets, and their inputs gathered.
    const std::int64_t grouping =
        c.experts.count > 0 ? rows * c.experts.used * (c.hidden + 4) + 4 * c.experts.count : 0;
    // Normed inputs, or inputs in 8 or 16 bits, of the widest product.
    const std::int64_t widest =
        rows * std::max({c.hidden, c.qWidth(), c.ffn, c.experts.used * c.experts.ffn});
    const std::int64_t values =
        rows * layer + std::min(rows, kMaxOutputRows) * output + partials + grouping + 2 * widest;
    // 256 bytes of alignment for each tensor.
    return static_cast<std::uint64_t>(values) * 4 + 64 * 256;
}

} // namespace fireside
