#version 460
// Many-row products with scalar arithmetic in F32, for every device. Each group computes a tile of
// out: 32 columns at a time, x and the decoded weights go to shared memory (transposed, so that a
// thread's rows lie together), and each thread sums a small block in registers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/ops/matmul/gemm_rows.glsl"
#include "shaders/quant/decode.glsl"

layout(constant_id = 5) const uint BLOCK_ROWS = 4; // of one thread
layout(constant_id = 6) const uint BLOCK_OUTS = 4;

const uint X_STRIDE = TILE_ROWS + 4;
const uint W_STRIDE = TILE_OUTS + 4;
const uint W_TILE = 32 * W_STRIDE;
const uint MATRICES = 1 + ((FLAGS & kGemmGated) >> 3);
shared float xTile[32 * X_STRIDE];
shared float wTile[MATRICES * W_TILE];

const uint BLOCK = BLOCK_ROWS * BLOCK_OUTS;
float sums[MATRICES * BLOCK];

void stage(uint group)
{
    const uint threads = gl_WorkGroupSize.x;
    for (uint i = gl_LocalInvocationIndex; i < TILE_ROWS * 8; i += threads) {
        const uint row = i / 8, col = (i % 8) * 4;
        vec4 value = vec4(0);
        if (row < tileCount)
            value = loadX4(inputBegin(row), group * 32 + col);
        [[unroll]] for (uint c = 0; c < 4; ++c)
            xTile[(col + c) * X_STRIDE + row] = value[c];
    }
    for (uint i = gl_LocalInvocationIndex; i < MATRICES * TILE_OUTS * kUnitsPerGroup; i += threads) {
        const uint line = i / kUnitsPerGroup, unit = i % kUnitsPerGroup;
        const uint m = line / TILE_OUTS, row = line % TILE_OUTS;
        const uint o = tileOut + row;
        const uint at = m * W_TILE + unit * kUnit * W_STRIDE + row;
        if (o < push.outs) {
            const uint place = (tileDepth * push.outs + o) * push.groupsPerRow + group;
            const Opened p = opened(loadUnit(
                WeightRef(m == 0 ? push.weight : push.up, push.groups), place * kUnitsPerGroup + unit));
            [[unroll]] for (uint quad = 0; quad < kQuadsPerUnit; ++quad) {
                const vec4 value = valueQuad(p, quad);
                [[unroll]] for (uint c = 0; c < 4; ++c)
                    wTile[at + (quad * 4 + c) * W_STRIDE] = value[c];
            }
        } else {
            [[unroll]] for (uint c = 0; c < kUnit; ++c)
                wTile[at + c * W_STRIDE] = 0;
        }
    }
}

void main()
{
    if (!findTile())
        return;
    if ((FLAGS & kGemmExperts) != 0 && tileDepth == kGemmNoExpert) {
        storeNothing();
        return;
    }
    const uint across = TILE_OUTS / BLOCK_OUTS;
    const uint firstRow = gl_LocalInvocationIndex / across * BLOCK_ROWS;
    const uint firstOut = gl_LocalInvocationIndex % across * BLOCK_OUTS;

    [[unroll]] for (uint i = 0; i < MATRICES * BLOCK; ++i)
        sums[i] = 0;
    const uvec2 piece = pieceOfCols();
    for (uint group = piece.x; group < piece.y; ++group) {
        stage(group);
        barrier();
        for (uint k = 0; k < 32; ++k) {
            float a[BLOCK_ROWS];
            [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i)
                a[i] = xTile[k * X_STRIDE + firstRow + i];
            [[unroll]] for (uint m = 0; m < MATRICES; ++m)
                [[unroll]] for (uint j = 0; j < BLOCK_OUTS; ++j) {
                    const float b = wTile[m * W_TILE + k * W_STRIDE + firstOut + j];
                    [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i) {
                        const uint at = m * BLOCK + i * BLOCK_OUTS + j;
                        sums[at] = fma(a[i], b, sums[at]);
                    }
                }
        }
        barrier();
    }

    [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i) {
        if (firstRow + i >= tileCount)
            break;
        const uint outRow = outputRow(firstRow + i);
        [[unroll]] for (uint j = 0; j < BLOCK_OUTS; ++j) {
            const uint o = tileOut + firstOut + j;
            if (o < push.outs)
                finish(outRow, o, sums[i * BLOCK_OUTS + j],
                       GATED ? sums[(MATRICES - 1) * BLOCK + i * BLOCK_OUTS + j] : 0.0);
        }
    }
}
