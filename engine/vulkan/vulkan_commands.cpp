#include "engine/vulkan/vulkan_commands.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {
namespace {

/// What is recorded while one exists counts as this op.
class OpScope
{
public:
    OpScope(VulkanRecorder &recorder, const char *op)
        : m_recorder(recorder)
    {
        m_recorder.beginOp(op);
    }
    ~OpScope() { m_recorder.endOp(); }
    OpScope(const OpScope &) = delete;
    OpScope &operator=(const OpScope &) = delete;

private:
    VulkanRecorder &m_recorder;
};

void expectCount(const char *op, const Tensor &tensor, std::size_t count)
{
    if (tensor.rows < 0 || tensor.cols < 0 ||
        static_cast<std::size_t>(tensor.rows) * static_cast<std::size_t>(tensor.cols) != count)
        throw Error(ErrorKind::Internal, std::string(op) + ": " + std::to_string(count) +
                                             " values for [" + std::to_string(tensor.rows) + ", " +
                                             std::to_string(tensor.cols) + "]");
}

void expectType(const char *op, bool right, const Tensor &tensor)
{
    if (!right)
        throw Error(ErrorKind::Internal,
                    std::string(op) + " of other values than " + name(tensor.dtype));
}

} // namespace

void VulkanCommands::embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
                           Accumulate mode)
{
    const OpScope scope(m_recorder, "embed");
    m_recorder.checkIds(ids, table.rows);
    vulkan::embed(m_recorder, table, ids, scale, out, mode);
}

void VulkanCommands::gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out)
{
    const OpScope scope(m_recorder, "gatherRows");
    m_recorder.checkOutputRows(rows, x.rows);
    vulkan::gatherRows(m_recorder, x, rows, out);
}

void VulkanCommands::copy(const Tensor &x, const Tensor &out)
{
    const OpScope scope(m_recorder, "copy");
    vulkan::copy(m_recorder, x, out);
}

void VulkanCommands::reorderHeads(const Tensor &x, std::int64_t heads, HeadOrder to,
                                  const Tensor &out)
{
    const OpScope scope(m_recorder, "reorderHeads");
    vulkan::reorderHeads(m_recorder, x, heads, to, out);
}

void VulkanCommands::splitQkv(const Tensor &qkv, QkvLayout layout, const AttentionShape &shape,
                              const Tensor &q, const Tensor &k, const Tensor &v)
{
    const OpScope scope(m_recorder, "splitQkv");
    vulkan::splitQkv(m_recorder, qkv, layout, shape, q, k, v);
}

void VulkanCommands::rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out)
{
    const OpScope scope(m_recorder, "rmsNorm");
    vulkan::rmsNorm(m_recorder, x, weight, eps, out);
}

void VulkanCommands::addRmsNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                                float eps, const Tensor &out)
{
    const OpScope scope(m_recorder, "addRmsNorm");
    vulkan::addRmsNorm(m_recorder, residual, x, weight, eps, out);
}

void VulkanCommands::layerNorm(const Tensor &x, const Weight &weight, const Weight *bias, float eps,
                               const Tensor &out)
{
    const OpScope scope(m_recorder, "layerNorm");
    vulkan::layerNorm(m_recorder, x, weight, bias, eps, out);
}

void VulkanCommands::addLayerNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                                  const Weight *bias, float eps, const Tensor &out)
{
    const OpScope scope(m_recorder, "addLayerNorm");
    vulkan::addLayerNorm(m_recorder, residual, x, weight, bias, eps, out);
}

void VulkanCommands::l2Normalize(const Tensor &x, const Tensor &out)
{
    const OpScope scope(m_recorder, "l2Normalize");
    vulkan::l2Normalize(m_recorder, x, out);
}

void VulkanCommands::add(const Tensor &a, const Tensor &b, const Tensor &out)
{
    const OpScope scope(m_recorder, "add");
    vulkan::add(m_recorder, a, b, out);
}

void VulkanCommands::multiply(const Tensor &a, const Tensor &b, const Tensor &out)
{
    const OpScope scope(m_recorder, "multiply");
    vulkan::multiply(m_recorder, a, b, out);
}

void VulkanCommands::addScaled(const Tensor &x, float scale, const Tensor &out)
{
    const OpScope scope(m_recorder, "addScaled");
    vulkan::addScaled(m_recorder, x, scale, out);
}

