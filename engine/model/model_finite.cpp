#include "engine/backend/hand_over.h"
#include "engine/backend/not_finite.h"
#include "engine/core/error.h"
#include "engine/core/finite.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/model.h"

#include <algorithm>

// A model whose file is damaged computes NaN or infinities sooner or later. Its replies end there.
namespace fireside {
namespace {

bool isFinite(const Model::Output &output)
{
    const auto good = [](std::int32_t id) { return id != kNotFinite; };
    return allFinite(output.logits) && allFinite(output.hidden) && allFinite(output.pooled) &&
           allFinite(output.scores) &&
           std::all_of(output.greedy.begin(), output.greedy.end(), good) &&
           std::all_of(output.topIds.begin(), output.topIds.end(), good);
}

} // namespace

void Model::requireFinite(const Output &output, const std::function<std::string()> &place) const
{
    if (isFinite(output))
        return;
    std::string where;
    try {
        where = place();
    } catch (const Error &) { // without it the text says less, but what went wrong stays the same
    }
    throw Error(ErrorKind::BadInput,
                printable(m_file.path().string()) +
                    ": the model computed a value that is not a finite number" + where +
                    "; the file may be damaged");
}

/// The pass once more, layer by layer: ", first in layer 3". Keys and values are written again as
/// they were.
std::string Model::firstNotFinite(const Batch &batch, const std::stop_token &stop) const
{
    Batch pass = batch;
    pass.outputRows = {};
    const auto rows = static_cast<std::int64_t>(batch.ids.size());
    std::vector<float> x(static_cast<std::size_t>(rows * config().streamWidth()));
    const auto finiteAfter = [&](const Stage &stage, const PassPart &part) {
        Commands &c = *stage.commands;
        if (!part.embeds)
            handOverOf(c).bring(x);
        c.begin(pass, {.stop = stop});
        recordPart(*m_network, c, part, rows, {});
        c.sync();
        c.read(c.kept(kResidual), std::span(x));
        return allFinite(x);
    };
    beginHelpers(pass, stop);
    for (const Stage &stage : m_stages) {
        if (stage.embeds && !finiteAfter(stage, {.embeds = true}))
            return ", first in the embeddings";
        for (std::int64_t i = stage.firstLayer; i < stage.endLayer; ++i)
            if (!finiteAfter(stage, {.firstLayer = i, .endLayer = i + 1}))
                return ", first in layer " + std::to_string(i);
    }
    return ", first in the output";
}

} // namespace fireside
