#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/op.h"
#include "engine/model/weights.h"

#include <memory>

// A layer is made of blocks: one that mixes tokens, and a feed-forward. The decoder puts norms
// around them and adds their results to the residual stream.
namespace fireside {

/// Where a block's last product goes.
struct BlockResult
{
    Tensor out; // [T, hidden]
    Accumulate mode = Accumulate::Overwrite;
};

class Block
{
public:
    using Slot = std::unique_ptr<Weight>;
    virtual ~Block() = default;
    /// x [T, hidden] → result, by the layer's formulas. x may be what `result` adds to: the last
    /// product is recorded after everything that reads x.
    virtual void record(Commands &c, const LinearInput &x, const BlockResult &result) const = 0;
};

/// Channels [first, first + count) of every head of x [T, heads·D], which is packed, as a matrix
/// [T·heads, count].
inline Tensor ofEachHead(const Tensor &x, std::int64_t heads, std::int64_t first,
                         std::int64_t count)
{
    Tensor part = x;
    part.rows = x.rows * heads;
    part.cols = part.stride = x.cols / heads;
    return part.columns(first, count);
}

/// x times a factor, its norm taken first; x itself where the factor is 1.
LinearInput scaled(Commands &c, const LinearInput &x, float scale);
/// result (+)= scale · x
void addScaled(Commands &c, const Tensor &x, float scale, const BlockResult &result);

/// A norm of whole rows; none where the slot is empty and `bare` is not set.
struct Norm
{
    std::unique_ptr<Weight> weight, bias; // [hidden], or none
    NormKind kind = NormKind::Rms;
    float eps = 0;
    bool there = false;

    static Norm load(const LayerWeights &weights, const char *name, std::int64_t n);
    /// As the family says, bare norms included.
    static Norm of(NormKind kind, float eps);

    void record(Commands &c, const Tensor &x, const Tensor &out) const;
    /// The norm of x as the input of products: taken on the way where it can be.
    LinearInput input(Commands &c, const Tensor &x) const;
    /// The norm of x in memory of its own; x itself where there is none.
    Tensor applied(Commands &c, const Tensor &x) const;
};

} // namespace fireside
