#pragma once
#include "engine/backend/op.h"

// The ops on Vulkan: each appends its dispatches, in the file of its name. Shapes are checked.
namespace fireside::vulkan {

class Recorder;
#define FIRESIDE_RUN(Each) void run(Recorder &r, const op::Each &op);
FIRESIDE_OPS(FIRESIDE_RUN)
#undef FIRESIDE_RUN

/// What these kernels cannot do is Error(Unsupported) in words, and caches that do not fit an op
/// are Error(Internal); all the rest can be done.
template <typename Each>
void requireSupported(const Recorder & /*r*/, const Each & /*op*/)
{}
void requireSupported(const Recorder &r, const op::Route &op);             // experts
void requireSupported(const Recorder &r, const op::TopK &op);              // k
void requireSupported(const Recorder &r, const op::HeadLinear &op);        // forms of weights
void requireSupported(const Recorder &r, const op::ExpertGatedLinear &op); // and experts
void requireSupported(const Recorder &r, const op::ExpertLinear &op);      // the same
void requireSupported(const Recorder &r, const op::GatedDeltaRule &op);    // size of keys, state
void requireSupported(const Recorder &r, const op::SelectiveScan &op);     // size, type of a, state
void requireSupported(const Recorder &r, const op::ShortConvolution &op);  // taps, type, state
void requireSupported(const Recorder &r, const op::StateSpaceScan &op);    // size of rows, state
void requireSupported(const Recorder &r, const op::AppendKv &op);          // the layer's cache
void requireSupported(const Recorder &r, const op::AppendLatent &op);      // the same
void requireSupported(const Recorder &r, const op::Attention &op);         // the same
void requireSupported(const Recorder &r, const op::ExpandedAttention &op); // the same, and its type

/// Whether attention of this pass is faster with keys and values of each head.
bool expandsLatent(const Recorder &r, const op::ExpandedAttention &op);

// --- what is gained by looking at neighbours: see lowering.h ---

/// Two ops, the one recorded right after the other, that one dispatch can do, and better.
bool goTogether(const Recorder &r, const op::AppendKv &append, const op::Attention &attention);
void run(Recorder &r, const op::AppendKv &append, const op::Attention &attention);
bool goTogether(const Recorder &r, const op::Route &route, const op::ExpertGatedLinear &gated);
void run(Recorder &r, const op::Route &route, const op::ExpertGatedLinear &gated);
bool goTogether(const Recorder &r, const op::Linear &linear, const op::Activate &activate);
void run(Recorder &r, const op::Linear &linear, const op::Activate &activate);

/// Whether a product of so many rows with this weight rounds its input to F16 all the same. For
/// experts rows are pairs of a token and an expert.
bool readsHalves(const Recorder &r, const Weight &weight, std::int64_t rows);
/// The next dispatch that writes input.x may lay it out for a product with this weight. False where
/// such a product takes it as it is.
bool hintReader(Recorder &r, const LinearInput &input, const Weight &weight);

} // namespace fireside::vulkan
