#version 460
// Products of matrices that both change from pass to pass, in F32: 16 columns at a time go to shared
// memory, transposed where needed so that a thread's rows lie together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/batched_product.h"

KERNEL(BATCHED_PRODUCT_CONSTANTS, BatchedProductPush)

const uint kTile = 64, kStep = 16, kBlockOuts = 4;
const uint kStride = kTile + 4;
shared float aTile[kStep * kStride];
shared float bTile[kStep * kStride];

void main()
{
    const uint thread = gl_LocalInvocationIndex, threads = gl_WorkGroupSize.x;
    const uint row0 = push.firstRow + gl_WorkGroupID.y * kTile, col0 = gl_WorkGroupID.x * kTile;
    const uint aBegin = gl_WorkGroupID.z * push.aMatrix, bBegin = gl_WorkGroupID.z * push.bMatrix;
    const uint firstRow = thread / (kTile / kBlockOuts) * kBlockRows;
    const uint firstCol = thread % (kTile / kBlockOuts) * kBlockOuts;

    float sums[kBlockRows * kBlockOuts];
    [[unroll]] for (uint i = 0; i < kBlockRows * kBlockOuts; ++i)
        sums[i] = 0;
    for (uint k0 = 0; k0 < push.k; k0 += kStep) {
        for (uint i = thread; i < kTile * kStep; i += threads) {
            const uint row = row0 + i / kStep, k = k0 + i % kStep;
            aTile[i % kStep * kStride + i / kStep] =
                row < push.m && k < push.k
                    ? loadActivation(push.a, kAHalf, aBegin + row * push.aRow + k)
                    : 0.0;
        }
        for (uint i = thread; i < kTile * kStep; i += threads) {
            // Neighbouring threads read neighbouring elements in either order.
            const uint col = kTransposed ? i / kStep : i % kTile;
            const uint k = kTransposed ? i % kStep : i / kTile;
            float value = 0;
            if (col0 + col < push.n && k0 + k < push.k)
                value = loadActivation(push.b, kBHalf,
                                       bBegin
                                           + (kTransposed ? (col0 + col) * push.bRow + k0 + k
                                                         : (k0 + k) * push.bRow + col0 + col));
            bTile[k * kStride + col] = value;
        }
        barrier();
        [[unroll]] for (uint k = 0; k < kStep; ++k) {
            float a[kBlockRows];
            [[unroll]] for (uint i = 0; i < kBlockRows; ++i)
                a[i] = aTile[k * kStride + firstRow + i];
            [[unroll]] for (uint j = 0; j < kBlockOuts; ++j) {
                const float b = bTile[k * kStride + firstCol + j];
                [[unroll]] for (uint i = 0; i < kBlockRows; ++i)
                    sums[i * kBlockOuts + j] = fma(a[i], b, sums[i * kBlockOuts + j]);
            }
        }
        barrier();
    }
    [[unroll]] for (uint i = 0; i < kBlockRows; ++i)
        [[unroll]] for (uint j = 0; j < kBlockOuts; ++j) {
            const uint row = row0 + firstRow + i, col = col0 + firstCol + j;
            if (row < push.m && col < push.n)
                storeActivation(push.result, kOutHalf,
                                gl_WorkGroupID.z * push.outMatrix + row * push.outRow + col,
                                sums[i * kBlockOuts + j]);
        }
}
