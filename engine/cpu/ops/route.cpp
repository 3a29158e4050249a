#include "engine/core/error.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"

#include <cmath>
#include <limits>
#include <new>
#include <vector>

namespace fireside::cpu {
namespace {

constexpr float kNoScore = -std::numeric_limits<float>::infinity();

/// The first of the largest values that are not taken yet and not NaN; n when there is none.
std::size_t largestLeft(const float *values, const bool *taken, std::size_t n)
{
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i)
        if (!taken[i] && !std::isnan(values[i]) && (best == n || values[i] > values[best]))
            best = i;
    return best;
}

/// Working memory for one token.
struct Choice
{
    float *scores;     // [experts], what becomes weights
    float *keys;       // [experts], what chooses
    float *groupKeys;  // [groups]
    bool *takenExpert; // [experts]
    bool *takenGroup;  // [groups]
};

void scoreAll(const float *logits, Routing::Score kind, float *scores, std::size_t n)
{
    if (kind == Routing::Score::SoftmaxChosen || kind == Routing::Score::SparseMixer) {
        std::copy_n(logits, n, scores);
        return;
    }
    if (kind == Routing::Score::Sigmoid) {
        for (std::size_t i = 0; i < n; ++i)
            scores[i] = 1.0f / (1.0f + std::exp(-logits[i]));
        return;
    }
    const float largest = *std::max_element(logits, logits + n);
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += scores[i] = std::exp(logits[i] - largest);
    for (std::size_t i = 0; i < n; ++i)
        scores[i] /= sum;
}

/// Marks the experts of all but the best groups as taken.
void chooseGroups(const Routing &routing, const float *groupBasis, const Choice &c, std::size_t n)
{
    const auto groups = static_cast<std::size_t>(routing.groups);
    const std::size_t size = n / groups;
    for (std::size_t g = 0; g < groups; ++g) {
        float first = kNoScore, second = kNoScore;
        for (std::size_t i = g * size; i < (g + 1) * size; ++i) {
            const float v = groupBasis[i];
            if (v > first) {
                second = first;
                first = v;
            } else if (v > second) {
                second = v;
            }
        }
        c.groupKeys[g] = routing.groupByBestTwo && size > 1 ? first + second : first;
        c.takenGroup[g] = false;
    }
    std::fill_n(c.takenExpert, n, true);
    for (std::int64_t i = 0; i < routing.usedGroups; ++i) {
        const std::size_t g = largestLeft(c.groupKeys, c.takenGroup, groups);
        if (g == groups)
            return;
        c.takenGroup[g] = true;
        std::fill_n(c.takenExpert + g * size, size, false);
    }
}

/// `weights` of chosen logits become softmaxes over what is near enough to each; see
/// Routing::jitterEps.
void mixSparsely(const float *logits, float jitterEps, std::size_t n, const IdRows &ids,
                 std::size_t t, std::size_t used, float *weights)
{
    for (std::size_t j = 0; j < used; ++j) {
        if (ids.at(t, j) < 0)
            continue;
        const float largest = weights[j];
        float sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            bool before = false;
            for (std::size_t k = 0; k < j; ++k)
                before = before || ids.at(t, k) == static_cast<std::int32_t>(i);
            const float distance = (largest - logits[i]) / std::max(std::fabs(logits[i]), largest);
            if (!before && !(distance > 2 * jitterEps))
                sum += std::exp(logits[i] - largest);
        }
        weights[j] = 1 / sum;
    }
}

void routeRow(const float *logits, const Routing &routing, const float *bias, const Choice &c,
              std::size_t n, const IdRows &ids, std::size_t t, float *weights)
{
    scoreAll(logits, routing.score, c.scores, n);
    // Scores rise with their logits, and logits differ where rounded scores no longer do.
    for (std::size_t i = 0; i < n; ++i)
        c.keys[i] = bias ? c.scores[i] + bias[i] : routing.groupByBestTwo ? c.scores[i] : logits[i];
    std::fill_n(c.takenExpert, n, false);
    if (routing.groups > 1)
        chooseGroups(routing, c.keys, c, n);
    if (!bias)
        std::copy_n(logits, n, c.keys);
    const auto used = static_cast<std::size_t>(routing.used);
    float sum = 0;
    for (std::size_t j = 0; j < used; ++j) {
        const std::size_t e = largestLeft(c.keys, c.takenExpert, n);
        ids.at(t, j) = e == n ? -1 : static_cast<std::int32_t>(e);
        weights[j] = e == n ? 0 : c.scores[e];
        if (e != n)
            c.takenExpert[e] = true;
    }
    if (routing.score == Routing::Score::SoftmaxChosen) {
        float largest = kNoScore;
        for (std::size_t j = 0; j < used; ++j)
            if (ids.at(t, j) >= 0)
                largest = std::max(largest, weights[j]);
        for (std::size_t j = 0; j < used; ++j)
            sum += weights[j] = ids.at(t, j) < 0 ? 0 : std::exp(weights[j] - largest);
        for (std::size_t j = 0; j < used && sum > 0; ++j)
            weights[j] /= sum;
        sum = 0;
    }
    if (routing.score == Routing::Score::SparseMixer)
        mixSparsely(logits, routing.jitterEps, n, ids, t, used, weights);
    for (std::size_t j = 0; j < used; ++j)
        sum += weights[j];
    for (std::size_t j = 0; j < used; ++j)
        weights[j] *= routing.normalize && sum > 0 ? routing.scale / sum : routing.scale;
}

} // namespace

void route(ThreadPool &pool, const InRows &logits, const Routing &routing, const float *bias,
           const IdRows &ids, const FloatRows &weights, const float *scale)
{
    const std::size_t n = logits.cols;
    const auto groups = static_cast<std::size_t>(routing.groups);
    thread_local std::vector<float> floats; // allocated here, outside the region
    thread_local std::vector<unsigned char> flags;
    const std::size_t perRow = 2 * n + groups, flagsPerRow = n + groups;
    try {
        floats.resize(std::max(floats.size(), logits.rows * perRow));
        flags.resize(std::max(flags.size(), logits.rows * flagsPerRow));
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory, "not enough memory to route " + std::to_string(logits.rows) +
                                           " tokens to " + std::to_string(n) + " experts");
    }
    float *const floatBase = floats.data();
    bool *const flagBase = reinterpret_cast<bool *>(flags.data());
    forRows(pool, logits.rows, n * (static_cast<std::size_t>(routing.used) + 8),
            [&](std::size_t t) {
                float *f = floatBase + t * perRow;
                bool *b = flagBase + t * flagsPerRow;
                routeRow(logits.row(t), routing, bias, {f, f + n, f + 2 * n, b, b + n}, n, ids, t,
                         weights.row(t));
                for (std::size_t j = 0; scale && j < weights.cols; ++j)
                    if (ids.at(t, j) >= 0)
                        weights.row(t)[j] *= scale[ids.at(t, j)];
            });
}

void run(OpCall &call, const op::Route &op)
{
    const float *bias = call.vector(op.routing.bias);
    const float *scale = call.vector(op.routing.expertScale);
    const InRows logits = call.input(op.logits, "logits");
    const IdRows ids = call.ids(op.ids, "ids");
    const FloatRows weights = call.output(op.weights, "weights");
    call.run([&] { route(call.pool(), logits, op.routing, bias, ids, weights, scale); });
}

} // namespace fireside::cpu