void VulkanCommands::addBias(const Tensor &x, const Weight &bias, const Tensor *residual,
                             const Tensor &out)
{
    const OpScope scope(m_recorder, "addBias");
    vulkan::addBias(m_recorder, x, bias, residual, out);
}

void VulkanCommands::activate(const Tensor &x, Activation act, const Weight *bias,
                              const Tensor &out)
{
    const OpScope scope(m_recorder, "activate");
    vulkan::activate(m_recorder, x, act, bias, out);
}

void VulkanCommands::gate(const Tensor &gateInput, const Tensor &up, Activation act,
                          const Tensor &out)
{
    const OpScope scope(m_recorder, "gate");
    vulkan::gate(m_recorder, gateInput, up, act, out);
}

void VulkanCommands::softcap(const Tensor &x, float cap, const Tensor &out)
{
    const OpScope scope(m_recorder, "softcap");
    vulkan::softcap(m_recorder, x, cap, out);
}

void VulkanCommands::softmax(const Tensor &x, float scale, const Tensor *visible, const Tensor &out)
{
    const OpScope scope(m_recorder, "softmax");
    vulkan::softmax(m_recorder, x, scale, visible, out);
}

void VulkanCommands::announce(const LinearInput &input, const Weight &weight)
{
    vulkan::announceLinear(m_recorder, input, weight);
}

DType VulkanCommands::inputType(const Weight &weight, std::int64_t rows) const
{
    return vulkan::inputType(m_recorder, weight, rows);
}

void VulkanCommands::linear(const LinearInput &x, std::span<const LinearTarget> targets,
                            Accumulate mode)
{
    const OpScope scope(m_recorder, "linear");
    vulkan::linear(m_recorder, x, targets, mode);
}

void VulkanCommands::gatedLinear(const LinearInput &x, const GatedWeights &weights, Activation act,
                                 const Tensor &out)
{
    const OpScope scope(m_recorder, "gatedLinear");
    vulkan::gatedLinear(m_recorder, x, weights, act, out);
}

void VulkanCommands::headLinear(const Tensor &x, const Weight &weight, const Tensor &out)
{
    const OpScope scope(m_recorder, "headLinear");
    vulkan::headLinear(m_recorder, x, weight, out);
}

void VulkanCommands::batchedProduct(const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                                    const Tensor &out)
{
    const OpScope scope(m_recorder, "batchedProduct");
    vulkan::batchedProduct(m_recorder, a, b, shape, out);
}

void VulkanCommands::transformHeads(const Tensor &x, const HeadTransform &transform, HeadOrder to,
                                    const Tensor &out)
{
    const OpScope scope(m_recorder, "transformHeads");
    vulkan::transformHeads(m_recorder, x, transform, to, out);
}

void VulkanCommands::headsToCache(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                                  const HeadTransform &kTransform, const Tensor &v,
                                  std::int64_t layer, const AttentionShape &shape)
{
    const OpScope scope(m_recorder, "headsToCache");
    vulkan::headsToCache(m_recorder, q, qTransform, k, kTransform, v, layer, shape);
}

void VulkanCommands::latentToCache(const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                                   std::int64_t layer)
{
    const OpScope scope(m_recorder, "latentToCache");
    vulkan::latentToCache(m_recorder, latent, ropePart, rope, layer);
}

void VulkanCommands::attention(const Tensor &q, std::int64_t layer, const AttentionShape &shape,
                               const Tensor &out)
{
    const OpScope scope(m_recorder, "attention");
    vulkan::attention(m_recorder, q, layer, shape, out);
}

void VulkanCommands::headsToCacheAndAttention(const Tensor &q, const HeadTransform &qTransform,
                                              const Tensor &k, const HeadTransform &kTransform,
                                              const Tensor &v, std::int64_t layer,
                                              const AttentionShape &shape, const Tensor &out)
{
    if (vulkan::headsGoWithAttention(m_recorder, layer, shape)) {
        const OpScope scope(m_recorder, "attention");
        vulkan::headsToCacheAndAttention(m_recorder, q, qTransform, k, kTransform, v, layer, shape,
                                         out);
    } else {
        headsToCache(q, qTransform, k, kTransform, v, layer, shape);
        attention(q, layer, shape, out);
    }
}

void VulkanCommands::sequenceAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                                       const AttentionShape &shape, const Tensor &out)
{
    const OpScope scope(m_recorder, "sequenceAttention");
    vulkan::sequenceAttention(m_recorder, q, k, v, shape, out);
}

