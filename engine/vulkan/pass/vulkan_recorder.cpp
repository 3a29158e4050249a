#include "engine/vulkan/pass/vulkan_recorder.h"

#include "engine/backend/ops/op_check.h"
#include "engine/core/error.h"
#include "shaders/embedded_shaders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kScratchAlignment = 256; // of scratch tensors, in bytes

} // namespace

class VulkanRecorder::CacheIdentity final : public Buffer
{
public:
    std::size_t size() const override { return 0; }
};

VulkanRecorder::VulkanRecorder(std::shared_ptr<Gpu> gpu, std::size_t scratchBytes,
                               std::int64_t maxRows)
    : m_gpu(std::move(gpu))
    , m_arena(std::make_unique<VulkanBuffer>(MemoryPiece(
          m_gpu, m_gpu->memory.allocate(scratchBytes, Memory::Use::Device,
                                        "working memory of a pass", MemoryPurpose::Scratch))))
    , m_q8Activations(m_gpu)
    , m_tables(m_gpu, maxRows)
    , m_advance(m_gpu)
    , m_cacheIdentity(std::make_unique<CacheIdentity>())
    , m_stateIdentity(std::make_unique<CacheIdentity>())
    , m_constantTables(*m_gpu)
    , m_readback(m_gpu)
    , m_passes(*m_gpu)
    , m_runner(*m_gpu)
{}

VulkanRecorder::~VulkanRecorder()
{
    try {
        m_runner.abandonPass();
    } catch (...) { // the device is lost or abandoned, and nothing more can be done
    }
}

// --- the pass ---

Commands::Begin VulkanRecorder::begin(const Batch &batch, const PassOptions &options)
{
    m_goesOn = options.goesOn;
    m_maxAhead = m_goesOn ? std::min<std::int64_t>(options.maxAhead, 1) : options.maxAhead;
    if (!m_ahead.empty() && m_lookahead.isNext(batch, options)) {
        m_stop = options.stop;
        m_takesAhead = true;
        m_replaying = true;
        return Commands::Begin::Replay;
    }
    settle();
    m_lookahead.start(batch, options);
    m_pass = nullptr;
    m_uploads.clear();
    m_hazards.clear();
    m_q8Activations.clear();
    m_copied = false;
    m_cursor = 0;
    m_preparing = options.prepareOnly;
    m_advances = options.next != nullptr;
    m_replaying = false;
    m_synced = false;
    m_dispatches = 0;
    m_passDispatches = 0;
    m_sharedCursor = m_brought;
    if (m_tables.write(batch))
        m_passes.clear(); // recordings hold addresses of the tables
    if (options.next != nullptr)
        m_advance.write(*options.next, m_tables.rows());
    m_maxKeys = options.recording != 0 ? roundedKeys(m_tables.longest()) : m_tables.longest();
    if (m_preparing)
        m_maxKeys = std::max(m_maxKeys, options.maxKeys);
    PassForm form = formOf(m_preparing ? 0 : options.recording, m_tables, m_maxKeys);
    form.timed = m_times.timeNext(form.name, form.rows);
    if (form.name != 0)
        m_pass = m_passes.find(form);
    m_replaying = m_pass != nullptr;
    guarded(*m_gpu, "a pass", [&] {
        if (m_replaying) {
            checkHostValues();
        } else {
            m_pass = &m_passes.start(std::move(form));
            const VkCommandBuffer tables = m_pass->recording.begin();
            fullBarrier(m_gpu->device, tables, true);
            m_tables.recordCopy(tables);
            if (options.next != nullptr)
                m_advance.recordCopy(tables);
            fullBarrier(m_gpu->device, tables, true);
            m_pass->recording.end();
        }
    });
    m_stop = options.stop;
    m_runner.start(m_pass->recording, m_stop);
    return m_replaying ? Commands::Begin::Replay : Commands::Begin::Record;
}

