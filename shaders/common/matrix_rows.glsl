// The matrices of matrix.glsl for kernels that work on the elements of a sum in registers. With
// EMULATE_MATRIX, for tests on devices without matrices: an operand is only a place in `tiles`, which
// must not change while it is used, and a sum is shared out to 32 threads, eight columns each.
#ifdef EMULATE_MATRIX

#define MatrixA uvec2 // where it begins, and its stride
#define MatrixB uvec3 // and whether its rows are columns there
struct MatrixSum
{
    float v[8];
};
#define matrixElement(m, i) m.v[i]
#define matrixLength(m) 8
const uint kMatrixLanes = 32;
shared uint anyThread;

uint matrixSubgroup()
{
    return gl_LocalInvocationIndex / 32;
}
uint matrixLane()
{
    return gl_LocalInvocationIndex % 32;
}
uint matrixRow()
{
    return gl_LocalInvocationIndex % 32 / 2;
}
uint matrixCol()
{
    return gl_LocalInvocationIndex % 2 * 8;
}
/// Between writes and reads of a subgroup's own shared memory.
void matrixSync()
{
    barrier();
}
/// Whether it is so for any lane of the subgroup; emulated: of the workgroup.
bool matrixAny(bool value)
{
    barrier();
    anyThread = 0;
    barrier();
    if (value)
        anyThread = 1;
    barrier();
    return anyThread != 0;
}
float sharedHalf(uint at, uint col)
{
    return unpackHalf2x16(tiles[at + col / 8][col % 8 / 2])[col % 2];
}
void matrixMultiplyAdd(MatrixA a, MatrixB b, inout MatrixSum sum)
{
    [[dont_unroll]] for (uint i = 0; i < 8; ++i)
        [[dont_unroll]] for (uint k = 0; k < 16; ++k) {
            const uint col = matrixCol() + i;
            sum.v[i] += sharedHalf(a.x + matrixRow() * a.y, k) *
                        (b.z != 0 ? sharedHalf(b.x + col * b.y, k) : sharedHalf(b.x + k * b.y, col));
        }
}
void matrixFill(out MatrixSum sum, float value)
{
    [[dont_unroll]] for (uint i = 0; i < 8; ++i)
        sum.v[i] = value;
}
void matrixStore(MatrixSum sum, uint offset, uint stride)
{
    [[dont_unroll]] for (uint i = 0; i < 2; ++i)
        tiles[offset + matrixRow() * stride + matrixCol() / 4 + i] =
            floatBitsToUint(vec4(sum.v[4 * i], sum.v[4 * i + 1], sum.v[4 * i + 2], sum.v[4 * i + 3]));
}
void matrixLoadSum(out MatrixSum sum, uint offset, uint stride)
{
    [[dont_unroll]] for (uint i = 0; i < 8; ++i)
        sum.v[i] = uintBitsToFloat(
            tiles[offset + matrixRow() * stride + matrixCol() / 4 + i / 4][i % 4]);
}
void matrixStoreHalf(MatrixSum sum, uint offset, uint stride)
{
    tiles[offset + matrixRow() * stride + matrixCol() / 8] =
        uvec4(packHalf2x16(vec2(sum.v[0], sum.v[1])), packHalf2x16(vec2(sum.v[2], sum.v[3])),
              packHalf2x16(vec2(sum.v[4], sum.v[5])), packHalf2x16(vec2(sum.v[6], sum.v[7])));
}
#define matrixSumToA(m, sum) // never: operands are places
bool sumsLieAsFactors(MatrixSum, uint, uint)
{
    return false;
}
#define matrixLoadA(m, offset, stride) m = uvec2(offset, stride)
#define matrixLoadB(m, offset, stride) m = uvec3(offset, stride, 1)
#define matrixLoadBRows(m, offset, stride) m = uvec3(offset, stride, 0)

#else
#include "shaders/common/matrix.glsl"

#define MatrixHalfSum                                                                              \
    coopmat<float16_t, gl_ScopeSubgroup, kMatrixM, kMatrixN, gl_MatrixUseAccumulator>
#define matrixElement(m, i) m[i]
#define matrixLength(m) m.length()

void matrixSync()
{
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}
bool matrixAny(bool value)
{
    return subgroupAny(value);
}
#define matrixFill(m, value) m = MatrixSum(value)
/// [K, N] with rows `stride` apart.
#define matrixLoadBRows(m, offset, stride)                                                         \
    coopMatLoad(m, tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor)
/// F32 [M, N] with rows `stride` apart.
#define matrixLoadSum(m, offset, stride)                                                           \
    coopMatLoad(m, tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor)
/// In F16.
#define matrixStoreHalf(m, offset, stride)                                                         \
    coopMatStore(MatrixHalfSum(m), tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor)
/// Whether each thread's elements of a sum are those of a factor with its index, which is up to the
/// driver. `places` has elements that all differ; `strip` is memory to write them to.
bool sumsLieAsFactors(MatrixSum places, uint strip, uint stride)
{
    matrixStoreHalf(places, strip, stride);
    matrixSync();
    MatrixA factor;
    matrixLoadA(factor, strip, stride);
    const MatrixHalfSum halves = MatrixHalfSum(places);
    bool same = true;
    [[unroll]] for (uint e = 0; e < halves.length(); ++e)
        same = same && factor[e] == halves[e];
    return subgroupAll(same);
}
/// In F16, where sumsLieAsFactors().
#define matrixSumToA(m, sum)                                                                       \
    {                                                                                              \
        const MatrixHalfSum halves = MatrixHalfSum(sum);                                           \
        [[unroll]] for (uint e = 0; e < halves.length(); ++e)                                      \
            m[e] = halves[e];                                                                      \
    }

#endif
