#include "engine/vulkan/pass/q8_activations.h"

#include "engine/backend/memory_plan.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_blocks.h"
#include "shaders/common/q8_activations.h"

#include <algorithm>
#include <array>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kRingBytes = kRecorderBytes;

std::int64_t rowBytes(std::int64_t cols)
{
    return ceilDiv(2 * cols + cols / 4 * 3, kQ8Alignment) * kQ8Alignment;
}

} // namespace

void Q8Activations::clear()
{
    // Nothing runs any more. A pass that is recorded anew takes the same places as before.
    m_cursor = 0;
    m_made.clear();
    m_hints.clear();
}

void Q8Activations::overwritten(std::span<const Access> ranges)
{
    if (m_made.empty() && m_hints.empty())
        return;
    const auto stale = [&](const Made &made) {
        const Access x = accessOf(made.x);
        return std::any_of(ranges.begin(), ranges.end(),
                           [&](const Access &range) { return overlap(range, x); });
    };
    std::erase_if(m_made, stale);
    std::erase_if(m_hints, stale);
}

bool Q8Activations::isOurs(const Weight &weight) const
{
    const auto *own = dynamic_cast<const VulkanWeight *>(&weight);
    return own != nullptr && own->memory != nullptr && own->memory->gpu() == m_gpu;
}

bool Q8Activations::mayServe(const LinearInput &input, const Weight &weight) const
{
    return isOurs(weight) && (input.norm == nullptr || isOurs(*input.norm)) && input.x.rows > 0 &&
           fits(input.x);
}

void Q8Activations::hint(const LinearInput &input, const RowOrder &form)
{
    std::erase_if(m_hints, [&](const Made &other) { return isSame(other.x, input.x); });
    m_hints.push_back({input.x, input.norm, {}, form});
}

std::optional<Q8Activations::Hint> Q8Activations::takeHint(const Tensor &out, bool ordered)
{
    const auto found = std::find_if(m_hints.begin(), m_hints.end(), [&](const Made &made) {
        return isSame(made.x, out) && (made.form.unit != 0) == ordered;
    });
    if (found == m_hints.end())
        return std::nullopt;
    const Hint hint{found->norm, found->form};
    m_hints.erase(found);
    return hint;
}

bool Q8Activations::fits(const Tensor &x) const
{
    // Several are alive at once.
    return x.cols % (2 * kQ8Block) == 0 &&
           x.rows * rowBytes(x.cols) <= std::int64_t{kRingBytes / 4};
}

bool Q8Activations::fitsOrdered(std::int64_t rows, std::int64_t cols) const
{
    return cols % kQ8Alignment == 0 && 2 * rows * cols <= std::int64_t{kRingBytes / 2};
}

std::optional<Tensor> Q8Activations::find(const Tensor &x, const Weight *norm,
                                          const RowOrder &form) const
{
    for (const Made &made : m_made)
        if (made.norm == norm && made.form == form && isSame(made.x, x))
            return made.rows;
    return std::nullopt;
}

Tensor Q8Activations::reserve(const Tensor &x)
{
    return take(DType::I32, x.rows, rowBytes(x.cols) / 4);
}

Tensor Q8Activations::reserveOrdered(std::int64_t rows, std::int64_t cols)
{
    return take(DType::F16, rows, cols);
}

Tensor Q8Activations::take(DType type, std::int64_t count, std::int64_t cols)
{
    if (!m_ring)
        m_ring = std::make_unique<VulkanBuffer>(
            MemoryPiece(m_gpu, m_gpu->memory.allocate(kRingBytes, Memory::Use::Device,
                                                      "working memory of a pass")));
    const auto bytes = static_cast<std::size_t>(count * cols * (type == DType::F16 ? 2 : 4));
    if (m_cursor + bytes > kRingBytes)
        m_cursor = 0;
    const Tensor rows{m_ring.get(), m_cursor, type, count, cols, cols};
    m_cursor += bytes;
    std::erase_if(m_made,
                  [&](const Made &made) { return overlap(accessOf(made.rows), accessOf(rows)); });
    return rows;
}

void Q8Activations::provide(const Tensor &x, const Weight *norm, const Tensor &rows,
                            const RowOrder &form)
{
    m_made.push_back({x, norm, rows, form});
}

Tensor q8ActivationsOf(Recorder &r, const LinearInput &input)
{
    Q8Activations &made = r.q8Activations();
    if (const std::optional<Tensor> found = made.find(input.x, input.norm))
        return *found;
    const Tensor rows = made.reserve(input.x);
    const Tensor &x = input.x;
    const Q8ActivationsConstants constants{.kThreads = threadsFor(r, x.cols / 4),
                                           .kXHalf = isHalf(x)};
    const Q8ActivationsPush push{.x = r.address(x),
                                 .norm = vectorAddress(input.norm),
                                 .rows = r.address(rows),
                                 .count = count32(x.rows),
                                 .cols = count32(x.cols),
                                 .xStride = count32(x.stride)};
    r.dispatch("q8_activations", constants, push,
               {ceilDiv(x.cols / 4, constants.kThreads), x.rows, 1}, {accessOf(x)},
               {accessOf(rows)}, {0, bytesOf(x) + bytesOf(rows)});
    made.provide(x, input.norm, rows);
    return rows;
}

} // namespace fireside::vulkan
