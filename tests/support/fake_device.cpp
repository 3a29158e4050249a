#include "tests/support/fake_device.h"

#include <string>

namespace fireside::test {
namespace {

using At = DeviceScript::At;

/// Says before each step what is to come, and leaves it to the inner commands.
class FakeCommands final : public Commands
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
    void announce(const LinearInput &input, const Weight &weight) override
    {
        m_inner->announce(input, weight);
    }
    DType inputType(const Weight &weight, std::int64_t rows) const override
    {
        return m_inner->inputType(weight, rows);
    }

    void embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
               Accumulate mode) override
    {
        op();
        m_inner->embed(table, ids, scale, out, mode);
    }
    void gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out) override
    {
        op();
        m_inner->gatherRows(x, rows, out);
    }
    void copy(const Tensor &x, const Tensor &out) override
    {
        op();
        m_inner->copy(x, out);
    }
    void reorderHeads(const Tensor &x, std::int64_t heads, HeadOrder to, const Tensor &out) override
    {
        op();
        m_inner->reorderHeads(x, heads, to, out);
    }
    void splitQkv(const Tensor &qkv, QkvLayout layout, const AttentionShape &shape, const Tensor &q,
                  const Tensor &k, const Tensor &v) override
    {
        op();
        m_inner->splitQkv(qkv, layout, shape, q, k, v);
    }
    void upload(std::span<const float> values, const Tensor &out) override
    {
        op();
        m_inner->upload(values, out);
    }
    void upload(std::span<const std::int32_t> values, const Tensor &out) override
    {
        op();
        m_inner->upload(values, out);
    }
    void rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out) override
    {
        op();
        m_inner->rmsNorm(x, weight, eps, out);
    }
    void addRmsNorm(const Tensor &residual, const Tensor &x, const Weight &weight, float eps,
                    const Tensor &out) override
    {
        op();
        m_inner->addRmsNorm(residual, x, weight, eps, out);
    }
    void layerNorm(const Tensor &x, const Weight &weight, const Weight *bias, float eps,
                   const Tensor &out) override
    {
        op();
        m_inner->layerNorm(x, weight, bias, eps, out);
    }
    void addLayerNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                      const Weight *bias, float eps, const Tensor &out) override
    {
        op();
        m_inner->addLayerNorm(residual, x, weight, bias, eps, out);
    }
    void l2Normalize(const Tensor &x, const Tensor &out) override
    {
        op();
        m_inner->l2Normalize(x, out);
    }
    void add(const Tensor &a, const Tensor &b, const Tensor &out) override
    {
        op();
        m_inner->add(a, b, out);
    }
    void multiply(const Tensor &a, const Tensor &b, const Tensor &out) override
    {
        op();
        m_inner->multiply(a, b, out);
    }
    void addScaled(const Tensor &x, float scale, const Tensor &out) override
    {
        op();
        m_inner->addScaled(x, scale, out);
    }
    void addBias(const Tensor &x, const Weight &bias, const Tensor *residual,
                 const Tensor &out) override
    {
        op();
        m_inner->addBias(x, bias, residual, out);
    }
    void activate(const Tensor &x, Activation act, const Weight *bias, const Tensor &out) override
    {
        op();
        m_inner->activate(x, act, bias, out);
    }
    void gate(const Tensor &gateInput, const Tensor &up, Activation act, const Tensor &out) override
    {
        op();
        m_inner->gate(gateInput, up, act, out);
    }
    void softcap(const Tensor &x, float cap, const Tensor &out) override
    {
        op();
        m_inner->softcap(x, cap, out);
    }
    void softmax(const Tensor &x, float scale, const Tensor *visible, const Tensor &out) override
    {
        op();
        m_inner->softmax(x, scale, visible, out);
    }
    void linear(const LinearInput &x, std::span<const LinearTarget> targets,
                Accumulate mode) override
    {
        op();
        m_inner->linear(x, targets, mode);
    }
    void gatedLinear(const LinearInput &x, const GatedWeights &weights, Activation act,
                     const Tensor &out) override
    {
        op();
        m_inner->gatedLinear(x, weights, act, out);
    }
    void headLinear(const Tensor &x, const Weight &weight, const Tensor &out) override
    {
        op();
        m_inner->headLinear(x, weight, out);
    }
    void batchedProduct(const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                        const Tensor &out) override
    {
        op();
        m_inner->batchedProduct(a, b, shape, out);
    }
    void transformHeads(const Tensor &x, const HeadTransform &transform, HeadOrder to,
                        const Tensor &out) override
    {
        op();
        m_inner->transformHeads(x, transform, to, out);
    }
    void headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                      const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                      const AttentionShape &shape) override
    {
        op();
        m_inner->headsToCache(q, qTransform, k, kTransform, v, layer, shape);
    }
    void latentToCache(const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                       std::int64_t layer) override
    {
        op();
        m_inner->latentToCache(latent, ropePart, rope, layer);
    }
    void attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                   const Tensor &out) override
    {
        op();
        m_inner->attention(q, layer, shape, out);
    }
    void headsToCacheAndAttention(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                                  const HeadTransform &kTransform, const Tensor &v,
                                  std::int64_t layer, const AttentionShape &shape,
                                  const Tensor &out) override
    {
        op();
        m_inner->headsToCacheAndAttention(q, qTransform, k, kTransform, v, layer, shape, out);
    }
    void sequenceAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                           const AttentionShape &shape, const Tensor &out) override
    {
        op();
        m_inner->sequenceAttention(q, k, v, shape, out);
    }
    void route(const Tensor &logits, const Routing &routing, const Tensor &ids,
               const Tensor &weights) override
    {
        op();
        m_inner->route(logits, routing, ids, weights);
    }
    void expertGatedLinear(const LinearInput &x, const Tensor &ids, const GatedWeights &weights,
                           Activation act, const Tensor &out) override
    {
        op();
        m_inner->expertGatedLinear(x, ids, weights, act, out);
    }
    void routeAndExpertGatedLinear(const Tensor &logits, const Routing &routing, const Tensor &ids,
                                   const Tensor &weights, const LinearInput &x,
                                   const GatedWeights &experts, Activation act,
                                   const Tensor &out) override
    {
        op();
        m_inner->routeAndExpertGatedLinear(logits, routing, ids, weights, x, experts, act, out);
    }
    void expertLinear(const Tensor &x, const Tensor &ids, const Tensor &weights, const Weight &down,
                      const Weight *bias, const Tensor &out, Accumulate mode) override
    {
        op();
        m_inner->expertLinear(x, ids, weights, down, bias, out, mode);
    }
    void shortConvolution(const Tensor &x, const Weight &weight, const Weight *bias,
                          const Tensor &state, const Tensor &out) override
    {
        op();
        m_inner->shortConvolution(x, weight, bias, state, out);
    }
    void gatedDeltaRule(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                        const Tensor &beta, std::int64_t heads, const Tensor &state,
                        const Tensor &out) override
    {
        op();
        m_inner->gatedDeltaRule(q, k, v, g, beta, heads, state, out);
    }
    void argmax(const Tensor &x, const Tensor &ids) override
    {
        op();
        m_inner->argmax(x, ids);
    }
    void topK(const Tensor &x, const Tensor &values, const Tensor &ids) override
    {
        op();
        m_inner->topK(x, values, ids);
    }
    void pad(const Tensor &x, const Tensor &out) override
    {
        op();
        m_inner->pad(x, out);
    }
    void unpad(const Tensor &x, const Tensor &out) override
    {
        op();
        m_inner->unpad(x, out);
    }
    void pool(const Tensor &x, Pooling pooling, const Tensor &out) override
    {
        op();
        m_inner->pool(x, pooling, out);
    }
    void advance(const Tensor *logits, const Tensor &ids) override
    {
        op();
        m_inner->advance(logits, ids);
    }

    void sync() override
    {
        if (m_computes)
            m_script->meet(At::Sync, *m_lost);
        m_inner->sync();
    }
    bool goesAhead() const override { return m_inner->goesAhead(); }
    bool runAgain() override
    {
        const bool runs = m_inner->runAgain();
        if (runs)
            m_script->meet(At::Pass, *m_lost);
        return runs;
    }
    void finishAgain() override
    {
        m_script->meet(At::Sync, *m_lost);
        m_inner->finishAgain();
    }
    ChosenIds chosen() const override { return m_inner->chosen(); }
    void settle() override { m_inner->settle(); }
    void read(const Tensor &x, std::span<float> values) override { m_inner->read(x, values); }
    void read(const Tensor &x, std::span<std::int32_t> values) override
    {
        m_inner->read(x, values);
    }
    std::vector<OpTime> takeOpTimes() override { return m_inner->takeOpTimes(); }

private:
    void op()
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
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what) override
    {
        m_script->meet(At::Allocate, *m_lost);
        return m_inner->allocate(bytes, what);
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
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override
    {
        return std::make_unique<FakeCommands>(m_inner->commands(scratchBytes, maxRows), m_script,
                                              m_lost);
    }
    bool supports(DType weightType) const override { return m_inner->supports(weightType); }
    std::uint64_t ownMemoryInUse() const override { return m_inner->ownMemoryInUse(); }

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
            throw HangError("Test card did not answer");
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
