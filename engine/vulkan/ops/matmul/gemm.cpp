#include "engine/vulkan/ops/matmul/gemm.h"

#include "engine/vulkan/ops/matmul/gemm_dispatch.h"

#include <optional>
#include <vector>

namespace fireside::vulkan {

bool roundsInput(const Recorder &r, const Weight &weight, std::int64_t rows)
{
    const GemmTile tile = tileFor(r, weight, rows, false);
    return tile.matrix && !tile.exact;
}

namespace {

/// act: of every target, behind its bias.
void tiledProducts(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                   Accumulate mode, std::optional<Activation> act)
{
    if (x.x.rows == 0 || targets.empty())
        return;
    const std::size_t mark = r.mark();
    std::vector<GemmTile> tiles;
    std::int64_t outs = 0, allTiles = 0;
    bool allMatrix = true, anyExact = false;
    for (const LinearTarget &target : targets) {
        tiles.push_back(tileFor(r, *target.weight, x.x.rows, false));
        outs += target.weight->rows;
        allTiles += tilesOf(tiles.back(), x.x.rows, target.weight->rows);
        allMatrix = allMatrix && tiles.back().matrix;
        anyExact = anyExact || tiles.back().exact;
    }
    // One target that wants x exact keeps it so for all.
    GemmTile common = tiles.front();
    common.matrix = allMatrix;
    common.exact = anyExact;
    const Tensor input = prepareInput(r, x, common, outs);
    TiledDispatch dispatch(r);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        TiledProduct product;
        product.op = "linear";
        product.x = input;
        product.weight = targets[i].weight;
        product.bias = targets[i].bias;
        product.act = act;
        product.out = targets[i].out;
        product.add = mode == Accumulate::AddToOutput;
        product.tilesBeside = allTiles - tilesOf(tiles[i], x.x.rows, targets[i].weight->rows);
        dispatch.add(product, tiles[i]);
    }
    dispatch.finish();
    r.release(mark);
}

} // namespace

void linearTiled(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                 Accumulate mode)
{
    tiledProducts(r, x, targets, mode, std::nullopt);
}

void activatedLinearTiled(Recorder &r, const LinearInput &x, const LinearTarget &target,
                          Activation act)
{
    tiledProducts(r, x, {&target, 1}, Accumulate::Overwrite, act);
}

void gatedLinearTiled(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                      Activation act, const Tensor &out)
{
    if (x.x.rows == 0)
        return;
    const std::size_t mark = r.mark();
    const GemmTile tile = tileFor(r, *weights.gate, x.x.rows, true);
    TiledProduct product;
    product.op = "gatedLinear";
    product.x = prepareInput(r, x, tile, 2 * weights.gate->rows);
    product.weight = weights.gate;
    product.up = weights.up;
    product.bias = weights.gateBias;
    product.upBias = weights.upBias;
    product.act = act;
    product.out = out;
    TiledDispatch dispatch(r);
    dispatch.add(product, tile);
    dispatch.finish();
    r.release(mark);
}

} // namespace fireside::vulkan
