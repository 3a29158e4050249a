#include "engine/vulkan/vulkan_recorder.h"

#include "engine/core/error.h"
#include "engine/vulkan/commands.h"
#include "shaders/embedded_shaders.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kAlignment = 256; // of scratch tensors, in bytes

[[noreturn]] void throwInternal(const std::string &text)
{
    throw Error(ErrorKind::Internal, text);
}

std::string shapeText(std::int64_t rows, std::int64_t cols)
{
    return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

} // namespace

class VulkanRecorder::CacheIdentity final : public Buffer
{
public:
    std::size_t size() const override { return 0; }
};

VulkanRecorder::VulkanRecorder(std::shared_ptr<Gpu> gpu, std::size_t scratchBytes,
                               std::int64_t maxRows)
    : m_gpu(std::move(gpu))
    , m_arena(std::make_unique<VulkanBuffer>(
          m_gpu,
          m_gpu->memory.allocate(scratchBytes, Memory::Use::Device, "working memory of a pass")))
    , m_tables(m_gpu, maxRows)
    , m_cacheIdentity(std::make_unique<CacheIdentity>())
    , m_recording(*m_gpu)
{}

VulkanRecorder::~VulkanRecorder()
{
    try {
        waitForAll();
    } catch (...) { // the device is lost or abandoned, and nothing more can be done
    }
}

// --- the pass ---

Commands::Begin VulkanRecorder::begin(const Batch &batch, const PassOptions &options)
{
    waitForAll();
    m_uploads.clear();
    m_recording.reset();
    m_hazards.clear();
    m_copied = false;
    m_cursor = 0;
    m_stop = options.stop;
    m_preparing = options.prepareOnly;
    m_tables.write(batch);
    m_mostKeys = m_tables.longest();
    if (!m_preparing) {
        const VkCommandBuffer tables = m_recording.begin();
        fullBarrier(m_gpu->device, tables, true);
        m_tables.recordCopy(tables);
        fullBarrier(m_gpu->device, tables, true);
        m_recording.end();
    }
    return Commands::Begin::Record;
}

VkCommandBuffer VulkanRecorder::commands()
{
    return m_recording.open() ? m_recording.buffers().back() : m_recording.begin();
}

void VulkanRecorder::append(std::string_view shader, std::span<const std::uint32_t> constants,
                            const void *push, std::size_t pushBytes, const Groups &groups,
                            std::span<const Access> reads, std::span<const Access> writes,
                            const Work &)
{
    const std::array<std::int64_t, 3> counts{groups.x, groups.y, groups.z};
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] < 0 || counts[i] > std::int64_t{m_gpu->capabilities.maxGroups[i]})
            throwInternal("shader '" + std::string(shader) + "' in " + std::to_string(counts[i]) +
                          " groups, the device allows " +
                          std::to_string(m_gpu->capabilities.maxGroups[i]));
    if (groups.x == 0 || groups.y == 0 || groups.z == 0)
        return;
    const auto bytes = static_cast<std::uint32_t>(pushBytes);
    if (m_preparing) {
        m_gpu->pipelines.request(shader, constants, bytes);
        return;
    }
    const ComputePipeline &pipeline = m_gpu->pipelines.get(shader, constants, bytes);
    const DeviceFunctions &vk = m_gpu->device.functions();
    const VkCommandBuffer to = commands();
    if (m_hazards.add(reads, writes)) {
        fullBarrier(m_gpu->device, to, m_copied);
        m_copied = false;
    }
    vk.CmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    if (bytes > 0)
        vk.CmdPushConstants(to, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, push);
    vk.CmdDispatch(to, static_cast<std::uint32_t>(groups.x), static_cast<std::uint32_t>(groups.y),
                   static_cast<std::uint32_t>(groups.z));
}

void VulkanRecorder::submitRecorded()
{
    if (m_recording.open())
        m_recording.end();
    m_running = m_gpu->device.submit(m_recording.buffers());
}

