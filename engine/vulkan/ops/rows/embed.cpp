#include "shaders/ops/rows/embed.h"

#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/q8_activations.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace fireside::vulkan {

void run(Recorder &r, const op::Embed &op)
{
    const Weight &table = op.table;
    const VulkanWeight &weight = asVulkan(table);
    const Tensor &ids = op.ids, &out = op.out;
    if (out.rows == 0)
        return;
    const bool add = op.mode == Accumulate::AddToOutput;
    const std::int64_t quads = ceilDiv(out.cols, 4);
    const std::uint32_t threads = threadsFor(r, quads, 128);
    const std::optional<Q8Activations::Hint> next = r.q8Activations().takeHint(out);
    const Tensor nextRows = next ? r.q8Activations().reserve(out) : Tensor();
    const EmbedConstants constants{.kThreads = threads,
                                   .kOutHalf = isHalf(out),
                                   .kAccumulate = add,
                                   .kNext = next.has_value()};
    const EmbedPush push{.table = weight.address,
                         .ids = r.address(ids),
                         .y = r.address(out),
                         .groups = weight.ref().groups,
                         .rowGroups = weight.groupsPerRow(),
                         .tableRows = count32(table.rows * table.depth),
                         .cols = count32(out.cols),
                         .count = count32(out.rows),
                         .idStride = count32(ids.stride),
                         .yStride = count32(out.stride),
                         .scale = op.scale,
                         .nextNorm = next ? vectorAddress(next->norm) : 0,
                         .nextRows = next ? r.address(nextRows) : 0};
    // The shader goes on where there are more rows than groups.
    const Workgroups groups{ceilDiv(quads, threads),
                            std::min<std::int64_t>(out.rows, r.capabilities().maxWorkgroups[1])};
    const double weightBytes =
        static_cast<double>(out.rows) * static_cast<double>(out.cols) * 0.5; // about
    const Work work{0, bytesOf(out) * (add ? 2 : 1) + weightBytes};
    const std::string shader = weightShader("embed", weight.storage);
    std::vector<Access> reads{accessOf(ids)}, writes{accessOf(out)};
    if (add)
        reads.push_back(accessOf(out));
    if (next)
        writes.push_back(accessOf(nextRows));
    r.append(shader, constants, &push, sizeof push, groups, reads, writes, work);
    if (next)
        r.q8Activations().provide(out, next->norm, nextRows);
}

} // namespace fireside::vulkan
