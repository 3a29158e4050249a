#pragma once
#include "engine/vulkan/pass/vulkan_recorder.h"

namespace fireside::vulkan {

/// Commands that record every op with the functions of ops.h.
class VulkanCommands final : public Commands
{
public:
    VulkanCommands(std::shared_ptr<Gpu> gpu, std::size_t scratchBytes, std::int64_t maxRows)
        : m_recorder(std::move(gpu), scratchBytes, maxRows)
    {}

    /// For tests of kernels that no device at hand would choose.
    Recorder &recorder() { return m_recorder; }

    Begin begin(const Batch &batch, const PassOptions &options) override
    {
        return m_recorder.begin(batch, options);
    }
    Tensor ids() const override { return m_recorder.tables().ids(); }
    Tensor positions() const override { return m_recorder.tables().positions(); }
    Tensor outputRows() const override { return m_recorder.tables().outputRows(); }

    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        return m_recorder.scratch(rows, cols, dtype);
    }
    std::size_t mark() const override { return m_recorder.mark(); }
    void release(std::size_t mark) override { m_recorder.release(mark); }
    void keep(int slot, const Tensor &tensor) override { m_recorder.keep(slot, tensor); }
    Tensor kept(int slot) const override { return m_recorder.kept(slot); }

    void embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
               Accumulate mode) override;
    void gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out) override;
    void copy(const Tensor &x, const Tensor &out) override;
    void reorderHeads(const Tensor &x, std::int64_t heads, HeadOrder to,
                      const Tensor &out) override;
    void splitQkv(const Tensor &qkv, QkvLayout layout, const AttentionShape &shape, const Tensor &q,
                  const Tensor &k, const Tensor &v) override;
    void upload(std::span<const float> values, const Tensor &out) override;
    void upload(std::span<const std::int32_t> values, const Tensor &out) override;
    void rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out) override;
    void addRmsNorm(const Tensor &residual, const Tensor &x, const Weight &weight, float eps,
                    const Tensor &out) override;
    void layerNorm(const Tensor &x, const Weight &weight, const Weight *bias, float eps,
                   const Tensor &out) override;
    void addLayerNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                      const Weight *bias, float eps, const Tensor &out) override;
    void l2Normalize(const Tensor &x, const Tensor &out) override;
    void add(const Tensor &a, const Tensor &b, const Tensor &out) override;
    void multiply(const Tensor &a, const Tensor &b, const Tensor &out) override;
    void addScaled(const Tensor &x, float scale, const Tensor &out) override;
    void addBias(const Tensor &x, const Weight &bias, const Tensor *residual,
                 const Tensor &out) override;
    void activate(const Tensor &x, Activation act, const Weight *bias, const Tensor &out) override;
    void gate(const Tensor &gateInput, const Tensor &up, Activation act,
              const Tensor &out) override;
    void softcap(const Tensor &x, float cap, const Tensor &out) override;
    void softmax(const Tensor &x, float scale, const Tensor *visible, const Tensor &out) override;
    void announce(const LinearInput &input, const Weight &weight) override;
    DType inputType(const Weight &weight, std::int64_t rows) const override;
    void linear(const LinearInput &x, std::span<const LinearTarget> targets,
                Accumulate mode) override;
    void gatedLinear(const LinearInput &x, const GatedWeights &weights, Activation act,
                     const Tensor &out) override;
    void headLinear(const Tensor &x, const Weight &weight, const Tensor &out) override;
    void batchedProduct(const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                        const Tensor &out) override;
    void transformHeads(const Tensor &x, const HeadTransform &transform, HeadOrder to,
                        const Tensor &out) override;
    void headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                      const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                      const AttentionShape &shape) override;
    void latentToCache(const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                       std::int64_t layer) override;
    void attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                   const Tensor &out) override;
    void headsToCacheAndAttention(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                                  const HeadTransform &kTransform, const Tensor &v,
                                  std::int64_t layer, const AttentionShape &shape,
                                  const Tensor &out) override;
    void sequenceAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                           const AttentionShape &shape, const Tensor &out) override;
    void route(const Tensor &logits, const Routing &routing, const Tensor &ids,
               const Tensor &weights) override;
    void routeAndExpertGatedLinear(const Tensor &logits, const Routing &routing, const Tensor &ids,
                                   const Tensor &weights, const LinearInput &x,
                                   const GatedWeights &experts, Activation act,
                                   const Tensor &out) override;
    void expertGatedLinear(const LinearInput &x, const Tensor &ids, const GatedWeights &weights,
                           Activation act, const Tensor &out) override;
    void expertLinear(const Tensor &x, const Tensor &ids, const Tensor &weights, const Weight &down,
                      const Weight *bias, const Tensor &out, Accumulate mode) override;
    void shortConvolution(const Tensor &x, const Weight &weight, const Weight *bias,
                          const Tensor &state, const Tensor &out) override;
    void gatedDeltaRule(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                        const Tensor &beta, std::int64_t heads, const Tensor &state,
                        const Tensor &out) override;
    void argmax(const Tensor &x, const Tensor &ids) override;
    void topK(const Tensor &x, const Tensor &values, const Tensor &ids) override;
    void pad(const Tensor &x, const Tensor &out) override;
    void unpad(const Tensor &x, const Tensor &out) override;
    void pool(const Tensor &x, Pooling pooling, const Tensor &out) override;

    void sync() override { m_recorder.sync(); }
    bool goesAhead() const override { return true; }
    void advance(const Tensor *logits, const Tensor &ids) override;
    bool runAgain() override { return m_recorder.runAgain(); }
    void finishAgain() override { m_recorder.finishAgain(); }
    ChosenIds chosen() const override { return m_recorder.chosen(); }
    void settle() override { m_recorder.settle(); }
    void read(const Tensor &x, std::span<float> values) override;
    void read(const Tensor &x, std::span<std::int32_t> values) override;
    std::vector<OpTime> takeOpTimes() override { return m_recorder.takeOpTimes(); }

private:
    VulkanRecorder m_recorder;
};

} // namespace fireside::vulkan
