// The part of WeightTable that takes quantised weights of folders.
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/tensor_names.h"
#include "engine/model/weights.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fireside {
namespace {

std::uint64_t asUnsigned(std::int64_t n)
{
    return static_cast<std::uint64_t>(n);
}

template <typename Number>
std::size_t sizeOf(Number n)
{
    return static_cast<std::size_t>(n);
}

void appendColumns(const PackedWeight &weight, std::vector<float> &columns)
{
    const std::size_t before = columns.size();
    columns.resize(before + sizeOf(weight.cols));
    if (weight.columns.empty())
        std::iota(columns.begin() + static_cast<std::ptrdiff_t>(before), columns.end(), 0.0f);
    else
        std::transform(weight.columns.begin(), weight.columns.end(), &columns[before],
                       [](std::int32_t column) { return static_cast<float>(column); });
}

} // namespace

WeightSource WeightTable::oneByOne(const std::string &name, std::int64_t depth, std::int64_t rows,
                                   std::int64_t cols) const
{
    const std::size_t star = name.find('*');
    std::vector<const ModelTensor *> tensors;
    for (std::int64_t e = 0; e < depth; ++e)
        tensors.push_back(&require(name.substr(0, star) + std::to_string(e) + name.substr(star + 1),
                                   1, rows, cols));
    const bool packed = std::all_of(tensors.begin(), tensors.end(),
                                    [](const ModelTensor *t) { return t->packed != nullptr; });
    const auto typeOf = [&](const ModelTensor *t) {
        return packed ? t->packed->productType() : *t->dtype;
    };
    WeightSource source{.name = name,
                        .dtype = typeOf(tensors.front()),
                        .rows = rows,
                        .cols = cols,
                        .depth = depth,
                        .bytes = {}};
    for (const ModelTensor *t : tensors)
        if (typeOf(t) != source.dtype)
            throwUnsupported(m_file.path().string() + ": tensor " +
                             fireside::quoted(std::string(t->name)) + " is " + t->type +
                             ", unlike the first expert's " + fireside::name(source.dtype) +
                             ": not supported");
    if (!packed) {
        for (const ModelTensor *t : tensors)
            source.parts.push_back(contents(*t));
        return source;
    }
    const auto ordered = [](const ModelTensor *t) { return !t->packed->columns.empty(); };
    if (std::any_of(tensors.begin(), tensors.end(), ordered))
        for (const ModelTensor *t : tensors)
            appendColumns(*t->packed, source.columns);
    source.makeRows = inThisFile(
        [tensors](std::int64_t matrix, std::int64_t row, std::int64_t count, std::byte *to) {
            unpackRows(*tensors[sizeOf(matrix)]->packed, asUnsigned(row), asUnsigned(count), to,
                       ColumnOrder::ByGroup);
        });
    return source;
}

/// Names the file in what goes wrong.
WeightSource::MakeRows WeightTable::inThisFile(WeightSource::MakeRows make) const
{
    return [make = std::move(make), path = m_file.path().string()](
               std::int64_t matrix, std::int64_t row, std::int64_t count, std::byte *to) {
        try {
            make(matrix, row, count, to);
        } catch (const Error &e) {
            throw Error(e.kind(), path + ": " + e.what());
        }
    };
}

/// Rows of a packed weight, in the order wanted, are made when a device asks for them.
void WeightTable::unpack(const PackedWeight &weight, const TensorForm &form,
                         WeightSource &source) const
{
    source.dtype = weight.productType();
    for (std::int64_t i = 0; i < source.depth && !weight.columns.empty(); ++i)
        appendColumns(weight, source.columns);
    source.makeRows = inThisFile([&weight, form, rows = source.rows,
                                  &config = m_config](std::int64_t matrix, std::int64_t row,
                                                      std::int64_t count, std::byte *to) {
        const std::int64_t first = matrix * rows * form.timesRows;
        if (!form.order)
            return unpackRows(weight, asUnsigned(first + row), asUnsigned(count), to,
                              ColumnOrder::ByGroup);
        const std::size_t bytes = rowBytes(weight.productType(), sizeOf(weight.cols));
        const std::int64_t end = row + count;
        while (row < end) { // those that follow each other at once
            const std::int64_t from = form.order(row, rows, config);
            std::int64_t run = 1;
            while (row + run < end && form.order(row + run, rows, config) == from + run)
                ++run;
            unpackRows(weight, asUnsigned(first + from), asUnsigned(run), to, ColumnOrder::ByGroup);
            to += sizeOf(run) * bytes;
            row += run;
        }
    });
}

WeightSource WeightTable::filled(WeightSource source) const
{
    if (!source.makeRows || shapesOnly())
        return source;
    const std::size_t matrix = sizeOf(source.rows) * rowBytes(source.dtype, sizeOf(source.cols));
    const std::span<std::byte> bytes = own(sizeOf(source.depth) * matrix);
    for (std::int64_t i = 0; i < source.depth; ++i)
        source.makeRows(i, 0, source.rows, &bytes[sizeOf(i) * matrix]);
    source.makeRows = {};
    source.bytes = bytes;
    return source;
}

WeightSource WeightTable::held(WeightSource source) const
{
    const std::vector<float> columns = std::exchange(source.columns, {});
    source = filled(std::move(source));
    if (columns.empty())
        return source;
    const DType type = std::exchange(source.dtype, DType::F32);
    if (shapesOnly())
        return source;
    const std::size_t cols = sizeOf(source.cols), rows = sizeOf(source.rows);
    const std::span<const std::byte> from = source.bytes;
    const std::span<std::byte> bytes = own(sizeOf(source.depth) * rows * cols * sizeof(float));
    std::vector<float> byGroup(cols), row(cols);
    for (std::size_t r = 0; r < sizeOf(source.depth) * rows; ++r) {
        dequantizeRow(type, &from[r * rowBytes(type, cols)], byGroup.data(), cols);
        for (std::size_t j = 0; j < cols; ++j)
            row[sizeOf(columns[r / rows * cols + j])] = byGroup[j];
        std::copy_n(reinterpret_cast<const std::byte *>(row.data()), cols * sizeof(float),
                    &bytes[r * cols * sizeof(float)]);
    }
    source.bytes = bytes;
    return source;
}

/// The bytes of a tensor as its type says.
std::span<const std::byte> WeightTable::contents(const ModelTensor &t) const
{
    if (!t.packed || shapesOnly())
        return t.bytes;
    const std::span<std::byte> bytes = own(t.packed->storedBytes());
    inThisFile([&](std::int64_t, std::int64_t, std::int64_t rows, std::byte *to) {
        unpackRows(*t.packed, 0, asUnsigned(rows), to);
    })(0, 0, static_cast<std::int64_t>(t.packed->depth * t.packed->rows), bytes.data());
    return bytes;
}

} // namespace fireside
