#pragma once
#include "engine/backend/backend.h"

#include <cstdint>

namespace fireside {

/// A device that holds and computes nothing: what a pass takes of it shows how much scratch memory
/// it needs anywhere, the caller's own and what devices take inside an op.
class MeasuringDevice final : public Device
{
public:
    /// Bytes of the arena for the passes recorded so far, alignment included.
    std::uint64_t scratch() const { return m_scratch; }

    const DeviceReport &report() const override { return m_report; }
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what) override;
    std::unique_ptr<Weight> addWeight(const WeightSource &source) override;
    void finishWeights(std::stop_token) override {}
    void copy(const Buffer &, std::size_t, Buffer &, std::size_t, std::size_t) override {}
    void read(std::span<const BufferRead>) override {}
    void write(std::span<const BufferWrite>) override {}
    void zero(std::span<Buffer *const>) override {}
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override;
    bool supports(DType) const override { return true; }
    bool mayExpandLatent() const override { return true; }

private:
    DeviceReport m_report;
    std::uint64_t m_scratch = 0;
};

} // namespace fireside
