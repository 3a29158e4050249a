// Matrices of a subgroup (KHR_cooperative_matrix): F16 · F16 → F32, kMatrixM × kMatrixN × kMatrixK.
// They go through one shared array of uvec4 named `tiles`; offsets and strides count uvec4.
// With EMULATE_MATRIX each 32 threads share a matrix of sums, eight elements each, and the factors stay
// in shared memory: slow, but the indexing of the kernels can be tested where no device has matrices.
#ifdef EMULATE_MATRIX

struct MatrixPlace { uint offset, stride; };
struct MatrixSum { float v[8]; };
#define MatrixA MatrixPlace
#define MatrixB MatrixPlace

uint matrixSubgroup() { return gl_LocalInvocationIndex / 32; }
uint matrixLane() { return gl_LocalInvocationIndex % 32; }
const uint kMatrixLanes = 32;

#define matrixClear(m) m.v = float[8](0, 0, 0, 0, 0, 0, 0, 0)
#define matrixLoadA(m, offset, stride) m = MatrixPlace(offset, stride)
#define matrixLoadB(m, offset, stride) m = MatrixPlace(offset, stride)
void matrixMultiplyAdd(MatrixA a, MatrixB b, inout MatrixSum c)
{
    // Unrolled within, as lavapipe leaves all loops of a thread after 65,535 rounds in sum.
    const uint row = matrixLane() / 2, firstCol = matrixLane() % 2 * 8;
    [[dont_unroll]] for (uint i = 0; i < 8; ++i)
        [[unroll]] for (uint unit = 0; unit < 2; ++unit) {
            const uvec4 x = tiles[a.offset + row * a.stride + unit];
            const uvec4 w = tiles[b.offset + (firstCol + i) * b.stride + unit];
            [[unroll]] for (uint k = 0; k < 4; ++k)
                c.v[i] += dot(unpackHalf2x16(x[k]), unpackHalf2x16(w[k]));
        }
}
void matrixStore(MatrixSum m, uint offset, uint stride)
{
    const uint at = offset + matrixLane() / 2 * stride + matrixLane() % 2 * 2;
    tiles[at] = floatBitsToUint(vec4(m.v[0], m.v[1], m.v[2], m.v[3]));
    tiles[at + 1] = floatBitsToUint(vec4(m.v[4], m.v[5], m.v[6], m.v[7]));
}

#else

#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, kMatrixM, kMatrixK, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, kMatrixK, kMatrixN, gl_MatrixUseB>
#define MatrixSum coopmat<float, gl_ScopeSubgroup, kMatrixM, kMatrixN, gl_MatrixUseAccumulator>

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