VkCommandBuffer VulkanRecorder::segment()
{
    if (m_pass == nullptr || m_replaying)
        throwInternal("an op is recorded outside of a pass");
    Recording &recording = m_pass->recording;
    if (m_synced && m_pass->advance)
        throwInternal("an op is recorded after advance()");
    if (m_synced) { // more ops for the same batch, whose tables are on the device
        recording.reset(m_pass->form.timed);
        m_pass->replayable = false;
        m_pass->mirrored = {};
        m_synced = false;
        recording.begin();
        recording.end();
        m_runner.start(recording, m_stop);
    }
    if (recording.open())
        return recording.current();
    const VkCommandBuffer started = recording.begin();
    recording.nominal.push_back(0);
    recording.clock().start(started, recording.segments() - 1);
    if (recording.segments() > 1)
        fullBarrier(m_gpu->device, started, true); // after the segment before
    m_hazards.clear();
    m_copied = false;
    return started;
}

void VulkanRecorder::endSegment()
{
    Recording &recording = m_pass->recording;
    if (!recording.open())
        return;
    if (m_dispatches > 0)
        recording.clock().mark(recording.current(), m_op != nullptr ? m_op : "", m_dispatches);
    m_dispatches = 0;
    m_constantTables.bring(); // before anything that reads them is submitted
    recording.end();
}

void VulkanRecorder::append(std::string_view shader, std::span<const std::uint32_t> constants,
                            const void *push, std::size_t pushBytes, const Workgroups &groups,
                            std::span<const Access> reads, std::span<const Access> writes,
                            const Work &work)
{
    const std::array<std::int64_t, 3> counts{groups.x, groups.y, groups.z};
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] < 0 || counts[i] > std::int64_t{m_gpu->capabilities.maxWorkgroups[i]})
            throwInternal("shader '" + std::string(shader) + "' in " + std::to_string(counts[i]) +
                          " groups, the device allows " +
                          std::to_string(m_gpu->capabilities.maxWorkgroups[i]));
    if (groups.x == 0 || groups.y == 0 || groups.z == 0)
        return;
    const auto bytes = static_cast<std::uint32_t>(pushBytes);
    m_q8Activations.overwritten(writes);
    if (m_preparing) {
        m_gpu->pipelines.request(shader, constants, bytes);
        return;
    }
    guarded(*m_gpu, "a pass", [&] {
        const ComputePipeline &pipeline = m_gpu->pipelines.get(shader, constants, bytes);
        const double nominal = m_gpu->throughput.nominal(work);
        Recording &recording = m_pass->recording;
        // The device starts on a prompt while the rest of it is recorded, which takes less time
        // than computing it. What other passes follow without the host stays in one piece.
        constexpr std::int64_t kPromptRows = 16;
        constexpr std::array<std::int64_t, 3> kEarly{6, 24, 96}; // dispatches
        const bool early =
            m_tables.rows() >= kPromptRows && !m_advances &&
            std::find(kEarly.begin(), kEarly.end(), m_passDispatches) != kEarly.end();
        if (recording.open() && recording.nominal.back() > 0 &&
            (early || m_gpu->throughput.seconds(recording.nominal.back() + nominal) >
                          Throughput::kLongest)) {
            endSegment();
            m_runner.submitRecorded();
        }
        ++m_passDispatches;
        const VkCommandBuffer to = segment();
        recording.nominal.back() += nominal;
        if (m_hazards.add(reads, writes)) {
            fullBarrier(m_gpu->device, to, m_copied);
            m_copied = false;
        }
        const DeviceFunctions &vk = m_gpu->device.functions();
        vk.CmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
        if (bytes > 0)
            vk.CmdPushConstants(to, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, push);
        vk.CmdDispatch(to, static_cast<std::uint32_t>(groups.x),
                       static_cast<std::uint32_t>(groups.y), static_cast<std::uint32_t>(groups.z));
        ++m_dispatches;
    });
}

std::size_t VulkanRecorder::beginOp(const char *op, std::size_t scratchFrom)
{
    m_op = op;
    if (m_pass != nullptr && !m_preparing)
        m_pass->recording.clock().countCall(op);
    return std::exchange(m_cursor, scratchFrom);
}

