#pragma once
#include "engine/vulkan/lowering.h"
#include "engine/vulkan/pass/vulkan_recorder.h"

namespace fireside::vulkan {

/// Commands that become dispatches of a pass, which is kept and replayed.
class VulkanCommands final : public Commands, public HandOver
{
public:
    VulkanCommands(std::shared_ptr<Gpu> gpu, std::size_t scratchBytes, std::int64_t maxRows)
        : m_recorder(std::move(gpu), scratchBytes, maxRows)
        , m_lowering(m_recorder)
    {}

    /// For tests of kernels that no device at hand would choose.
    Recorder &recorder();

    std::int64_t alikeRows(std::int64_t rows) const override;
    Begin begin(const Batch &batch, const PassOptions &options) override;
    Tensor ids() const override { return m_recorder.tables().ids(); }
    Tensor positions() const override { return m_recorder.tables().positions(); }
    Tensor outputRows() const override { return m_recorder.tables().outputRows(); }

    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        return m_recorder.scratch(rows, cols, dtype);
    }
    Tensor attentionInput(std::int64_t rows, std::int64_t cols) override;
    std::size_t mark() const override { return m_recorder.mark(); }
    void release(std::size_t mark) override { m_recorder.release(mark); }
    void keep(int slot, const Tensor &tensor) override { m_recorder.keep(slot, tensor); }
    Tensor kept(int slot) const override { return m_recorder.kept(slot); }

    bool expandsLatent(const op::ExpandedAttention &op) const override;
    void take(const Op &op) override;
    void upload(std::span<const float> values, const Tensor &out) override;
    void upload(std::span<const std::int32_t> values, const Tensor &out) override;
    void sync() override;
    void settle() override;
    std::int64_t ahead() const override { return m_recorder.ahead(); }

    void read(const Tensor &x, std::span<float> values) override;
    void read(const Tensor &x, std::span<std::int32_t> values) override;
    std::vector<OpTime> takeOpTimes() override { return m_recorder.takeOpTimes(); }

    void prepareHandOver(const Needs &needs) override { m_recorder.prepareHandOver(needs); }
    void bring(std::span<const float> values) override { m_recorder.bring(values); }
    void takeBrought(const Tensor &x) override
    {
        record(op::Copy{m_recorder.brought(x.rows, x.cols), x});
    }
    Tensor shared(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        return m_recorder.shared(rows, cols, dtype);
    }
    void handOver(const HandedWork &work) override;

private:
    void endRecording();

    bool m_halves = true; // attention of this pass may round what it reads
    VulkanRecorder m_recorder;
    Lowering m_lowering;
};

} // namespace fireside::vulkan
