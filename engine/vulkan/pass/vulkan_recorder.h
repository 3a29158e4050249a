#pragma once
#include "engine/backend/hand_over.h"
#include "engine/vulkan/pass/advance_tables.h"
#include "engine/vulkan/pass/constant_tables.h"
#include "engine/vulkan/pass/hazards.h"
#include "engine/vulkan/pass/lookahead.h"
#include "engine/vulkan/pass/pass.h"
#include "engine/vulkan/pass/pass_runner.h"
#include "engine/vulkan/pass/q8_activations.h"
#include "engine/vulkan/pass/readback.h"

#include <deque>

namespace fireside::vulkan {

/// Records one pass after another and runs them.
class VulkanRecorder final : public Recorder
{
public:
    VulkanRecorder(std::shared_ptr<Gpu> gpu, std::size_t scratchBytes, std::int64_t maxRows);
    ~VulkanRecorder() override;

    // --- for the ops ---
    const Capabilities &capabilities() const override { return m_gpu->capabilities; }
    void append(std::string_view shader, std::span<const std::uint32_t> constants, const void *push,
                std::size_t pushBytes, const Workgroups &groups, std::span<const Access> reads,
                std::span<const Access> writes, const Work &work) override;
    bool hasShader(std::string_view shader) const override;
    std::int64_t rowsPerDispatch(const Work &wholeOp, std::int64_t rows,
                                 std::int64_t multiple) const override;
    VkDeviceAddress address(const Tensor &tensor) const override;
    VkDeviceAddress table(std::span<const std::byte> contents) override
    {
        return m_constantTables.address(contents);
    }
    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override;
    std::size_t mark() const override { return m_cursor; }
    void release(std::size_t mark) override;
    std::size_t beginOp(const char *op, std::size_t scratchFrom) override;
    void endOp(std::size_t scratchFrom) override;
    Q8Activations &q8Activations() override { return m_q8Activations; }
    std::int64_t rows() const override { return m_tables.rows(); }
    std::span<const BatchItem> items() const override { return m_tables.items(); }
    std::int64_t maxKeys() const override { return m_maxKeys; }
    VkDeviceAddress idTable() const override { return m_tables.idsAddress(); }
    VkDeviceAddress advanceState() const override { return m_advance.state(); }
    VkDeviceAddress advanceResults() const override { return m_advance.results(); }
    VkDeviceAddress positions() const override { return m_tables.positionsAddress(); }
    VkDeviceAddress rowItems() const override { return m_tables.rowItemsAddress(); }
    VkDeviceAddress itemTable() const override { return m_tables.itemsAddress(); }
    VkDeviceAddress caches(std::int64_t layer) const override;
    const KvLayer &cache(std::int64_t layer) const override;
    Access cacheAccess(std::int64_t layer) const override;
    VkDeviceAddress states(const char *op, const op::StatePart &part) const override;
    Access stateAccess(const op::StatePart &part) const override;

    // --- for VulkanCommands ---
    Commands::Begin begin(const Batch &batch, const PassOptions &options);
    const PassTables &tables() const { return m_tables; }
    const ConstantTables &constantTables() const { return m_constantTables; }
    /// Ids of the batch must be inside a table of so many rows, now and in each replay.
    void checkIds(const Tensor &ids, std::int64_t tableRows);
    void checkOutputRows(const Tensor &rows, std::int64_t count);
    void keep(int slot, const Tensor &tensor);
    Tensor kept(int slot) const;
    /// `bytes` are the tensor's elements, row after row.
    void upload(std::span<const std::byte> bytes, const Tensor &out);
    void sync();
    void read(const Tensor &x, std::span<std::byte> bytes);
    bool preparing() const { return m_preparing; }
    std::vector<OpTime> takeOpTimes() { return m_times.take(); }

    // --- work of others in the middle of a pass: recorder_hand_over.cpp ---
    void prepareHandOver(const HandOver::Needs &needs);
    void bring(std::span<const float> values);
    /// The values that were brought, as they lie for the device.
    Tensor brought(std::int64_t rows, std::int64_t cols) const;
    Tensor shared(std::int64_t rows, std::int64_t cols, DType dtype);
    void handOver(const HandedWork &work);

    // --- passes ahead of the host: recorder_ahead.cpp ---
    /// The pass ends with this.
    void advances(const op::Advance &op);
    void settle();
    std::int64_t ahead() const { return static_cast<std::int64_t>(m_ahead.size()); }

private:
    class CacheIdentity;       // a buffer that stands for the caches in hazards
    VkCommandBuffer segment(); // the one being recorded, begun if need be
    void endSegment();
    void checkHostValues() const;
    void finishPass();
    // Passes ahead.
    Pass *passAgain(std::int64_t pass);
    bool goesOn() const;
    bool runAgain();
    void goOnLate();
    void takeAhead();
    ChosenIds chosen() const;
    void goOn();
    bool readChosen(const Tensor &x, std::span<std::byte> bytes) const;
    void growShared(std::size_t brought);
    Tensor inShared(std::size_t offset, std::int64_t rows, std::int64_t cols, DType dtype) const;

    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<VulkanBuffer> m_arena;
    std::size_t m_cursor = 0;
    Q8Activations m_q8Activations;
    PassTables m_tables;
    AdvanceTables m_advance;
    std::unique_ptr<Buffer> m_cacheIdentity, m_stateIdentity;
    ConstantTables m_constantTables;
    std::vector<std::unique_ptr<Allocation>> m_uploads; // until the pass is done
    Readback m_readback;
    HandOver::Needs m_handOver;
    std::unique_ptr<VulkanBuffer> m_shared;        // that host and device both reach
    std::size_t m_brought = 0, m_sharedCursor = 0; // bytes of it, of this pass

    PassStore m_passes;
    Pass *m_pass = nullptr; // the current one
    std::stop_token m_stop;
    bool m_replaying = false, m_preparing = false, m_synced = true;
    bool m_advances = false; // the pass ends with op::Advance
    Hazards m_hazards;
    bool m_copied = false; // a copy was recorded since the last barrier
    std::int64_t m_maxKeys = 0;
    const char *m_op = nullptr;
    std::int64_t m_passDispatches = 0; // of the pass
    std::int64_t m_dispatches = 0;     // of the op, since its last mark
    OpTimes m_times;
    Lookahead m_lookahead;
    bool m_takesAhead = false; // begin() met the oldest pass that runs ahead
    std::int64_t m_maxAhead = 0;
    const std::function<bool()> *m_goesOn = nullptr; // of PassOptions, until sync() ends
    std::deque<Pass *> m_ahead;                      // that run again, the oldest first
    std::int64_t m_finished =
        0;               // of them since the tables were written, the first pass not counted
    PassRunner m_runner; // last: it waits for what runs
};

} // namespace fireside::vulkan
