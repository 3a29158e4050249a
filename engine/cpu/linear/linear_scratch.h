#pragma once
#include "engine/cpu/linear/linear.h"
#include "engine/cpu/linear/linear_kernels.h"

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

// Working memory of linear(), shared by its files.
namespace fireside::cpu {

/// 64-byte aligned memory that only grows; contents are lost when it does.
class ScratchBuffer
{
public:
    /// At least `count` elements of T; throws Error(Memory) with the size.
    template <typename T>
    T *reserve(std::size_t count)
    {
        return static_cast<T *>(reserveBytes(count * sizeof(T)));
    }

    std::size_t bytes() const { return m_bytes; }

private:
    struct Free
    {
        void operator()(void *p) const { ::operator delete (p, std::align_val_t{64}); }
    };
    void *reserveBytes(std::size_t bytes);

    std::unique_ptr<void, Free> m_data;
    std::size_t m_bytes = 0;
};

/// Activations cut into tiles of at most kMaxTile tokens, each tile whole in memory:
/// tile i holds tokens [first(i), first(i + 1)).
struct TilePlan
{
    std::size_t tokens = 0, tiles = 0;
    explicit TilePlan(std::size_t T)
        : tokens(T)
        , tiles((T + kMaxTile - 1) / kMaxTile)
    {}
    std::size_t first(std::size_t tile) const { return tokens * tile / tiles; }
    std::size_t count(std::size_t tile) const { return first(tile + 1) - first(tile); }
};

/// The forms in which products with weights of some types need activations.
struct ActivationForms
{
    bool bytes = false, chunkBytes = false; // with a scale per 32, per chunk (activationSpan)
    bool floats = false;

    void add(DType type)
    {
        const bool wide = activationSpan(type) == kChunk;
        (isFloatType(type) ? floats : wide ? chunkBytes : bytes) = true;
    }
    bool anyBytes() const { return bytes || chunkBytes; }
};

/// Memory of RowActivations.
struct RowScratch
{
    ScratchBuffer q, scale, sum, start;
};

struct ThreadScratch
{
    RowScratch row; // before it is interleaved
    ScratchBuffer panelBytes, panelScale, panelOffset, panelFloats;
    ScratchBuffer matrixTiles, matrixSums; // of one item, see MatrixBlock
    ScratchBuffer products;                // of one item, see RowProduct::productFloats
};

struct LinearScratch::Impl
{
    const LinearKernels *kernels = nullptr;
    FloatProducts floatProducts = FloatProducts::Measured;
    RowScratch rows, chunkRows; // few tokens
    ScratchBuffer tileBytes, tileScale, tileSum32, tileSum16, tileStart, tileStart16, tilePairs,
        tileTop, tileFactor, tileFloats, matrixTokens, matrixRest; // many
    std::vector<ThreadScratch> threads;
    std::vector<std::size_t> items; // of each job
};

} // namespace fireside::cpu
