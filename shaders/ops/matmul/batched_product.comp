#version 460
// Products of matrices that both change from pass to pass, in F32: 16 columns at a time go to shared
// memory, transposed where needed so that a thread's rows lie together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/batched_product.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool A_HALF = false;
layout(constant_id = 2) const bool B_HALF = false;
layout(constant_id = 3) const bool OUT_HALF = false;
layout(constant_id = 4) const bool TRANSPOSED = true;
layout(constant_id = 5) const uint BLOCK_ROWS = 4; // of one thread
layout(push_constant, scalar) uniform Push { BatchedProductPush push; };

const uint kTile = 64, kStep = 16, kBlockOuts = 4;
const uint kStride = kTile + 4;
shared float aTile[kStep * kStride];
shared float bTile[kStep * kStride];

void main()
{
    const uint thread = gl_LocalInvocationIndex, threads = gl_WorkGroupSize.x;
    const uint row0 = push.firstRow + gl_WorkGroupID.y * kTile, col0 = gl_WorkGroupID.x * kTile;
    const uint aBegin = gl_WorkGroupID.z * push.aMatrix, bBegin = gl_WorkGroupID.z * push.bMatrix;
    const uint firstRow = thread / (kTile / kBlockOuts) * BLOCK_ROWS;
    const uint firstCol = thread % (kTile / kBlockOuts) * kBlockOuts;

    float sums[BLOCK_ROWS * kBlockOuts];
    [[unroll]] for (uint i = 0; i < BLOCK_ROWS * kBlockOuts; ++i)
        sums[i] = 0;
    for (uint k0 = 0; k0 < push.k; k0 += kStep) {
        for (uint i = thread; i < kTile * kStep; i += threads) {
            const uint row = row0 + i / kStep, k = k0 + i % kStep;
            aTile[i % kStep * kStride + i / kStep] =
                row < push.m && k < push.k
                    ? loadActivation(push.a, A_HALF, aBegin + row * push.aRow + k)
                    : 0.0;
        }
        for (uint i = thread; i < kTile * kStep; i += threads) {
            // Neighbouring threads read neighbouring elements in either order.
            const uint col = TRANSPOSED ? i / kStep : i % kTile;
            const uint k = TRANSPOSED ? i % kStep : i / kTile;
            float value = 0;
            if (col0 + col < push.n && k0 + k < push.k)
                value = loadActivation(push.b, B_HALF,
                                       bBegin
                                           + (TRANSPOSED ? (col0 + col) * push.bRow + k0 + k
                                                         : (k0 + k) * push.bRow + col0 + col));
            bTile[k * kStride + col] = value;
        }
        barrier();
        [[unroll]] for (uint k = 0; k < kStep; ++k) {
            float a[BLOCK_ROWS];
            [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i)
                a[i] = aTile[k * kStride + firstRow + i];
            [[unroll]] for (uint j = 0; j < kBlockOuts; ++j) {
                const float b = bTile[k * kStride + firstCol + j];
                [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i)
                    sums[i * kBlockOuts + j] = fma(a[i], b, sums[i * kBlockOuts + j]);
            }
        }
        barrier();
    }
    [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i)
        [[unroll]] for (uint j = 0; j < kBlockOuts; ++j) {
            const uint row = row0 + firstRow + i, col = col0 + firstCol + j;
            if (row < push.m && col < push.n)
                storeActivation(push.result, OUT_HALF,
                                gl_WorkGroupID.z * push.outMatrix + row * push.outRow + col,
                                sums[i * kBlockOuts + j]);
        }
}
