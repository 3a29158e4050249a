#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/op_work.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace fireside {

/// What weights take.
struct MeasuredWeights
{
    std::uint64_t onCpu = 0;             // bytes as they lie in a file, vectors as F32 besides
    std::uint64_t made = 0;              // of these those that are made of something else
    std::vector<std::uint64_t> inPlanes; // bytes of each on a graphics processor
};

/// What passes take, in bytes: the most of any.
struct MeasuredNeeds
{
    /// Of the arena, alignment included: the caller's own tensors, and with what graphics
    /// processors take inside an op. On the CPU ops have memory besides the arena,
    std::uint64_t own = 0, scratch = 0;
    std::uint64_t byteForms = 0, floatForms = 0; // for activations in the forms products take
    std::uint64_t shared = 0; // of one hand-over, there and back: HandOver::shared()
    OpWork work;              // of all ops, not the most of any
    int ops = 0;
};

/// A device that holds and computes nothing: what is loaded to it and what a pass takes of it shows
/// what that needs anywhere.
class MeasuringDevice final : public Device
{
public:
    /// expandsLatent: with the weights for op::ExpandedAttention, as on devices with matrix units.
    explicit MeasuringDevice(bool expandsLatent = true)
        : m_expandsLatent(expandsLatent)
    {}
    /// Of the passes recorded so far.
    const MeasuredNeeds &needs() const { return m_needs; }
    /// The passes so far are forgotten.
    void restart() { m_needs = {}; }
    /// Of the weights added since the last call.
    MeasuredWeights takeWeights() { return std::exchange(m_weights, {}); }

    const DeviceReport &report() const override { return m_report; }
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what,
                                     MemoryPurpose purpose) override;
    std::unique_ptr<Weight> addWeight(const WeightSource &source) override;
    void finishWeights(std::stop_token) override {}
    void copy(const Buffer &, std::size_t, Buffer &, std::size_t, std::size_t) override {}
    void read(std::span<const BufferRead>) override {}
    void write(std::span<const BufferWrite>) override {}
    void zero(std::span<Buffer *const>) override {}
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override;
    bool supports(DType) const override { return true; }
    bool mayExpandLatent() const override { return m_expandsLatent; }

private:
    bool m_expandsLatent;
    DeviceReport m_report;
    MeasuredNeeds m_needs;
    MeasuredWeights m_weights;
};

} // namespace fireside
