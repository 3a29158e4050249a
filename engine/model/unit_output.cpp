#include "engine/model/unit_output.h"

#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fireside {
namespace {

/// Row by row, as F32.
class MatrixRows
{
public:
    explicit MatrixRows(const WeightSource &source)
        : m_source(source)
        , m_row(static_cast<std::size_t>(source.cols))
        , m_bytes(rowBytes(source.dtype, m_row.size()))
    {}
    std::span<const float> at(std::size_t row)
    {
        dequantizeRow(m_source.dtype, &m_source.bytes[row * m_bytes], m_row.data(), m_row.size());
        return m_row;
    }

private:
    const WeightSource &m_source;
    std::vector<float> m_row;
    std::size_t m_bytes;
};

/// 1 / length of each row or each column.
std::vector<double> factorsOf(const WeightSource &source, bool byRows)
{
    const auto rows = static_cast<std::size_t>(source.rows);
    const auto cols = static_cast<std::size_t>(source.cols);
    constexpr double kLeast = 1e-12; // a row of zeros stays so
    std::vector<double> squares(byRows ? rows : cols);
    MatrixRows matrix(source);
    for (std::size_t r = 0; r < rows; ++r) {
        const std::span<const float> row = matrix.at(r);
        for (std::size_t c = 0; c < cols; ++c)
            squares[byRows ? r : c] += double{row[c]} * double{row[c]};
    }
    for (double &s : squares)
        s = 1 / std::max(std::sqrt(s), kLeast);
    return squares;
}

} // namespace

WeightSource inForm(const WeightTable &table, WeightSource source, OutputForm form)
{
    if (form == OutputForm::Stored)
        return source;
    const WeightSource stored = table.held(std::move(source));
    WeightSource made = stored;
    made.dtype = stored.dtype == DType::F32 ? DType::F32 : DType::F16;
    made.bytes = {};
    if (table.shapesOnly())
        return made;
    const bool byRows = form == OutputForm::UnitRows;
    const std::vector<double> factors = factorsOf(stored, byRows);
    const auto cols = static_cast<std::size_t>(stored.cols);
    const std::size_t size = info(made.dtype).blockBytes;
    const std::span<std::byte> bytes =
        table.own(static_cast<std::size_t>(stored.rows) * cols * size);
    MatrixRows matrix(stored);
    for (std::size_t r = 0; r < static_cast<std::size_t>(stored.rows); ++r) {
        const std::span<const float> row = matrix.at(r);
        for (std::size_t c = 0; c < cols; ++c) {
            const auto value = static_cast<float>(double{row[c]} * factors[byRows ? r : c]);
            const std::uint16_t half = floatToHalf(value);
            const void *const from = made.dtype == DType::F32 ? static_cast<const void *>(&value)
                                                              : static_cast<const void *>(&half);
            std::memcpy(&bytes[(r * cols + c) * size], from, size);
        }
    }
    made.bytes = bytes;
    return made;
}

} // namespace fireside
