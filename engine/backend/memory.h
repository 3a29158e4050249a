#pragma once
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

// What lies on a device: buffers and the matrices in them, weights, caches.
namespace fireside {

/// Memory of one device. Owner; freed on destruction, zeroed on allocation.
class Buffer
{
public:
    virtual ~Buffer() = default;
    virtual std::size_t size() const = 0; // bytes
};

/// A [rows, cols] matrix inside a Buffer. View: does not own.
struct Tensor
{
    Buffer *buffer = nullptr;
    std::size_t offset = 0;   // bytes, a multiple of the element's size
    DType dtype = DType::F32; // F32 or F16 for activations, I32 for ids
    std::int64_t rows = 0, cols = 0;
    std::int64_t stride = 0;   // elements between rows, ≥ cols
    bool forOneReader = false; // see Commands::handedOn()
    bool forProducts = false;  // see Commands::productInput()

    /// Columns [first, first + count): how one product's output is read as q, k and v.
    Tensor columns(std::int64_t first, std::int64_t count) const
    {
        Tensor part = *this;
        part.offset += static_cast<std::size_t>(first) * info(dtype).blockBytes;
        part.cols = count;
        return part;
    }
    /// Rows [first, first + count).
    Tensor rowRange(std::int64_t first, std::int64_t count) const
    {
        Tensor part = *this;
        part.offset += static_cast<std::size_t>(first * stride) * info(dtype).blockBytes;
        part.rows = count;
        return part;
    }
};

/// A matrix as it lies in a model file: `rows` outputs of `cols` inputs, `depth` experts or heads.
struct WeightSource
{
    std::string name;
    DType dtype = DType::F32;
    std::int64_t rows = 0, cols = 0, depth = 1;
    std::span<const std::byte> bytes; // must outlive the Weight (the model owns the mapped file)
    /// Matrices that do not lie one after another, as experts stored one by one: the bytes of each
    /// of the `depth` matrices. `bytes` is then empty.
    std::vector<std::span<const std::byte>> parts{};
    /// In place of bytes: writes `count` rows of a matrix from `row` on, as they are in `dtype`.
    /// Asked by several threads at a time, in parts, so that no more is held than is on its way;
    /// throws Error. What it reads must outlive the Weight's way to the device.
    using MakeRows = std::function<void(std::int64_t matrix, std::int64_t row, std::int64_t count,
                                        std::byte *to)>;
    MakeRows makeRows{};
    /// Where columns lie in another order than the inputs: for each of `depth` matrices the input,
    /// below cols, that each column multiplies, [depth · cols]. Numbers are whole, so exact up to
    /// 2^24. For Weight::columns; a device looks only at the columns as they come.
    std::vector<float> columns{};

    /// The bytes of one of `depth` equal matrices, wherever it lies.
    std::span<const std::byte> matrixBytes(std::int64_t index) const
    {
        if (!parts.empty())
            return parts[static_cast<std::size_t>(index)];
        const std::size_t each = bytes.size() / static_cast<std::size_t>(depth);
        return bytes.subspan(static_cast<std::size_t>(index) * each, each);
    }
};

/// A weight resident on a device in the type it has in the file; vectors (one row) lie as F32.
class Weight
{
public:
    virtual ~Weight() = default;
    std::string name;
    DType dtype = DType::F32;
    std::int64_t rows = 0, cols = 0, depth = 1;
    /// The input that each column multiplies, [1, cols] of the same depth on the same device, which
    /// several weights may share; none: each its own. See WeightSource::columns.
    std::shared_ptr<const Weight> columns;
};

/// What one layer of one session keeps. Keys and values: [Hkv, capacity, D] and [Hkv, capacity,
/// Dv], each F32, F16 or Q8_0 (where D and Dv are multiples of 32). A latent cache (MLA) has no
/// values of its own: they are the first Dv channels of the keys, and values == nullptr. A layer
/// without attention has neither keys nor values, and kvHeads == 0. Recurrent layers have a state.
struct KvLayer
{
    Buffer *keys = nullptr;
    Buffer *values = nullptr;
    DType dtype = DType::F16;
    std::int64_t kvHeads = 0, capacity = 0;
    std::int64_t headDim = 0, valueDim = 0; // D, Dv
    Buffer *state = nullptr;                // F32, zero before the first token
    std::int64_t stateSize = 0;             // numbers
};

} // namespace fireside
