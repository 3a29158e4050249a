#include "tests/support/fake_device.h"

#include "engine/backend/hand_over.h"
#include "engine/backend/op.h"

#include <string>

namespace fireside::test {
namespace {

using At = DeviceScript::At;

/// Says before each step what is to come, and leaves it to the inner commands.
class FakeCommands final : public Commands, public HandOver
{
public:
    FakeCommands(std::unique_ptr<Commands> inner, std::shared_ptr<DeviceScript> script,
                 std::shared_ptr<std::atomic<bool>> lost)
        : m_inner(std::move(inner))
        , m_script(std::move(script))
        , m_lost(std::move(lost))
    {}

    Begin begin(const Batch &batch, const PassOptions &options) override
    {
        m_computes = !options.prepareOnly;
        if (m_computes)
            m_script->meet(At::Pass, *m_lost);
        return m_inner->begin(batch, options);
    }
    Tensor ids() const override { return m_inner->ids(); }
    Tensor positions() const override { return m_inner->positions(); }
    Tensor outputRows() const override { return m_inner->outputRows(); }
    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        return m_inner->scratch(rows, cols, dtype);
    }
    std::size_t mark() const override { return m_inner->mark(); }
    void release(std::size_t mark) override { m_inner->release(mark); }
    void keep(int slot, const Tensor &tensor) override { m_inner->keep(slot, tensor); }
    Tensor kept(int slot) const override { return m_inner->kept(slot); }

    void take(const Op &op) override
    {
        meetOp();
        m_inner->take(op);
    }
    void upload(std::span<const float> values, const Tensor &out) override
    {
        meetOp();
        m_inner->upload(values, out);
    }
    void upload(std::span<const std::int32_t> values, const Tensor &out) override
    {
        meetOp();
        m_inner->upload(values, out);
    }
    void sync() override
    {
        if (m_computes)
            m_script->meet(At::Sync, *m_lost);
        m_inner->sync();
    }
    std::int64_t ahead() const override { return m_inner->ahead(); }
    void settle() override { m_inner->settle(); }
    void read(const Tensor &x, std::span<float> values) override { m_inner->read(x, values); }
    void read(const Tensor &x, std::span<std::int32_t> values) override
    {
        m_inner->read(x, values);
    }
    std::vector<OpTime> takeOpTimes() override { return m_inner->takeOpTimes(); }

    void prepareHandOver(const Needs &needs) override { inner().prepareHandOver(needs); }
    void bring(std::span<const float> values) override { inner().bring(values); }
    void takeBrought(const Tensor &x) override
    {
        meetOp();
        inner().takeBrought(x);
    }
    Tensor shared(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        return inner().shared(rows, cols, dtype);
    }
    void handOver(const HandedWork &work) override
    {
        meetOp();
        inner().handOver(work);
    }

private:
    HandOver &inner() { return handOverOf(*m_inner); }
    void meetOp()
    {
        if (m_computes)
            m_script->meet(At::Op, *m_lost);
    }

    std::unique_ptr<Commands> m_inner;
    std::shared_ptr<DeviceScript> m_script;
    std::shared_ptr<std::atomic<bool>> m_lost;
    bool m_computes = false;
};

class FakeDevice final : public Device
{
public:
    FakeDevice(std::unique_ptr<Device> inner, DeviceReport report,
               std::shared_ptr<DeviceScript> script)
        : m_inner(std::move(inner))
        , m_report(std::move(report))
        , m_script(std::move(script))
    {
        m_script->meet(At::Open, *m_lost);
    }

    const DeviceReport &report() const override { return m_report; }
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what,
                                     MemoryPurpose purpose) override
    {
        m_script->meet(At::Allocate, *m_lost);
        return m_inner->allocate(bytes, what, purpose);
    }
    std::unique_ptr<Weight> addWeight(const WeightSource &source) override
    {
        m_script->meet(At::Weight, *m_lost);
        return m_inner->addWeight(source);
    }
    void finishWeights(std::stop_token stop) override
    {
        m_script->meet(At::Finish, *m_lost);
        m_inner->finishWeights(stop);
    }
    void copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
              std::size_t bytes) override
    {
        m_script->meet(At::Copy, *m_lost);
        m_inner->copy(from, fromOffset, to, toOffset, bytes);
    }
    void copy(std::span<const BufferCopy> copies) override
    {
        m_script->meet(At::Copy, *m_lost);
        m_inner->copy(copies);
    }
    void read(std::span<const BufferRead> parts) override
    {
        m_script->meet(At::Copy, *m_lost);
        m_inner->read(parts);
    }
    void write(std::span<const BufferWrite> parts) override
    {
        m_script->meet(At::Copy, *m_lost);
        m_inner->write(parts);
    }
    void zero(std::span<Buffer *const> buffers) override
    {
        m_script->meet(At::Copy, *m_lost);
        m_inner->zero(buffers);
    }
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override
    {
        return std::make_unique<FakeCommands>(m_inner->commands(scratchBytes, maxRows), m_script,
                                              m_lost);
    }
    bool supports(DType weightType) const override { return m_inner->supports(weightType); }
    DeviceMemory memoryNow() const override { return m_inner->memoryNow(); }

private:
    std::unique_ptr<Device> m_inner;
    DeviceReport m_report;
    std::shared_ptr<DeviceScript> m_script;
    std::shared_ptr<std::atomic<bool>> m_lost = std::make_shared<std::atomic<bool>>(false);
};

} // namespace

void DeviceScript::fail(const Fault &fault)
{
    const std::lock_guard lock(m_mutex);
    m_faults.push_back(fault);
}

void DeviceScript::forget()
{
    const std::lock_guard lock(m_mutex);
    m_faults.clear();
}

void DeviceScript::meet(At at, std::atomic<bool> &lost)
{
    const int count = ++m_counts[static_cast<std::size_t>(at)];
    if (seen)
        seen(at, count);
    if (lost)
        throw Error(ErrorKind::Device, "Test card stays lost");
    const std::lock_guard lock(m_mutex);
    for (auto fault = m_faults.begin(); fault != m_faults.end(); ++fault) {
        if (fault->at != at || --fault->in > 0)
            continue;
        const ErrorKind kind = fault->kind;
        const bool hangs = fault->hangs;
        if (--fault->times == 0)
            m_faults.erase(fault);
        if (kind == ErrorKind::Memory)
            throw Error(kind, "Test card has no memory left");
        lost = true;
        if (hangs)
            throw Error::ofHang("Test card did not answer");
        throw Error(kind, "Test card stopped working");
    }
}

std::unique_ptr<Device> fakeDevice(std::unique_ptr<Device> inner, const DeviceReport &report,
                                   std::shared_ptr<DeviceScript> script)
{
    return std::make_unique<FakeDevice>(std::move(inner), report, std::move(script));
}

DeviceReport fakeCard(std::uint64_t memory)
{
    DeviceReport report;
    report.id = "vulkan:0";
    report.kind = BackendKind::Vulkan;
    report.name = "Test card";
    report.available = true;
    report.reason = "works";
    report.memoryTotal = report.memoryFree = memory;
    return report;
}

} // namespace fireside::test
