#pragma once
#include "engine/backend/backend.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/linear/weight_pages.h"

#include <memory>

namespace fireside::cpu {

/// The processor as a device. Weights stay where the file is mapped; ops run at once on the pool.
class CpuDevice final : public Device
{
public:
    explicit CpuDevice(int threads);

    const DeviceReport &report() const override { return m_report; }
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what,
                                     MemoryPurpose purpose) override;
    std::unique_ptr<Weight> addWeight(const WeightSource &source) override;
    /// They are where the file is mapped, and come into huge pages in the background.
    void finishWeights(std::stop_token) override { m_weightPages->start(); }
    void copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
              std::size_t bytes) override;
    void read(std::span<const BufferRead> parts) override;
    void write(std::span<const BufferWrite> parts) override;
    void zero(std::span<Buffer *const> buffers) override;
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override;
    bool supports(DType weightType) const override;
    DeviceMemory memoryNow() const override;

private:
    DeviceReport m_report;
    std::shared_ptr<MemoryLedger> m_ledger = std::make_shared<MemoryLedger>();
    ThreadPool m_pool;
    std::shared_ptr<WeightPages> m_weightPages = std::make_shared<WeightPages>();
};

} // namespace fireside::cpu
