#version 460
// GEMM in F32 without matrices, for every device. A workgroup computes a tile of out, 32 columns at a
// time: x and the decoded weights go to shared memory, transposed so that a thread's rows are adjacent,
// and each thread keeps a block of sums in registers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/gemm.h"
KERNEL(GEMM_CONSTANTS, GemmPush)
#include "shaders/ops/matmul/gemm_rows.glsl"
#include "shaders/quant/decode.glsl"

const uint kXStride = kTileRows + 4;
const uint kWStride = kTileOuts + 4;
const uint kWTile = 32 * kWStride;
const uint kMatrices = 1 + ((kFlags & kGemmGated) >> 3);
shared float xTile[32 * kXStride];
shared float wTile[kMatrices * kWTile];

const uint kBlock = kBlockRows * kBlockOuts;
float sums[kMatrices * kBlock];

void stage(uint group)
{
    const uint threads = gl_WorkGroupSize.x;
    for (uint i = gl_LocalInvocationIndex; i < kTileRows * 8; i += threads) {
        const uint row = i / 8, col = (i % 8) * 4;
        vec4 value = vec4(0);
        if (row < tileCount)
            value = loadX4(inputBegin(row), group * 32 + col);
        [[unroll]] for (uint c = 0; c < 4; ++c)
            xTile[(col + c) * kXStride + row] = value[c];
    }
    for (uint i = gl_LocalInvocationIndex; i < kMatrices * kTileOuts * kUnitsPerGroup; i += threads) {
        const uint line = i / kUnitsPerGroup, unit = i % kUnitsPerGroup;
        const uint m = line / kTileOuts, row = line % kTileOuts;
        const uint o = tileOut + row;
        const uint at = m * kWTile + unit * kUnit * kWStride + row;
        if (o < push.outs) {
            const uint place = (tileDepth * push.outs + o) * push.groupsPerRow + group;
            const Opened p = opened(loadUnit(
                WeightRef(m == 0 ? push.weight : push.up, push.groups), place * kUnitsPerGroup + unit));
            [[unroll]] for (uint quad = 0; quad < kQuadsPerUnit; ++quad) {
                const vec4 value = valueQuad(p, quad);
                [[unroll]] for (uint c = 0; c < 4; ++c)
                    wTile[at + (quad * 4 + c) * kWStride] = value[c];
            }
        } else {
            [[unroll]] for (uint c = 0; c < kUnit; ++c)
                wTile[at + c * kWStride] = 0;
        }
    }
}

void main()
{
    if (!findTile())
        return;
    if ((kFlags & kGemmExperts) != 0 && tileDepth == kGemmNoExpert) {
        storeNothing();
        return;
    }
    const uint across = kTileOuts / kBlockOuts;
    const uint firstRow = gl_LocalInvocationIndex / across * kBlockRows;
    const uint firstOut = gl_LocalInvocationIndex % across * kBlockOuts;

    [[unroll]] for (uint i = 0; i < kMatrices * kBlock; ++i)
        sums[i] = 0;
    const uvec2 split = splitOfCols();
    for (uint group = split.x; group < split.y; ++group) {
        stage(group);
        barrier();
        for (uint k = 0; k < 32; ++k) {
            float a[kBlockRows];
            [[unroll]] for (uint i = 0; i < kBlockRows; ++i)
                a[i] = xTile[k * kXStride + firstRow + i];
            [[unroll]] for (uint m = 0; m < kMatrices; ++m)
                [[unroll]] for (uint j = 0; j < kBlockOuts; ++j) {
                    const float b = wTile[m * kWTile + k * kWStride + firstOut + j];
                    [[unroll]] for (uint i = 0; i < kBlockRows; ++i) {
                        const uint at = m * kBlock + i * kBlockOuts + j;
                        sums[at] = fma(a[i], b, sums[at]);
                    }
                }
        }
        barrier();
    }

    [[unroll]] for (uint i = 0; i < kBlockRows; ++i) {
        if (firstRow + i >= tileCount)
            break;
        const uint outRow = outputRow(firstRow + i);
        [[unroll]] for (uint j = 0; j < kBlockOuts; ++j) {
            const uint o = tileOut + firstOut + j;
            if (o < push.outs)
                finish(outRow, o, sums[i * kBlockOuts + j],
                       kGated ? sums[(kMatrices - 1) * kBlock + i * kBlockOuts + j] : 0.0);
        }
    }
}