void VulkanRecorder::sync()
{
    if (m_preparing) {
        m_gpu->pipelines.finish();
        return;
    }
    if (m_stop.stop_requested())
        throwCancelled();
    submitRecorded();
    waitForAll();
    m_recording.reset(); // a second sync() runs nothing again
}

void VulkanRecorder::waitForAll()
{
    if (m_running == 0)
        return;
    const std::uint64_t last = std::exchange(m_running, 0);
    m_gpu->device.wait(last, m_gpu->patience());
}

std::vector<OpTime> VulkanRecorder::takeOpTimes()
{
    return {};
}

// --- memory ---

bool VulkanRecorder::hasShader(std::string_view shader) const
{
    return !embeddedShader(shader).empty();
}

std::int64_t VulkanRecorder::rowsPerLaunch(const Work &, std::int64_t rows, std::int64_t) const
{
    return rows;
}

VkDeviceAddress VulkanRecorder::address(const Tensor &tensor) const
{
    const VulkanBuffer &buffer = asVulkan(tensor.buffer, "a tensor");
    bytesOf(tensor, "a tensor"); // inside its buffer
    return buffer.address() + tensor.offset;
}

VkDeviceAddress VulkanRecorder::table(std::span<const std::byte> contents)
{
    const std::string_view key(reinterpret_cast<const char *>(contents.data()), contents.size());
    const auto found = m_constantTables.find(key);
    if (found != m_constantTables.end())
        return found->second->address();
    Memory &memory = m_gpu->memory;
    std::unique_ptr<Allocation> table =
        memory.allocate(contents.size(), Memory::Use::Device, "a table of constants");
    const std::unique_ptr<Allocation> staging =
        memory.allocate(contents.size(), Memory::Use::Staging, "a table of constants");
    if (!contents.empty()) {
        std::memcpy(staging->mapped(), contents.data(), contents.size());
        CommandRecording copy(m_gpu->device);
        copy.copy(staging->buffer(), 0, table->buffer(), 0, contents.size());
        copy.run(m_gpu->patience());
    }
    return m_constantTables.emplace(std::string(key), std::move(table)).first->second->address();
}

Tensor VulkanRecorder::scratch(std::int64_t rows, std::int64_t cols, DType dtype)
{
    std::size_t bytes = 0, end = 0;
    if (rows < 0 || cols < 0 ||
        __builtin_mul_overflow(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols),
                               &bytes) ||
        __builtin_mul_overflow(bytes, std::size_t{info(dtype).blockBytes}, &bytes) ||
        __builtin_add_overflow(m_cursor, bytes, &end) || end > m_arena->size())
        throw Error(ErrorKind::Memory,
                    "scratch " + shapeText(rows, cols) + " does not fit: " + formatBytes(m_cursor) +
                        " of " + formatBytes(m_arena->size()) + " planned for a pass are in use");
    const Tensor tensor{m_arena.get(), m_cursor, dtype, rows, cols, cols};
    m_cursor = std::min(m_arena->size(), (end + kAlignment - 1) / kAlignment * kAlignment);
    return tensor;
}

void VulkanRecorder::release(std::size_t mark)
{
    if (mark > m_cursor)
        throwInternal("release: mark " + std::to_string(mark) + " is beyond the cursor " +
                      std::to_string(m_cursor));
    m_cursor = mark;
}

VkDeviceAddress VulkanRecorder::caches(std::int64_t layer) const
{
    cache(layer);
    return m_tables.cachesAddress(layer);
}

const KvLayer &VulkanRecorder::cache(std::int64_t layer) const
{
    const std::vector<KvLayer> &layers = m_tables.layers();
    if (layer < 0 || static_cast<std::size_t>(layer) >= layers.size())
        throwInternal("layer " + std::to_string(layer) + " is not in a cache of " +
                      std::to_string(layers.size()) + " layers");
    const KvLayer &found = layers[static_cast<std::size_t>(layer)];
    if (found.keys == nullptr)
        throwInternal("layer " + std::to_string(layer) + " has no cache");
    return found;
}

