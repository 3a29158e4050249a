#include "engine/vulkan/vulkan_device.h"

#include "engine/backend/checks.h"
#include "engine/core/error.h"
#include "engine/vulkan/host_copies.h"
#include "engine/vulkan/pass/hazards.h"
#include "engine/vulkan/platform/commands.h"
#include "engine/vulkan/vulkan_commands.h"
#include "engine/vulkan/weights/vulkan_buffer.h"
#include "engine/vulkan/weights/vulkan_weight.h"
#include "engine/vulkan/weights/weight_source.h"

#include <algorithm>
#include <cstring>

namespace fireside::vulkan {

VulkanDevice::VulkanDevice(std::shared_ptr<Gpu> gpu, DeviceReport report)
    : m_gpu(std::move(gpu))
    , m_report(std::move(report))
    , m_blocks(m_gpu)
    , m_uploader(m_gpu)
{}

VulkanDevice::~VulkanDevice() = default;

std::unique_ptr<Buffer> VulkanDevice::allocate(std::size_t bytes, std::string_view what,
                                               MemoryPurpose purpose)
{
    return std::move(allocateAll({&bytes, 1}, what, purpose).front());
}

namespace {

constexpr std::size_t kPieceAlignment = 256; // of buffers that share an allocation

std::size_t alignedPiece(std::size_t bytes)
{
    return (bytes + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
}

/// How many of the sizes, from the first on, share an allocation: 64 allocations take 10 ms (H200),
/// and no more than 4096 are promised in all (maxMemoryAllocationCount). Not too many, as it stays
/// until the last of them goes.
std::size_t sharing(std::span<const std::size_t> bytes, std::size_t largest)
{
    const std::size_t most = std::min(std::size_t{64} << 20, largest);
    std::size_t sum = 0, count = 0;
    while (count < bytes.size() && bytes[count] <= most && alignedPiece(bytes[count]) <= most - sum)
        sum += alignedPiece(bytes[count++]);
    return std::max<std::size_t>(count, 1);
}

} // namespace

/// Zeroed with one submission.
std::vector<std::unique_ptr<Buffer>> VulkanDevice::allocateAll(std::span<const std::size_t> bytes,
                                                               std::string_view what,
                                                               MemoryPurpose purpose)
{
    // Drivers may put what does not fit into the host's memory without a word.
    constexpr std::size_t kLarge = std::size_t{16} << 20;
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<VkBuffer> unmapped;
    while (!bytes.empty()) {
        const auto together = bytes.first(sharing(bytes, m_gpu->memory.largestAllocation()));
        bytes = bytes.subspan(together.size());
        std::size_t sum = 0, offset = 0;
        for (const std::size_t each : together)
            sum += together.size() > 1 ? alignedPiece(each) : each;
        if (sum >= kLarge)
            m_gpu->memory.requireFree(sum, what);
        const std::shared_ptr<Allocation> allocation =
            m_gpu->memory.allocate(sum, Memory::Use::Device, what, purpose);
        if (allocation->mapped() != nullptr)
            std::memset(allocation->mapped(), 0, sum);
        else
            unmapped.push_back(allocation->buffer());
        for (const std::size_t each : together) {
            buffers.push_back(
                std::make_unique<VulkanBuffer>(MemoryPiece(m_gpu, allocation, offset, each)));
            offset += alignedPiece(each);
        }
    }
    if (!unmapped.empty())
        guarded(*m_gpu, what, [&] {
            CommandRecording commands(m_gpu->device);
            for (const VkBuffer buffer : unmapped)
                commands.fillZero(buffer);
            commands.run(m_gpu->timeout());
        });
    return buffers;
}

std::unique_ptr<Weight> VulkanDevice::addWeight(const WeightSource &source)
{
    checkSource(source);
    auto weight = std::make_unique<VulkanWeight>();
    weight->name = source.name;
    weight->dtype = source.dtype;
    weight->rows = source.rows;
    weight->cols = source.cols;
    weight->depth = source.depth;
    const std::int64_t allRows = source.rows * source.depth;
    const bool vector = isVector(source);
    if (!vector && !supports(source.dtype))
        throwUnsupported("tensor '" + source.name + "' has type " + name(source.dtype) +
                         ", which the Vulkan backend does not support");
    weight->storage = vector ? DType::F32 : storageOf(source.dtype);
    weight->groups = paddedCols(source.cols) / 32 * allRows;
    weight->memory =
        m_blocks.take(bytesInPlanes(source.dtype, source.rows, source.cols, source.depth),
                      "tensor '" + source.name + "'");
    weight->address = weight->memory->address();

    weight->upload = std::make_shared<Upload>(source, weight->storage, weight->memory);
    m_uploader.add(weight->upload);
    return weight;
}

void VulkanDevice::finishWeights(std::stop_token stop)
{
    m_uploader.finish(stop);
}

void VulkanDevice::copy(const Buffer &from, std::size_t fromOffset, Buffer &to,
                        std::size_t toOffset, std::size_t bytes)
{
    const BufferCopy one{&from, fromOffset, &to, toOffset, bytes};
    copy({&one, 1});
}

void VulkanDevice::copy(std::span<const BufferCopy> copies)
{
    std::size_t between = 0; // bytes of the largest copy that overlaps where it goes
    bool any = false;
    const auto overlaps = [](const BufferCopy &c) {
        return c.from == c.to && c.fromOffset < c.toOffset + c.bytes &&
               c.toOffset < c.fromOffset + c.bytes;
    };
    for (const BufferCopy &c : copies) {
        const VulkanBuffer &source = asVulkan(c.from, "the source of a copy");
        const VulkanBuffer &target = asVulkan(c.to, "the target of a copy");
        if (source.gpu() != m_gpu.get() || target.gpu() != m_gpu.get())
            throw Error(ErrorKind::Internal, "copy between two devices");
        if (c.fromOffset > source.size() || c.bytes > source.size() - c.fromOffset ||
            c.toOffset > target.size() || c.bytes > target.size() - c.toOffset)
            throw Error(ErrorKind::Internal, "copy of " + std::to_string(c.bytes) + " bytes from " +
                                                 std::to_string(c.fromOffset) + " of " +
                                                 std::to_string(source.size()) + " to " +
                                                 std::to_string(c.toOffset) + " of " +
                                                 std::to_string(target.size()));
        any = any || c.bytes > 0;
        if (overlaps(c))
            between = std::max(between, c.bytes);
    }
    if (!any)
        return;
    std::unique_ptr<Allocation> aside;
    if (between > 0)
        aside = m_gpu->memory.allocate(between, Memory::Use::Device, "a copy within a buffer");
    guarded(*m_gpu, "copying a buffer", [&] {
        CommandRecording commands(m_gpu->device);
        Hazards hazards;
        commands.everythingBarrier();
        for (const BufferCopy &c : copies) {
            if (c.bytes == 0)
                continue;
            const VulkanBuffer &source = asVulkan(c.from, ""), &target = asVulkan(c.to, "");
            const std::size_t from = source.offset() + c.fromOffset;
            const std::size_t to = target.offset() + c.toOffset;
            if (overlaps(c)) {
                commands.copy(source.handle(), from, aside->buffer(), 0, c.bytes);
                commands.copy(aside->buffer(), 0, target.handle(), to, c.bytes);
                hazards.clear();
                continue;
            }
            const Access reads{c.from, c.fromOffset, c.fromOffset + c.bytes};
            const Access writes{c.to, c.toOffset, c.toOffset + c.bytes};
            if (hazards.add({&reads, 1}, {&writes, 1}))
                commands.everythingBarrier();
            commands.copyUnordered(source.handle(), from, target.handle(), to, c.bytes);
        }
        commands.everythingBarrier();
        commands.run(m_gpu->timeout());
    });
}

void VulkanDevice::read(std::span<const BufferRead> parts)
{
    readBuffers(m_gpu, parts);
}

void VulkanDevice::write(std::span<const BufferWrite> parts)
{
    writeBuffers(m_gpu, parts);
}

void VulkanDevice::zero(std::span<Buffer *const> buffers)
{
    for (Buffer *buffer : buffers)
        if (asVulkan(buffer, "memory to zero").gpu() != m_gpu.get())
            throw Error(ErrorKind::Internal, "zeroing memory of another device");
    if (buffers.empty())
        return;
    guarded(*m_gpu, "zeroing memory", [&] {
        CommandRecording commands(m_gpu->device);
        for (Buffer *buffer : buffers) {
            const VulkanBuffer &own = asVulkan(buffer, "memory to zero");
            commands.fillZero(own.handle(), own.offset(), own.size() / 4 * 4);
        }
        commands.run(m_gpu->timeout());
    });
}

std::unique_ptr<Commands> VulkanDevice::commands(std::size_t scratchBytes, std::int64_t maxRows)
{
    return guarded(*m_gpu, "working memory of a pass",
                   [&] { return std::make_unique<VulkanCommands>(m_gpu, scratchBytes, maxRows); });
}

bool weightSupported(DType type)
{
    return planesOf(type)[0].elements != 0;
}

bool VulkanDevice::mayExpandLatent() const
{
    return m_gpu->capabilities.cooperativeMatrix();
}

bool VulkanDevice::supports(DType weightType) const
{
    return weightSupported(weightType);
}

} // namespace fireside::vulkan
