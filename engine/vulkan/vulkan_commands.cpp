#include "engine/vulkan/vulkan_commands.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {
namespace {

void expectIntegers(const char *what, const Tensor &tensor)
{
    if (tensor.dtype != DType::I32)
        throwInternal(std::string(what) + " of other values than " + name(tensor.dtype));
}

} // namespace

Recorder &VulkanCommands::recorder()
{
    m_lowering.finish();
    return m_recorder;
}

/// Matrices take eight rows at once, so that fewer take no less time.
std::int64_t VulkanCommands::alikeRows(std::int64_t rows) const
{
    constexpr std::int64_t kMatrixRows = 8, kFewest = 5, kMost = 64;
    const Capabilities &can = m_recorder.capabilities();
    if ((!can.matrixOrder && !can.alikePasses) || rows < kFewest || rows > kMost)
        return rows;
    return (rows + kMatrixRows - 1) / kMatrixRows * kMatrixRows;
}

Commands::Begin VulkanCommands::begin(const Batch &batch, const PassOptions &options)
{
    endRecording();
    m_halves = options.attentionType != DType::F32;
    return m_recorder.begin(batch, options);
}

/// What was recorded before sync() is forgotten; passes to prepare for are asked for one after
/// another, without sync().
void VulkanCommands::endRecording()
{
    if (m_recorder.preparing())
        m_lowering.finish();
    m_lowering.clear();
}

void VulkanCommands::settle()
{
    endRecording();
    m_recorder.settle();
}

bool VulkanCommands::expandsLatent(const op::ExpandedAttention &op) const
{
    return vulkan::expandsLatent(m_recorder, op);
}

void VulkanCommands::take(const Op &op)
{
    std::visit(
        [&](const auto &each) {
            check(each, {m_recorder.rows(), m_recorder.items()});
            requireSupported(m_recorder, each);
        },
        static_cast<const Op::variant &>(op));
    if (const auto *embed = std::get_if<op::Embed>(&op))
        m_recorder.checkIds(embed->ids, embed->table.rows);
    else if (const auto *gather = std::get_if<op::GatherRows>(&op))
        m_recorder.checkOutputRows(gather->rows, gather->x.rows);
    else if (const auto *advance = std::get_if<op::Advance>(&op))
        m_recorder.advances(*advance);
    m_lowering.add(op);
}

/// Fewer rows than fill matrices are read as they are.
Tensor VulkanCommands::attentionInput(std::int64_t rows, std::int64_t cols)
{
    constexpr std::int64_t kFewRows = 32;
    const bool matrices =
        m_recorder.capabilities().cooperativeMatrix() && m_recorder.hasShader("attention_matrix");
    return scratch(rows, cols, m_halves && matrices && rows > kFewRows ? DType::F16 : DType::F32);
}

void VulkanCommands::sync()
{
    m_lowering.finish();
    m_recorder.sync();
}

void VulkanCommands::handOver(const HandedWork &work)
{
    m_lowering.finish();
    m_recorder.handOver(work);
}

void VulkanCommands::upload(std::span<const float> values, const Tensor &out)
{
    m_lowering.finish();
    const OpScope scope(m_recorder, "upload", m_recorder.mark());
    op::OpCheck("upload").count(out, values.size());
    op::OpCheck("upload").activation("out", out);
    if (out.dtype == DType::F32) {
        m_recorder.upload(std::as_bytes(values), out);
        return;
    }
    std::vector<std::uint16_t> halves(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        halves[i] = floatToHalf(values[i]);
    m_recorder.upload(std::as_bytes(std::span<const std::uint16_t>(halves)), out);
}

void VulkanCommands::upload(std::span<const std::int32_t> values, const Tensor &out)
{
    m_lowering.finish();
    const OpScope scope(m_recorder, "upload", m_recorder.mark());
    op::OpCheck("upload").count(out, values.size());
    expectIntegers("upload", out);
    m_recorder.upload(std::as_bytes(values), out);
}

void VulkanCommands::read(const Tensor &x, std::span<float> values)
{
    op::OpCheck("read").count(x, values.size());
    op::OpCheck("read").activation("x", x);
    if (x.dtype == DType::F32) {
        m_recorder.read(x, std::as_writable_bytes(values));
        return;
    }
    std::vector<std::uint16_t> halves(values.size());
    m_recorder.read(x, std::as_writable_bytes(std::span<std::uint16_t>(halves)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = halfToFloat(halves[i]);
}

void VulkanCommands::read(const Tensor &x, std::span<std::int32_t> values)
{
    op::OpCheck("read").count(x, values.size());
    expectIntegers("read", x);
    m_recorder.read(x, std::as_writable_bytes(values));
}

} // namespace fireside::vulkan
