#pragma once
#include "engine/backend/ops/linear.h"
#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/pass/recorder.h"

#include <optional>
#include <vector>

namespace fireside::vulkan {

/// Pairs (row, chosen expert) of a mixture, sorted by expert into tiles, on the device.
struct ExpertTiles
{
    Tensor order, tiles;          // see shaders/ops/matmul/gemm.h
    std::int64_t bound = 0;       // tiles there may be
    std::int64_t pairs = 0;       // rows of out
    std::int64_t pairsPerRow = 1; // that share a row of x
};

/// Rows of a latent cache in F16 as x: all that an item has in the pass, new ones too.
struct LatentRows
{
    std::int64_t layer = 0, item = 0;
    std::int64_t rows = 0; // at most
    /// Rows of the weight [first, first + count), its matrices one after the other; the first gives
    /// column 0 of out.
    std::int64_t first = 0, count = 0;
};

/// One product in tiles: out [rows, outs] (+)= act(x · weightᵀ + bias), or the gated form.
struct TiledProduct
{
    const char *op = "";
    Tensor x;
    const Weight *weight = nullptr, *up = nullptr; // up: gated
    const Weight *bias = nullptr, *upBias = nullptr;
    std::optional<Activation> act{};
    Tensor out;
    bool add = false;
    std::int64_t heads = 0;               // not 0: one matrix each …
    std::int64_t xStep = 0, outStep = 0;  // … and so many columns from one to the next
    const LatentRows *latent = nullptr;   // x is only their form, of one row
    const ExpertTiles *experts = nullptr; // or rows by expert
    std::int64_t tilesBeside = 0; // of products dispatched with it, which fill the device too
};

/// The tile of a product with a weight of this type.
GemmTile tileFor(const Recorder &r, const Weight &weight, std::int64_t rows, bool gated);

/// Tiles of a product of so many rows.
std::int64_t tilesOf(const GemmTile &tile, std::int64_t rows, std::int64_t outs);

/// x as the kernel likes it: with its norm taken, and in F16 for cooperative matrices when it is
/// read often enough. Takes scratch; `outs` of all products that read it.
Tensor prepareInput(Recorder &r, const LinearInput &input, const GemmTile &tile, std::int64_t outs);

/// Dispatches products. What reads the sums of cut columns follows when all have been dispatched,
/// so that products of one call need no barrier between them.
class TiledDispatch
{
public:
    explicit TiledDispatch(Recorder &r)
        : m_r(r)
    {}
    void add(const TiledProduct &product, const GemmTile &tile);
    void finish();

private:
    struct Reduction
    {
        TiledProduct product;
        Tensor partial;
        std::uint32_t flags = 0, activation = 0;
        std::int64_t splits = 1;
    };
    Recorder &m_r;
    std::vector<Reduction> m_reductions;
};

} // namespace fireside::vulkan