void VulkanCommands::route(const Tensor &logits, const Routing &routing, const Tensor &ids,
                           const Tensor &weights)
{
    const OpScope scope(m_recorder, "route");
    vulkan::route(m_recorder, logits, routing, ids, weights);
}

void VulkanCommands::routeAndExpertGatedLinear(const Tensor &logits, const Routing &routing,
                                               const Tensor &ids, const Tensor &weights,
                                               const LinearInput &x, const GatedWeights &experts,
                                               Activation act, const Tensor &out)
{
    if (!vulkan::mayRouteInside(m_recorder, logits, routing, experts)) {
        Commands::routeAndExpertGatedLinear(logits, routing, ids, weights, x, experts, act, out);
        return;
    }
    const OpScope scope(m_recorder, "expertGatedLinear");
    vulkan::routeAndExpertGatedLinear(m_recorder, logits, routing, ids, weights, x, experts, act,
                                      out);
}

void VulkanCommands::expertGatedLinear(const LinearInput &x, const Tensor &ids,
                                       const GatedWeights &weights, Activation act,
                                       const Tensor &out)
{
    const OpScope scope(m_recorder, "expertGatedLinear");
    vulkan::expertGatedLinear(m_recorder, x, ids, weights, act, out);
}

void VulkanCommands::expertLinear(const Tensor &x, const Tensor &ids, const Tensor &weights,
                                  const Weight &down, const Weight *bias, const Tensor &out,
                                  Accumulate mode)
{
    const OpScope scope(m_recorder, "expertLinear");
    vulkan::expertLinear(m_recorder, x, ids, weights, down, bias, out, mode);
}

void VulkanCommands::shortConvolution(const Tensor &x, const Weight &weight, const Weight *bias,
                                      const Tensor &state, const Tensor &out)
{
    const OpScope scope(m_recorder, "shortConvolution");
    vulkan::shortConvolution(m_recorder, x, weight, bias, state, out);
}

void VulkanCommands::gatedDeltaRule(const Tensor &q, const Tensor &k, const Tensor &v,
                                    const Tensor &g, const Tensor &beta, std::int64_t heads,
                                    const Tensor &state, const Tensor &out)
{
    const OpScope scope(m_recorder, "gatedDeltaRule");
    vulkan::gatedDeltaRule(m_recorder, q, k, v, g, beta, heads, state, out);
}

void VulkanCommands::argmax(const Tensor &x, const Tensor &ids)
{
    const OpScope scope(m_recorder, "argmax");
    vulkan::argmax(m_recorder, x, ids);
}

void VulkanCommands::topK(const Tensor &x, const Tensor &values, const Tensor &ids)
{
    const OpScope scope(m_recorder, "topK");
    vulkan::topK(m_recorder, x, values, ids);
}

void VulkanCommands::pad(const Tensor &x, const Tensor &out)
{
    const OpScope scope(m_recorder, "pad");
    vulkan::pad(m_recorder, x, out);
}

void VulkanCommands::unpad(const Tensor &x, const Tensor &out)
{
    const OpScope scope(m_recorder, "unpad");
    vulkan::unpad(m_recorder, x, out);
}

void VulkanCommands::pool(const Tensor &x, Pooling pooling, const Tensor &out)
{
    const OpScope scope(m_recorder, "pool");
    vulkan::pool(m_recorder, x, pooling, out);
}

void VulkanCommands::advance(const Tensor *logits, const Tensor &ids)
{
    const OpScope scope(m_recorder, "advance");
    vulkan::advance(m_recorder, logits, ids);
    m_recorder.advances(ids.cols);
}

void VulkanCommands::upload(std::span<const float> values, const Tensor &out)
{
    const OpScope scope(m_recorder, "upload");
    expectCount("upload", out, values.size());
    expectActivation("upload", "out", out);
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
    const OpScope scope(m_recorder, "upload");
    expectCount("upload", out, values.size());
    expectType("upload", out.dtype == DType::I32, out);
    m_recorder.upload(std::as_bytes(values), out);
}

void VulkanCommands::read(const Tensor &x, std::span<float> values)
{
    expectCount("read", x, values.size());
    expectActivation("read", "x", x);
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
    expectCount("read", x, values.size());
    expectType("read", x.dtype == DType::I32, x);
    m_recorder.read(x, std::as_writable_bytes(values));
}

} // namespace fireside::vulkan
