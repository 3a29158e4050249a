#include "engine/model/config.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"
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
    const Family &family = familyOf(file);
    if (const Gguf *gguf = file.gguf())
        return readGgufConfig(file, *gguf, family);
    return readFolderConfig(file, *file.folder(), family);
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
        throwBadInput(file.path().string() + " lacks the tensor " + fireside::quoted(tensor));
    const std::uint64_t rows = embedding->shape.size() == 2 ? embedding->shape[0] : 0;
    if (rows < 1 || rows > static_cast<std::uint64_t>(kMaxVocabulary))
        throwBadInput(file.path().string() + ": a vocabulary of " + std::to_string(rows) +
                      " tokens");
    return static_cast<std::int64_t>(rows);
}

namespace {

// Scratch that backends take inside one op, in numbers of 4 bytes. It is free again after the op,
// so the largest counts; an op whose need changes changes it here too.
std::int64_t opScratch(const Config &c, std::int64_t rows)
{
    // Attention: partial results of split keys, at most 16 MiB for each of its two kernels.
    constexpr std::int64_t kPartials = std::int64_t{2} * (16 << 20) / 4;
    const std::int64_t attention = std::min(kPartials, rows * c.heads * 256 * (c.headDim + 2));
    // Products: the input normalised or as F16; the partial sums of split-K (at most 8 splits, and
    // only while workgroups do not fill a device); gate and up apart where their types differ.
    constexpr std::int64_t kSplitK = std::int64_t{128} << 20 >> 2;
    const std::int64_t ffn = std::max(c.ffn, c.experts.used * c.experts.ffn);
    const std::int64_t widest = std::max({c.hidden, c.qWidth(), ffn});
    const std::int64_t outs = std::max({c.hidden, c.qWidth() + 2 * c.kvWidth(), 2 * ffn});
    const std::int64_t product =
        rows * (widest + 8) + std::min(kSplitK, 8 * rows * outs) + 2 * rows * ffn;
    // Experts: rows sorted by expert, their tiles, and each expert's result before they are summed.
    const std::int64_t experts =
        c.experts.count > 0 ? rows * c.experts.used * (c.hidden + 8) + 8 * (c.experts.count + 1)
                            : 0;
    return std::max(attention, product + experts);
}

} // namespace

std::uint64_t scratchBytes(const Config &c, std::int64_t rows)
{
    // What LlamaNetwork takes for a layer: x, q, k, v and the attention's output, and after them
    // the gated product, of a mixture for each chosen expert, with the router's logits and choice.
    const std::int64_t sparse =
        c.experts.count > 0 ? c.experts.used * (c.experts.ffn + 2) + c.experts.count : 0;
    const std::int64_t layer =
        2 * c.hidden + 2 * c.qWidth() + 2 * c.kvWidth() + std::max(c.ffn, sparse);
    // Gathered rows, their norm, logits and the best of them with the candidates they come from.
    const std::int64_t output = 2 * c.hidden + 2 * c.vocabulary + 1;
    const std::int64_t values =
        rows * layer + std::min(rows, kMaxOutputRows) * output + opScratch(c, rows);
    // 256 bytes of alignment for each tensor.
    return static_cast<std::uint64_t>(values) * 4 + 64 * 256;
}

} // namespace fireside
