// Cooperative matrices 16 × 16 · 16 × 8 (F16 · F16 → F32) of a subgroup of 32 lanes, whose elements are
// read and written lane by lane, without shared memory. Only for devices whose elements lie like this
// (engine/vulkan/platform/matrix_layout.cpp asks): lane l, with g = l / 4 and t = l % 4, holds
//   of A [16, 16] rows g and g + 8, columns 2t, 2t + 1, 2t + 8 and 2t + 9,
//   of B [16, 8]  column g, rows 2t, 2t + 1, 2t + 8 and 2t + 9,
//   of sums [16, 8] columns 2t and 2t + 1 of row g, then of row g + 8.
// kOrder 0: A's elements come as columns 2t … of both rows before columns 2t + 8 …; 1: row by row. With
// MATRIX_APART there are also shuffles and votes of the 32 lanes, and no store through shared memory.
#ifdef EMULATE_MATRIX

#define MatrixA uvec4
#define MatrixB uvec2
struct MatrixSum { float v[4]; }; // rows g, g, g + 8, g + 8, columns 2t, 2t + 1, 2t, 2t + 1
shared uvec4 emulatedA[kThreads];
shared uvec2 emulatedB[kThreads];

uint matrixSubgroup() { return gl_LocalInvocationIndex / 32; }
uint matrixLane() { return gl_LocalInvocationIndex % 32; }
#define matrixClear(m) m.v = float[4](0, 0, 0, 0)
#define matrixTakeA(m, low, lowNext, high, highNext) m = uvec4(low, lowNext, high, highNext)
/// Row g is the lower, row g + 8 the upper halves, of columns 2t, 2t + 1, 2t + 8 and 2t + 9.
#define matrixTakeACrossed(m, one, two, three, four)                                               \
    m = uvec4((one & 0xffffu) | two << 16, one >> 16 | (two & 0xffff0000u),                        \
              (three & 0xffffu) | four << 16, three >> 16 | (four & 0xffff0000u))
#define matrixTakeB(m, low, high) m = uvec2(low, high)
void matrixMultiplyAdd(MatrixA a, MatrixB b, inout MatrixSum c)
{
    barrier();
    emulatedA[gl_LocalInvocationIndex] = a;
    emulatedB[gl_LocalInvocationIndex] = b;
    barrier();
    const uint first = matrixSubgroup() * 32, g = matrixLane() / 4, t = matrixLane() % 4;
    [[dont_unroll]] for (uint i = 0; i < 4; ++i)
        [[dont_unroll]] for (uint k = 0; k < 4; ++k) {
            const uvec4 w = emulatedA[first + 4 * g + k];
            const uvec2 x = emulatedB[first + 4 * (2 * t + i % 2) + k];
            c.v[i] += dot(unpackHalf2x16(w[i / 2]), unpackHalf2x16(x.x)) +
                      dot(unpackHalf2x16(w[2 + i / 2]), unpackHalf2x16(x.y));
        }
}
#ifndef MATRIX_APART
/// F32 with columns `stride` apart.
void matrixStoreColumns(MatrixSum m, uint offset, uint stride)
{
    const uint g = matrixLane() / 4, t = matrixLane() % 4;
    [[dont_unroll]] for (uint i = 0; i < 4; ++i) {
        const uint row = g + i / 2 * 8;
        tiles[offset + (2 * t + i % 2) * stride + row / 4][row % 4] = floatBitsToUint(m.v[i]);
    }
}
#else
// Shuffles of the 32 lanes through shared memory; all threads of the workgroup take part.
shared uint exchanged[kThreads];
uint matrixShuffle(uint x, uint lane)
{
    barrier();
    exchanged[gl_LocalInvocationIndex] = x;
    barrier();
    return exchanged[matrixSubgroup() * 32 + lane];
}
float matrixShuffle(float x, uint lane)
{
    return uintBitsToFloat(matrixShuffle(floatBitsToUint(x), lane));
}
float matrixShuffleXor(float x, uint mask)
{
    return matrixShuffle(x, matrixLane() ^ mask);
}
bool matrixAny(bool x)
{
    uint any = 0;
    [[dont_unroll]] for (uint i = 0; i < 32; ++i)
        any |= matrixShuffle(x ? 1u : 0u, i);
    return any != 0;
}
#define matrixElement(m, i) m.v[i]
#define MATRIX_ALL true // what a subgroup alone would do, all do
#endif

#else

#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseB>
#define MatrixSum coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>

uint matrixSubgroup() { return gl_SubgroupID; }
uint matrixLane() { return gl_SubgroupInvocationID; }
#define matrixClear(m) m = MatrixSum(0.0)
#define matrixTakePair(m, at, pair)                                                                \
    {                                                                                              \
        const f16vec2 both = unpackFloat2x16(pair);                                                \
        m[at] = both.x;                                                                            \
        m[at + 1] = both.y;                                                                        \
    }
/// low: columns 2t, 2t + 1 of rows g and (Next) g + 8; high: columns 2t + 8, 2t + 9.
#define matrixTakeA(m, low, lowNext, high, highNext)                                               \
    {                                                                                              \
        matrixTakePair(m, 0, low);                                                                 \
        matrixTakePair(m, 2, kOrder == 0 ? lowNext : high);                                        \
        matrixTakePair(m, 4, kOrder == 0 ? high : lowNext);                                        \
        matrixTakePair(m, 6, highNext);                                                            \
    }
#define matrixTakeACrossed(m, one, two, three, four)                                               \
    {                                                                                              \
        const f16vec2 first = unpackFloat2x16(one), second = unpackFloat2x16(two);                 \
        const f16vec2 third = unpackFloat2x16(three), fourth = unpackFloat2x16(four);              \
        m[0] = first.x;                                                                            \
        m[1] = second.x;                                                                           \
        m[kOrder == 0 ? 2 : 4] = first.y;                                                          \
        m[kOrder == 0 ? 3 : 5] = second.y;                                                         \
        m[kOrder == 0 ? 4 : 2] = third.x;                                                          \
        m[kOrder == 0 ? 5 : 3] = fourth.x;                                                         \
        m[6] = third.y;                                                                            \
        m[7] = fourth.y;                                                                           \
    }
#define matrixTakeB(m, low, high)                                                                  \
    {                                                                                              \
        matrixTakePair(m, 0, low);                                                                 \
        matrixTakePair(m, 2, high);                                                                \
    }
#define matrixMultiplyAdd(a, b, c) c = coopMatMulAdd(a, b, c)
#define matrixStoreColumns(m, offset, stride)                                                      \
    coopMatStore(m, tiles, offset, stride, gl_CooperativeMatrixLayoutColumnMajor)
#define matrixElement(m, i) m[i]
#ifdef MATRIX_APART
#define MATRIX_ALL false
#define matrixShuffle(x, lane) subgroupShuffle(x, lane)
#define matrixShuffleXor(x, mask) subgroupShuffleXor(x, mask)
#define matrixAny(x) subgroupAny(x)
#endif

#endif
