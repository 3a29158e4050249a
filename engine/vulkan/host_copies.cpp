#include "engine/vulkan/host_copies.h"

#include "engine/core/error.h"
#include "engine/vulkan/platform/commands.h"
#include "engine/vulkan/weights/vulkan_buffer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kPiece = std::size_t{32} << 20; // bytes of memory that both reach
constexpr std::size_t kAlignment = 16;                // of a part in it

const VulkanBuffer &checked(const Gpu &gpu, const Buffer *buffer, std::size_t offset,
                            std::size_t bytes)
{
    const VulkanBuffer &own = asVulkan(buffer, "memory that the host reads or writes");
    if (own.gpu() != &gpu)
        throw Error(ErrorKind::Internal, "the host reads or writes memory of another device");
    if (offset > own.size() || bytes > own.size() - offset)
        throw Error(ErrorKind::Internal, std::to_string(bytes) + " bytes at " +
                                             std::to_string(offset) + " of a buffer of " +
                                             std::to_string(own.size()));
    return own;
}

/// A part, or a piece of one, and where it lies in the shared memory.
struct Step
{
    VkBuffer buffer;
    std::size_t offset, shared, bytes;
    std::byte *host; // or where it is read from
};

/// Cuts parts into steps that fill the shared memory, and calls `run` with each fill.
template <typename Run>
void inPieces(std::span<const Step> parts, std::size_t room, const Run &run)
{
    std::vector<Step> steps;
    std::size_t used = 0;
    const auto flush = [&] {
        if (!steps.empty())
            run(std::span<const Step>(steps));
        steps.clear();
        used = 0;
    };
    for (Step part : parts) {
        while (part.bytes > 0) {
            if (used == room)
                flush();
            Step step = part;
            step.shared = used;
            step.bytes = std::min(part.bytes, room - used);
            steps.push_back(step);
            used = std::min(room, (used + step.bytes + kAlignment - 1) / kAlignment * kAlignment);
            part.offset += step.bytes;
            part.host += step.bytes;
            part.bytes -= step.bytes;
        }
    }
    flush();
}

std::size_t roomFor(std::span<const Step> parts)
{
    std::size_t bytes = 0;
    for (const Step &part : parts)
        bytes += (part.bytes + kAlignment - 1) / kAlignment * kAlignment;
    return std::min(bytes, kPiece);
}

} // namespace

void readBuffers(const std::shared_ptr<Gpu> &gpu, std::span<const BufferRead> parts)
{
    std::vector<Step> steps;
    for (const BufferRead &part : parts) {
        const VulkanBuffer &own = checked(*gpu, part.from, part.offset, part.to.size());
        steps.push_back(
            {own.handle(), own.offset() + part.offset, 0, part.to.size(), part.to.data()});
    }
    const std::size_t room = roomFor(steps);
    if (room == 0)
        return;
    const auto shared =
        gpu->memory.allocate(room, Memory::Use::Readback, "reading a device's memory");
    guarded(*gpu, "reading a device's memory", [&] {
        inPieces(steps, room, [&](std::span<const Step> fill) {
            CommandRecording commands(gpu->device);
            for (const Step &step : fill)
                commands.copy(step.buffer, step.offset, shared->buffer(), step.shared, step.bytes);
            commands.run(gpu->timeout());
            for (const Step &step : fill)
                std::memcpy(step.host, shared->mapped() + step.shared, step.bytes);
        });
    });
}

void writeBuffers(const std::shared_ptr<Gpu> &gpu, std::span<const BufferWrite> parts)
{
    std::vector<Step> steps;
    for (const BufferWrite &part : parts) {
        const VulkanBuffer &own = checked(*gpu, part.to, part.offset, part.from.size());
        // Only read from: a step serves both ways.
        auto *const host = const_cast<std::byte *>(part.from.data());
        steps.push_back({own.handle(), own.offset() + part.offset, 0, part.from.size(), host});
    }
    const std::size_t room = roomFor(steps);
    if (room == 0)
        return;
    const auto shared =
        gpu->memory.allocate(room, Memory::Use::Staging, "writing a device's memory");
    guarded(*gpu, "writing a device's memory", [&] {
        inPieces(steps, room, [&](std::span<const Step> fill) {
            CommandRecording commands(gpu->device);
            for (const Step &step : fill) {
                std::memcpy(shared->mapped() + step.shared, step.host, step.bytes);
                commands.copy(shared->buffer(), step.shared, step.buffer, step.offset, step.bytes);
            }
            commands.run(gpu->timeout());
        });
    });
}

} // namespace fireside::vulkan
