#pragma once
#include "engine/backend/ops.h"

#include <span>

// The ops on Vulkan, one file each, named as in engine/backend/commands.h, which says what each one
// does. They check shapes and append dispatches.
namespace fireside::vulkan {

class Recorder;
void embed(Recorder &r, const Weight &table, const Tensor &ids, float scale, const Tensor &out,
           Accumulate mode);
void gatherRows(Recorder &r, const Tensor &x, const Tensor &rows, const Tensor &out);
void copy(Recorder &r, const Tensor &x, const Tensor &out);
void reorderHeads(Recorder &r, const Tensor &x, std::int64_t heads, HeadOrder to,
                  const Tensor &out);
void splitQkv(Recorder &r, const Tensor &qkv, QkvLayout layout, const AttentionShape &shape,
              const Tensor &q, const Tensor &k, const Tensor &v);
void rmsNorm(Recorder &r, const Tensor &x, const Weight &weight, float eps, const Tensor &out);
void addRmsNorm(Recorder &r, const Tensor &residual, const Tensor &x, const Weight &weight,
                float eps, const Tensor &out);
void layerNorm(Recorder &r, const Tensor &x, const Weight &weight, const Weight *bias, float eps,
               const Tensor &out);
void addLayerNorm(Recorder &r, const Tensor &residual, const Tensor &x, const Weight &weight,
                  const Weight *bias, float eps, const Tensor &out);
void l2Normalize(Recorder &r, const Tensor &x, const Tensor &out);
void add(Recorder &r, const Tensor &a, const Tensor &b, const Tensor &out);
void multiply(Recorder &r, const Tensor &a, const Tensor &b, const Tensor &out);
void addScaled(Recorder &r, const Tensor &x, float scale, const Tensor &out);
void addBias(Recorder &r, const Tensor &x, const Weight &bias, const Tensor *residual,
             const Tensor &out);
void activate(Recorder &r, const Tensor &x, Activation act, const Weight *bias, const Tensor &out);
void gate(Recorder &r, const Tensor &gateInput, const Tensor &up, Activation act,
          const Tensor &out);
void softcap(Recorder &r, const Tensor &x, float cap, const Tensor &out);
void softmax(Recorder &r, const Tensor &x, float scale, const Tensor *visible, const Tensor &out);
void announceLinear(Recorder &r, const LinearInput &input, const Weight &weight);
DType inputType(const Recorder &r, const Weight &weight, std::int64_t rows);
void linear(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
            Accumulate mode);
void gatedLinear(Recorder &r, const LinearInput &x, const GatedWeights &weights, Activation act,
                 const Tensor &out);
void headLinear(Recorder &r, const Tensor &x, const Weight &weight, const Tensor &out);
void batchedProduct(Recorder &r, const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                    const Tensor &out);
void transformHeads(Recorder &r, const Tensor &x, const HeadTransform &transform, HeadOrder to,
                    const Tensor &out);
void headsToCache(Recorder &r, const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                  const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                  const AttentionShape &shape);
void latentToCache(Recorder &r, const Tensor &latent, const Tensor &ropePart, const Rope &rope,
                   std::int64_t layer);
void attention(Recorder &r, const Tensor &q, std::int64_t layer, const AttentionShape &shape,
               const Tensor &out);
/// Whether the pass and the cache allow the two at once.
bool headsGoWithAttention(const Recorder &r, std::int64_t layer, const AttentionShape &shape);
void headsToCacheAndAttention(Recorder &r, const Tensor &q, const HeadTransform &qTransform,
                              const Tensor &k, const HeadTransform &kTransform, const Tensor &v,
                              std::int64_t layer, const AttentionShape &shape, const Tensor &out);
void sequenceAttention(Recorder &r, const Tensor &q, const Tensor &k, const Tensor &v,
                       const AttentionShape &shape, const Tensor &out);
void route(Recorder &r, const Tensor &logits, const Routing &routing, const Tensor &ids,
           const Tensor &weights);
/// The checks of route().
void expectRoute(const Tensor &logits, const Routing &routing, const Tensor &ids,
                 const Tensor &weights);
/// Whether the dispatch of expertGatedLinear may choose the experts as well.
bool mayRouteInside(const Recorder &r, const Tensor &logits, const Routing &routing,
                    const GatedWeights &experts);
void routeAndExpertGatedLinear(Recorder &r, const Tensor &logits, const Routing &routing,
                               const Tensor &ids, const Tensor &weights, const LinearInput &x,
                               const GatedWeights &experts, Activation act, const Tensor &out);
void expertGatedLinear(Recorder &r, const LinearInput &x, const Tensor &ids,
                       const GatedWeights &weights, Activation act, const Tensor &out);
void expertLinear(Recorder &r, const Tensor &x, const Tensor &ids, const Tensor &weights,
                  const Weight &down, const Weight *bias, const Tensor &out, Accumulate mode);
void shortConvolution(Recorder &r, const Tensor &x, const Weight &weight, const Weight *bias,
                      const Tensor &state, const Tensor &out);
void gatedDeltaRule(Recorder &r, const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                    const Tensor &beta, std::int64_t heads, const Tensor &state, const Tensor &out);
void advance(Recorder &r, const Tensor *logits, const Tensor &ids);
void argmax(Recorder &r, const Tensor &x, const Tensor &ids);
void topK(Recorder &r, const Tensor &x, const Tensor &values, const Tensor &ids);
void pad(Recorder &r, const Tensor &x, const Tensor &out);
void unpad(Recorder &r, const Tensor &x, const Tensor &out);
void pool(Recorder &r, const Tensor &x, Pooling pooling, const Tensor &out);

} // namespace fireside::vulkan
