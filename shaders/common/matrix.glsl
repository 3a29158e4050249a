// Matrices of a subgroup (KHR_cooperative_matrix): F16 · F16 → F32, MATRIX_M × MATRIX_N × MATRIX_K.
// They go through one shared array of uvec4 named `tiles`; offsets and strides count uvec4.
// With EMULATE_MATRIX each first thread of 32 holds whole matrices in plain arrays: slow, but the
// indexing of the kernels can be tested where no device has matrices.
#ifdef EMULATE_MATRIX

struct MatrixA { float v[256]; };
struct MatrixB { float v[256]; };
struct MatrixSum { float v[256]; };

uint matrixSubgroup() { return gl_LocalInvocationIndex / 32; }
uint matrixLane() { return gl_LocalInvocationIndex % 32; }
const uint kMatrixLanes = 32;

float sharedHalf(uint offset, uint stride, uint row, uint col)
{
    const uint word = tiles[offset + row * stride + col / 8][(col % 8) / 2];
    return unpackHalf2x16(word)[col % 2];
}
void matrixClear(out MatrixSum m)
{
    for (uint i = 0; i < 256; ++i)
        m.v[i] = 0;
}
void matrixLoadA(out MatrixA m, uint offset, uint stride)
{
    if (matrixLane() == 0)
        for (uint i = 0; i < 256; ++i)
            m.v[i] = sharedHalf(offset, stride, i / 16, i % 16);
}
void matrixLoadB(out MatrixB m, uint offset, uint stride)
{
    if (matrixLane() == 0)
        for (uint i = 0; i < 256; ++i)
            m.v[i] = sharedHalf(offset, stride, i % 16, i / 16);
}
void matrixMultiplyAdd(MatrixA a, MatrixB b, inout MatrixSum c)
{
    if (matrixLane() == 0)
        for (uint i = 0; i < 256; ++i)
            for (uint k = 0; k < 16; ++k)
                c.v[i] += a.v[i / 16 * 16 + k] * b.v[k * 16 + i % 16];
}
void matrixStore(MatrixSum m, uint offset, uint stride)
{
    if (matrixLane() == 0)
        for (uint i = 0; i < 64; ++i)
            tiles[offset + i / 4 * stride + i % 4] =
                uvec4(floatBitsToUint(m.v[4 * i]), floatBitsToUint(m.v[4 * i + 1]),
                      floatBitsToUint(m.v[4 * i + 2]), floatBitsToUint(m.v[4 * i + 3]));
}

#else

#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, MATRIX_M, MATRIX_K, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, MATRIX_K, MATRIX_N, gl_MatrixUseB>
#define MatrixSum coopmat<float, gl_ScopeSubgroup, MATRIX_M, MATRIX_N, gl_MatrixUseAccumulator>

uint matrixSubgroup() { return gl_SubgroupID; }
uint matrixLane() { return gl_SubgroupInvocationID; }
#define kMatrixLanes gl_SubgroupSize

#define matrixClear(m) m = MatrixSum(0.0)
/// [M, K] with rows `stride` apart.
#define matrixLoadA(m, offset, stride)                                                             \
    coopMatLoad(m, tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor)
/// [K, N] with columns `stride` apart: a row of the weight is a column here.
#define matrixLoadB(m, offset, stride)                                                             \
    coopMatLoad(m, tiles, offset, stride, gl_CooperativeMatrixLayoutColumnMajor)
#define matrixMultiplyAdd(a, b, c) c = coopMatMulAdd(a, b, c)
/// F32 [M, N] with rows `stride` apart.
#define matrixStore(m, offset, stride)                                                             \
    coopMatStore(m, tiles, offset, stride, gl_CooperativeMatrixLayoutRowMajor)

#endif