Access VulkanRecorder::cacheAccess(std::int64_t layer) const
{
    const auto at = static_cast<std::size_t>(layer);
    return {m_cacheIdentity.get(), at, at + 1};
}

void VulkanRecorder::checkIds(const Tensor &ids, std::int64_t tableRows)
{
    const Tensor own = m_tables.ids();
    if (ids.buffer != own.buffer || ids.offset != own.offset || ids.rows != own.rows)
        return;
    for (const std::int32_t id : m_tables.hostIds())
        if (id < 0 || id >= tableRows)
            throwBadInput("token id " + std::to_string(id) + " is outside the vocabulary of " +
                          std::to_string(tableRows));
}

void VulkanRecorder::checkOutputRows(const Tensor &rows, std::int64_t count) const
{
    const Tensor own = m_tables.outputRows();
    if (rows.buffer != own.buffer || rows.offset != own.offset || rows.rows != own.rows)
        return;
    for (const std::int32_t row : m_tables.hostOutputRows())
        if (row < 0 || row >= count)
            throwInternal("gatherRows: row " + std::to_string(row) + " of " +
                          std::to_string(count));
}

// --- values across ---

void VulkanRecorder::upload(std::span<const std::byte> bytes, const Tensor &out)
{
    const VulkanBuffer &target = asVulkan(out.buffer, "upload: out");
    bytesOf(out, "upload: out");
    if (m_preparing || bytes.empty())
        return;
    std::unique_ptr<Allocation> staging =
        m_gpu->memory.allocate(bytes.size(), Memory::Use::Staging, "values for the device");
    std::memcpy(staging->mapped(), bytes.data(), bytes.size());
    const std::size_t element = info(out.dtype).blockBytes;
    const std::size_t rowBytes = static_cast<std::size_t>(out.cols) * element;
    std::vector<VkBufferCopy> regions;
    if (out.stride == out.cols)
        regions.push_back({0, out.offset, bytes.size()});
    else
        for (std::int64_t row = 0; row < out.rows; ++row)
            regions.push_back({static_cast<std::size_t>(row) * rowBytes,
                               out.offset + static_cast<std::size_t>(row * out.stride) * element,
                               rowBytes});
    const VkCommandBuffer to = commands();
    const Access write = accessOf(out);
    fullBarrier(m_gpu->device, to, true);
    m_hazards.clear();
    m_hazards.add({}, {&write, 1});
    m_copied = true;
    m_gpu->device.functions().CmdCopyBuffer(to, staging->buffer(), target.handle(),
                                            static_cast<std::uint32_t>(regions.size()),
                                            regions.data());
    m_uploads.push_back(std::move(staging));
}

void VulkanRecorder::read(const Tensor &x, std::span<std::byte> bytes)
{
    const VulkanBuffer &from = asVulkan(x.buffer, "read");
    const std::size_t span = bytesOf(x, "read");
    if (span == 0)
        return;
    if (!m_readback || m_readback->size() < span)
        m_readback = m_gpu->memory.allocate(std::bit_ceil(span), Memory::Use::Readback,
                                            "results of the device");
    CommandRecording commands(m_gpu->device);
    commands.copy(from.handle(), x.offset, m_readback->buffer(), 0, span);
    commands.run(m_gpu->patience());
    const std::size_t element = info(x.dtype).blockBytes;
    const std::size_t rowBytes = static_cast<std::size_t>(x.cols) * element;
    for (std::int64_t row = 0; row < x.rows; ++row)
        std::memcpy(bytes.data() + static_cast<std::size_t>(row) * rowBytes,
                    m_readback->mapped() + static_cast<std::size_t>(row * x.stride) * element,
                    rowBytes);
}

} // namespace fireside::vulkan