void VulkanRecorder::endOp(std::size_t scratchFrom)
{
    m_cursor = scratchFrom;
    if (m_pass != nullptr && m_dispatches > 0 && m_pass->recording.open())
        m_pass->recording.clock().mark(m_pass->recording.current(), m_op, m_dispatches);
    m_dispatches = 0;
    m_op = nullptr;
}

void VulkanRecorder::sync()
{
    try {
        m_takesAhead ? takeAhead() : finishPass();
    } catch (...) { // nothing follows from what failed
        m_lookahead.stop();
        throw;
    }
}

void VulkanRecorder::finishPass()
{
    if (m_pass == nullptr || m_synced)
        return;
    guarded(*m_gpu, "a pass", [&] {
        if (m_preparing) {
            m_gpu->pipelines.finish();
            return;
        }
        if (!m_replaying) {
            const VkCommandBuffer last = segment(); // also of an empty pass: it brings the tables
            // op::Advance brings its results itself.
            if (m_pass->advance)
                endBarrier(m_gpu->device, last);
            else
                m_readback.record(*m_pass, last);
            endSegment();
            m_pass->complete = true;
        }
        m_synced = true;
        m_runner.submitRecorded();
        if (m_pass->advance)
            goOnLate();
        std::vector<OpTime> times;
        const bool all = m_runner.finish(times, m_replaying);
        m_times.add(all ? m_pass->form.name : 0, m_pass->form.rows, m_pass->form.timed,
                    std::move(times));
        if (!all)
            throwCancelled();
    });
    if (m_pass->advance)
        goOn();
}

void VulkanRecorder::keep(int slot, const Tensor &tensor)
{
    if (m_pass == nullptr || m_replaying)
        throwInternal("keep: no pass is being recorded");
    m_pass->kept.at(static_cast<std::size_t>(slot)) = tensor;
}

Tensor VulkanRecorder::kept(int slot) const
{
    return m_pass == nullptr ? Tensor() : m_pass->kept.at(static_cast<std::size_t>(slot));
}

void VulkanRecorder::checkIds(const Tensor &ids, std::int64_t tableRows)
{
    const Tensor own = m_tables.ids();
    if (m_pass == nullptr || ids.buffer != own.buffer || ids.offset < own.offset ||
        ids.offset >= own.offset + static_cast<std::size_t>(own.rows) * sizeof(std::int32_t))
        return;
    m_pass->tableRows = std::min(m_pass->tableRows.value_or(tableRows), tableRows);
    checkHostValues();
}

void VulkanRecorder::checkOutputRows(const Tensor &rows, std::int64_t count)
{
    const Tensor own = m_tables.outputRows();
    if (m_pass == nullptr || rows.buffer != own.buffer || rows.offset != own.offset)
        return;
    m_pass->outputFrom = std::min(m_pass->outputFrom.value_or(count), count);
    checkHostValues();
}

void VulkanRecorder::checkHostValues() const
{
    if (const std::optional<std::int64_t> &rows = m_pass->tableRows)
        for (const std::int32_t id : m_tables.hostIds())
            if (id < 0 || id >= *rows)
                throwBadInput("token id " + std::to_string(id) + " is outside the vocabulary of " +
                              std::to_string(*rows));
    if (const std::optional<std::int64_t> &rows = m_pass->outputFrom)
        for (const std::int32_t row : m_tables.hostOutputRows())
            if (row < 0 || row >= *rows)
                throwInternal("gatherRows: row " + std::to_string(row) + " of " +
                              std::to_string(*rows));
}

// --- memory ---

bool VulkanRecorder::hasShader(std::string_view shader) const
{
    return !embeddedShader(shader).empty();
}

std::int64_t VulkanRecorder::rowsPerDispatch(const Work &wholeOp, std::int64_t rows,
                                             std::int64_t multiple) const
{
    return m_gpu->throughput.rowsPerDispatch(wholeOp, rows, multiple);
}

VkDeviceAddress VulkanRecorder::address(const Tensor &tensor) const
{
    const VulkanBuffer &buffer = asVulkan(tensor.buffer, "a tensor");
    bytesOf(tensor, "a tensor"); // inside its buffer
    return buffer.address() + tensor.offset;
}

