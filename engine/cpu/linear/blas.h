#pragma once
#include <cstddef>
#include <span>
#include <string>

// OpenBLAS, looked for at run time: float products are faster with it on processors that our own
// kernels serve less well (see blas_choice.h). A system without it is a property of the device
// report, never an error.
namespace fireside::cpu {

/// How wide the library's inner loops are; it chooses them for the processor when it is opened.
enum class BlasKernels { Narrow, Fma256, Wide512 };

/// out[t · outStride + r] (+)= Σ_k x[t · xStride + k] · w[r · wStride + k]; sizes and strides in
/// floats, each below 2³¹.
struct BlasProduct
{
    const float *x = nullptr;
    std::size_t xStride = 0, tokens = 0;
    const float *w = nullptr;
    std::size_t wStride = 0, rows = 0;
    std::size_t cols = 0;
    float *out = nullptr;
    std::size_t outStride = 0;
    bool add = false;
};

class Blas
{
public:
    /// The first of these libraries that can be used. Never throws for a missing one.
    static Blas open(std::span<const char *const> names);
    /// No library, and why.
    static Blas none(std::string why);

    bool usable() const { return m_sgemm != nullptr; }
    /// "libopenblas 0.3.21 (Haswell)", or why there is none: "not found (install …)".
    const std::string &description() const { return m_description; }
    BlasKernels kernels() const { return m_kernels; }
    /// Threads that may call multiply() at the same time; more would make the library print.
    std::size_t maxCallers() const { return m_maxCallers; }

    /// On the calling thread alone; usable() must hold. Any number of threads up to maxCallers().
    void multiply(const BlasProduct &product) const;

private:
    using Sgemm = void (*)(int order, int transposeA, int transposeB, int m, int n, int k,
                           float alpha, const float *a, int lda, const float *b, int ldb,
                           float beta, float *c, int ldc);

    Sgemm m_sgemm = nullptr;
    std::string m_description;
    BlasKernels m_kernels = BlasKernels::Narrow;
    std::size_t m_maxCallers = 0;
};

/// The library of this process, opened by the first call; none where FIRESIDE_BLAS=off or where a
/// limit on memory could make the library end the program.
const Blas &blas();

/// Pure: from the name that the library gives its kernels, in any case.
BlasKernels blasKernels(std::string_view coreName);

} // namespace fireside::cpu
