#pragma once
#include "engine/backend/ops/advance.h"
#include "engine/backend/ops/append_kv.h"
#include "engine/backend/ops/append_latent.h"
#include "engine/backend/ops/argmax.h"
#include "engine/backend/ops/attention.h"
#include "engine/backend/ops/batched_product.h"
#include "engine/backend/ops/elementwise.h"
#include "engine/backend/ops/embed.h"
#include "engine/backend/ops/expert_gated_linear.h"
#include "engine/backend/ops/expert_linear.h"
#include "engine/backend/ops/gated_delta_rule.h"
#include "engine/backend/ops/head_linear.h"
#include "engine/backend/ops/linear.h"
#include "engine/backend/ops/move_rows.h"
#include "engine/backend/ops/norm.h"
#include "engine/backend/ops/pool.h"
#include "engine/backend/ops/reorder_heads.h"
#include "engine/backend/ops/route.h"
#include "engine/backend/ops/sequence_attention.h"
#include "engine/backend/ops/short_convolution.h"
#include "engine/backend/ops/softmax.h"
#include "engine/backend/ops/split_qkv.h"
#include "engine/backend/ops/top_k.h"
#include "engine/backend/ops/transform_heads.h"

#include <array>
#include <variant>

/// Every op, one name a line: what lists ops is made from this.
#define FIRESIDE_OPS(X)                                                                            \
    X(Embed)                                                                                       \
    X(GatherRows)                                                                                  \
    X(Copy)                                                                                        \
    X(Pad)                                                                                         \
    X(Unpad)                                                                                       \
    X(ReorderHeads)                                                                                \
    X(SplitQkv)                                                                                    \
    X(RmsNorm)                                                                                     \
    X(LayerNorm)                                                                                   \
    X(L2Normalize)                                                                                 \
    X(Add)                                                                                         \
    X(Multiply)                                                                                    \
    X(AddScaled)                                                                                   \
    X(AddBias)                                                                                     \
    X(Activate)                                                                                    \
    X(Gate)                                                                                        \
    X(Softcap)                                                                                     \
    X(Softmax)                                                                                     \
    X(Linear)                                                                                      \
    X(GatedLinear)                                                                                 \
    X(HeadLinear)                                                                                  \
    X(BatchedProduct)                                                                              \
    X(TransformHeads)                                                                              \
    X(AppendKv)                                                                                    \
    X(AppendLatent)                                                                                \
    X(Attention)                                                                                   \
    X(SequenceAttention)                                                                           \
    X(Route)                                                                                       \
    X(ExpertGatedLinear)                                                                           \
    X(ExpertLinear)                                                                                \
    X(ShortConvolution)                                                                            \
    X(GatedDeltaRule)                                                                              \
    X(Argmax)                                                                                      \
    X(TopK)                                                                                        \
    X(Pool)                                                                                        \
    X(Advance)

namespace fireside {

template <typename First, typename... Each>
using VariantOfRest = std::variant<Each...>;
#define FIRESIDE_OP_TYPE(Each) , op::Each

/// Everything a device computes. An op is a value: tensors, numbers, and pointers to weights, which
/// must outlive the pass. Each has its name (kName) and its check(), the same for all devices.
struct Op : VariantOfRest<void FIRESIDE_OPS(FIRESIDE_OP_TYPE)>
{
    using variant::variant;
};
#undef FIRESIDE_OP_TYPE

/// The names of the ops, in the order of FIRESIDE_OPS.
#define FIRESIDE_OP_NAME(Each) op::Each::kName,
inline constexpr std::array kOpNames{FIRESIDE_OPS(FIRESIDE_OP_NAME)};
#undef FIRESIDE_OP_NAME

} // namespace fireside
