#include "engine/cpu/ops/op_call.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fireside::cpu {
namespace {

/// One of the best candidates by temperature, min-p and top-p, for a number in [0, 1).
std::int32_t draw(std::span<const float> logits, const std::int32_t *ids, const NextIds &next,
                  float number)
{
    std::array<double, kMaxAheadK> weights{};
    double total = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double below = static_cast<double>(logits[i]) - static_cast<double>(logits[0]);
        const double weight = std::exp(below / static_cast<double>(next.temperature));
        weights[i] = ids[i] < 0 || weight < static_cast<double>(next.minP) ? 0 : weight;
        total += weights[i];
    }
    double kept = 0;
    std::size_t count = 0;
    while (count < logits.size() &&
           (count == 0 || next.topP >= 1 || kept < static_cast<double>(next.topP) * total))
        kept += weights[count++];
    double left = static_cast<double>(number) * kept;
    std::int32_t chosen = ids[0];
    for (std::size_t i = 0; i < count && left >= 0; ++i) {
        if (weights[i] > 0)
            chosen = ids[i];
        left -= weights[i];
    }
    return chosen;
}

} // namespace

void run(OpCall &call, const op::Advance &op)
{
    const CpuPass &pass = call.pass();
    const IdRows ids = call.ids(op.ids, "ids"), chosen = call.ids(op.chosen, "chosen");
    const InRows logits = op.logits ? call.input(*op.logits, "logits") : InRows{};
    const IdRows nextIds = call.ids(pass.ids, "ids"), positions = call.ids(pass.positionIds, "ids");
    call.run([&] {
        for (std::size_t t = 0; t < ids.rows; ++t) {
            const bool draws = op.logits && pass.next.temperature > 0;
            const float number = t < pass.next.draws.size() ? pass.next.draws[t] : 0;
            chosen.at(t) = draws ? draw({logits.row(t), logits.cols}, &ids.at(t), pass.next, number)
                                 : ids.at(t);
            nextIds.at(t) = chosen.at(t);
            ++positions.at(t);
        }
    });
}

} // namespace fireside::cpu