Tensor VulkanRecorder::scratch(std::int64_t rows, std::int64_t cols, DType dtype)
{
    std::size_t bytes = 0, end = 0;
    if (rows < 0 || cols < 0 ||
        __builtin_mul_overflow(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols),
                               &bytes) ||
        __builtin_mul_overflow(bytes, std::size_t{info(dtype).blockBytes}, &bytes) ||
        __builtin_add_overflow(m_cursor, bytes, &end) || end > m_arena->size())
        throw Error(ErrorKind::Memory, "scratch " + op::shapeText(rows, cols) +
                                           " does not fit: " + formatBytes(m_cursor) + " of " +
                                           formatBytes(m_arena->size()) +
                                           " planned for a pass are in use");
    const Tensor tensor{m_arena.get(), m_cursor, dtype, rows, cols, cols};
    m_cursor = std::min(m_arena->size(),
                        (end + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment);
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
        throwInternal("layer " + std::to_string(layer) + " has no cache on this device");
    return found;
}

Access VulkanRecorder::cacheAccess(std::int64_t layer) const
{
    const auto at = static_cast<std::size_t>(layer);
    return {m_cacheIdentity.get(), at, at + 1};
}

VkDeviceAddress VulkanRecorder::states(const char *op, const op::StatePart &part) const
{
    op::OpCheck(op).layerWith(part, m_tables.layers());
    return m_tables.cachesAddress(part.layer);
}

Access VulkanRecorder::stateAccess(const op::StatePart &part) const
{
    constexpr int kLayerBits = 40; // more numbers than a state can have
    const std::size_t layer = static_cast<std::size_t>(part.layer) << kLayerBits;
    const std::size_t begin = layer + static_cast<std::size_t>(part.offset);
    return {m_stateIdentity.get(), begin, begin + static_cast<std::size_t>(part.count)};
}

// --- values across ---

void VulkanRecorder::upload(std::span<const std::byte> bytes, const Tensor &out)
{
    const VulkanBuffer &target = asVulkan(out.buffer, "upload: out");
    const Access write = accessOf(out);
    m_q8Activations.overwritten({&write, 1});
    if (m_pass != nullptr)
        m_pass->replayable = false;
    if (m_preparing || bytes.empty())
        return;
    const std::size_t element = info(out.dtype).blockBytes;
    const std::size_t rowBytes = static_cast<std::size_t>(out.cols) * element;
    std::vector<VkBufferCopy> regions;
    if (out.stride == out.cols)
        regions.push_back({0, target.offset() + out.offset, bytes.size()});
    else
        for (std::int64_t row = 0; row < out.rows; ++row)
            regions.push_back({static_cast<std::size_t>(row) * rowBytes,
                               target.offset() + out.offset +
                                   static_cast<std::size_t>(row * out.stride) * element,
                               rowBytes});
    guarded(*m_gpu, "a pass", [&] {
        std::unique_ptr<Allocation> staging =
            m_gpu->memory.allocate(bytes.size(), Memory::Use::Staging, "values for the device");
        std::memcpy(staging->mapped(), bytes.data(), bytes.size());
        const VkCommandBuffer to = segment();
        fullBarrier(m_gpu->device, to, true);
        m_hazards.clear();
        m_hazards.add({}, {&write, 1});
        m_copied = true;
        m_gpu->device.functions().CmdCopyBuffer(to, staging->buffer(), target.handle(),
                                                static_cast<std::uint32_t>(regions.size()),
                                                regions.data());
        m_uploads.push_back(std::move(staging));
    });
}

void VulkanRecorder::read(const Tensor &x, std::span<std::byte> bytes)
{
    if (readChosen(x, bytes))
        return;
    if (!m_ahead.empty())
        throwInternal("a tensor is read that passes ahead write anew");
    bool recordAnew = false;
    guarded(*m_gpu, "reading results", [&] { m_readback.read(x, m_pass, bytes, recordAnew); });
    if (recordAnew && m_pass != nullptr)
        m_passes.forget(*m_pass);
}

} // namespace fireside::vulkan
