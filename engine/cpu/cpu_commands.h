#pragma once
#include "engine/backend/commands.h"
#include "engine/backend/hand_over.h"
#include "engine/backend/op.h"
#include "engine/cpu/ops/cpu_pass.h"

#include <array>
#include <chrono>

namespace fireside::cpu {

/// Commands that run each op when it is recorded. Once the pass's stop token is set, ops return at
/// once and sync() throws, so the longest piece that cannot be stopped is one op.
class CpuCommands final : public Commands, public HandOver
{
public:
    CpuCommands(ThreadPool &pool, std::size_t scratchBytes, std::int64_t maxRows,
                std::shared_ptr<MemoryLedger> ledger = {});

    Begin begin(const Batch &batch, const PassOptions &options) override;
    Tensor ids() const override { return m_pass.ids; }
    Tensor positions() const override { return m_pass.positionIds; }
    Tensor outputRows() const override { return m_pass.outputRows; }

    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override;
    std::size_t mark() const override { return m_cursor; }
    void release(std::size_t mark) override;
    void keep(int slot, const Tensor &tensor) override;
    Tensor kept(int slot) const override;

    void take(const Op &op) override;
    void upload(std::span<const float> values, const Tensor &out) override;
    void upload(std::span<const std::int32_t> values, const Tensor &out) override;
    void sync() override;
    void read(const Tensor &x, std::span<float> values) override;
    void read(const Tensor &x, std::span<std::int32_t> values) override;
    std::vector<OpTime> takeOpTimes() override;

    void prepareHandOver(const Needs &needs) override { m_helper = needs.helper; }
    void bring(std::span<const float> values) override;
    void takeBrought(const Tensor &x) override;
    Tensor shared(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        return scratch(rows, cols, dtype);
    }
    void handOver(const HandedWork &work) override;

private:
    struct OpCounter
    {
        std::int64_t calls = 0;
        std::chrono::steady_clock::duration time{};
        OpWork work;
    };

    std::int64_t m_maxRows;
    CpuPass m_pass;
    CpuBuffer m_arena;
    MemoryEntry m_work; // what ops took for themselves
    std::size_t m_cursor = 0;
    bool m_preparing = false;
    std::vector<float> m_brought;
    Commands *m_helper = nullptr;
    std::array<Tensor, 8> m_kept{};
    std::array<OpCounter, kOpNames.size()> m_counters{};
};

} // namespace fireside::cpu
