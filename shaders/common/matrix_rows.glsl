// The matrices of matrix.glsl for kernels whose rows are scaled while they are summed. With
// EMULATE_MATRIX, for tests on devices without matrices: an operand is only a place in `tiles`, which
// must not change while it is used, and a sum is shared out to 32 threads, eight columns each.
#ifdef EMULATE_MATRIX

#define MatrixA uvec2 // where it begins, and its stride
#define MatrixB uvec3 // and whether its rows are columns there
struct MatrixSum
{
    float v[8];
};

uint matrixSubgroup()
{
    return gl_LocalInvocationIndex / 32;
}
uint matrixRow()
{
    return gl_LocalInvocationIndex % 32 / 2;
}
uint matrixCol()
{
    return gl_LocalInvocationIndex % 2 * 8;
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
void matrixClear(out MatrixSum sum)
{
    [[dont_unroll]] for (uint i = 0; i < 8; ++i)
        sum.v[i] = 0;
}
void matrixStore(MatrixSum sum, uint offset, uint stride)
{
    [[dont_unroll]] for (uint i = 0; i < 2; ++i)
        tiles[offset + matrixRow() * stride + matrixCol() / 4 + i] =
            floatBitsToUint(vec4(sum.v[4 * i], sum.v[4 * i + 1], sum.v[4 * i + 2], sum.v[4 * i + 3]));
}
void matrixScale(inout MatrixSum sum, uint offset, uint stride)
{
    [[dont_unroll]] for (uint i = 0; i < 8; ++i)
        sum.v[i] *= uintBitsToFloat(
            tiles[offset + matrixRow() * stride + matrixCol() / 4 + i / 4][i % 4]);
}
#define matrixLoadA(m, offset, stride) m = uvec2(offset, stride)
#define matrixLoadB(m, offset, stride) m = uvec3(offset, stride, 1)
#define matrixLoadBRows(m, offset, stride) m = uvec3(offset, stride, 0)

#else
#include "shaders/common/matrix.glsl"

/// [K, N] with rows `stride` apart.
#define matrixLoadBRows(m, offset, stride)                                                         \
    coopMatLoad(m, tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor)
/// m ⊙ the F32 matrix [M, N] with rows `stride` apart.
#define matrixScale(m, offset, stride)                                                             \
    {                                                                                              \
        MatrixSum factors;                                                                         \
        coopMatLoad(factors, tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor);           \
        m = m * factors;                                                                           \
    }

#endif
