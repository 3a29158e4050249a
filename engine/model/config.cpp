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

std::int64_t Config::stateSize(std::int64_t /*layer*/) const
{
    return 0;
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

} // namespace fireside
