#include "engine/vulkan/lowering.h"

#include "engine/vulkan/ops/ops.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

/// How many ops behind one can matter to it: the products of a mixture's experts come third after
/// the op that writes their input.
constexpr std::size_t kLookahead = 4;

/// The result of an op that can lay it out for its reader; null for all others.
Tensor *resultOf(Op &op)
{
    if (auto *embed = std::get_if<op::Embed>(&op))
        return &embed->out;
    if (auto *attention = std::get_if<op::Attention>(&op))
        return &attention->out;
    if (auto *attention = std::get_if<op::ExpandedAttention>(&op))
        return &attention->out;
    if (auto *activate = std::get_if<op::Activate>(&op))
        return &activate->out;
    if (auto *linear = std::get_if<op::Linear>(&op))
        return linear->targets.size() == 1 ? &linear->targets.front().out : nullptr;
    if (auto *gated = std::get_if<op::GatedLinear>(&op))
        return &gated->out;
    if (auto *gated = std::get_if<op::ExpertGatedLinear>(&op))
        return &gated->out;
    if (auto *experts = std::get_if<op::ExpertLinear>(&op))
        return &experts->out;
    return nullptr;
}

/// What a product reads, and the first of its weights; no weight for other ops.
struct Reading
{
    LinearInput input;
    const Weight *weight = nullptr;
    Tensor *x = nullptr; // where the op has it
};
Reading readingOf(Op &op)
{
    if (auto *linear = std::get_if<op::Linear>(&op); linear != nullptr && !linear->targets.empty())
        return {linear->input, linear->targets.front().weight, &linear->input.x};
    if (auto *gated = std::get_if<op::GatedLinear>(&op))
        return {gated->input, gated->weights.gate, &gated->input.x};
    if (auto *gated = std::get_if<op::ExpertGatedLinear>(&op))
        return {gated->input, gated->weights.up, &gated->input.x};
    if (auto *experts = std::get_if<op::ExpertLinear>(&op))
        return {experts->x, &experts->down, &experts->x};
    return {Tensor{}, nullptr, nullptr};
}

} // namespace

void Lowering::add(const Op &op)
{
    m_pending.push_back({op, m_recorder.mark()});
    if (m_pending.size() > kLookahead)
        lowerFirst();
}

void Lowering::finish()
{
    try {
        while (!m_pending.empty())
            lowerFirst();
    } catch (...) { // what comes after a failed op is not tried again with the next pass
        m_pending.clear();
        throw;
    }
}

/// Prepares the result of a pending op for the products behind it.
void Lowering::lookAhead(std::size_t writer)
{
    Tensor *const result = resultOf(m_pending[writer].op);
    if (result == nullptr || result->rows == 0)
        return;
    const Tensor written = *result;
    const std::size_t end = std::min(m_pending.size(), writer + kLookahead);
    for (std::size_t i = writer + 1; i < end; ++i) {
        const Reading reading = readingOf(m_pending[i].op);
        if (reading.weight == nullptr || !isSame(reading.input.x, written))
            continue;
        LinearInput input = reading.input;
        if (written.forProducts && readsHalves(m_recorder, *reading.weight, written.rows)) {
            result->dtype = reading.x->dtype = input.x.dtype = DType::F16;
            hintReader(m_recorder, input, *reading.weight);
            return;
        }
        if (hintReader(m_recorder, input, *reading.weight))
            return;
    }
}

/// The first two as one, if that can be.
bool Lowering::lowerFirstTwo()
{
    if (m_pending.size() < 2)
        return false;
    const auto together = [&](const auto *first, const auto *second) {
        if (first == nullptr || second == nullptr || !goTogether(m_recorder, *first, *second))
            return false;
        lookAhead(1);
        const OpScope scope(m_recorder, second->kName, m_pending[1].scratch);
        run(m_recorder, *first, *second);
        return true;
    };
    Op &first = m_pending[0].op, &second = m_pending[1].op;
    if (!together(std::get_if<op::AppendKv>(&first), std::get_if<op::Attention>(&second)) &&
        !together(std::get_if<op::Route>(&first), std::get_if<op::ExpertGatedLinear>(&second)) &&
        !together(std::get_if<op::Linear>(&first), std::get_if<op::Activate>(&second)))
        return false;
    m_pending.pop_front();
    m_pending.pop_front();
    return true;
}

void Lowering::lowerFirst()
{
    if (lowerFirstTwo())
        return;
    lookAhead(0);
    const Pending &first = m_pending.front();
    {
        const OpScope scope(m_recorder, kOpNames[first.op.index()], first.scratch);
        std::visit([&](const auto &op) { run(m_recorder, op); },
                   static_cast<const Op::variant &>(first.op));
    }
    m_pending.pop_front();
}

} // namespace fireside::vulkan
