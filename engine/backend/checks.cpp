#include "engine/backend/checks.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <optional>
#include <string>

namespace fireside {
namespace {

std::string describe(const WeightSource &s)
{
    std::string text = std::string("[") + std::to_string(s.rows) + ", " + std::to_string(s.cols);
    if (s.depth != 1)
        text += ", " + std::to_string(s.depth);
    return text + "] " + name(s.dtype);
}

/// Bytes the shape asks for; nullopt when it is empty, cuts a block or overflows.
std::optional<std::size_t> expectedBytes(const WeightSource &s)
{
    const DTypeInfo &type = info(s.dtype);
    if (s.rows <= 0 || s.cols <= 0 || s.depth <= 0 || s.cols % type.blockElements != 0)
        return std::nullopt;
    std::size_t rows = 0, bytes = 0;
    const std::size_t blocks = static_cast<std::size_t>(s.cols) / type.blockElements;
    if (__builtin_mul_overflow(static_cast<std::size_t>(s.rows), static_cast<std::size_t>(s.depth),
                               &rows) ||
        __builtin_mul_overflow(rows, blocks, &bytes) ||
        __builtin_mul_overflow(bytes, std::size_t{type.blockBytes}, &bytes))
        return std::nullopt;
    return bytes;
}

} // namespace

void checkSource(const WeightSource &source)
{
    const auto expected = expectedBytes(source);
    if (!expected)
        throwBadInput("tensor " + fireside::quoted(source.name) + " has an invalid shape " +
                      describe(source));
    const auto depth = static_cast<std::size_t>(source.depth);
    if (!source.parts.empty() && source.parts.size() != depth)
        throwBadInput("tensor " + fireside::quoted(source.name) + " " + describe(source) +
                      " comes in " + std::to_string(source.parts.size()) + " parts");
    const auto expectBytes = [&](std::size_t needed, std::size_t bytes) {
        if (bytes != needed)
            throwBadInput("tensor " + fireside::quoted(source.name) + " " + describe(source) +
                          " needs " + std::to_string(needed) + " bytes but has " +
                          std::to_string(bytes));
    };
    if (source.makeRows)
        return;
    if (source.parts.empty())
        expectBytes(*expected, source.bytes.size());
    for (const std::span<const std::byte> part : source.parts)
        expectBytes(*expected / depth, part.size());
}

void checkBatch(const Batch &batch, std::int64_t maxRows)
{
    const auto T = static_cast<std::int64_t>(batch.ids.size());
    if (batch.positions.size() != batch.ids.size())
        throwInternal("begin: " + std::to_string(T) + " ids but " +
                      std::to_string(batch.positions.size()) + " positions");
    if (T > maxRows)
        throwInternal("begin: " + std::to_string(T) + " rows, planned for at most " +
                      std::to_string(maxRows));
    std::int64_t next = 0;
    for (const BatchItem &item : batch.items) {
        if (item.firstRow != next || item.rows < 0 || item.rows > T - next || item.past < 0)
            throwInternal("begin: item with rows " + std::to_string(item.firstRow) + " + " +
                          std::to_string(item.rows) + " after " + std::to_string(item.past) +
                          " tokens does not continue at row " + std::to_string(next) + " of " +
                          std::to_string(T));
        next += item.rows;
    }
    if (next != T)
        throwInternal("begin: items cover " + std::to_string(next) + " of " + std::to_string(T) +
                      " rows");
    if (static_cast<std::int64_t>(batch.outputRows.size()) > maxRows)
        throwInternal("begin: " + std::to_string(batch.outputRows.size()) +
                      " output rows, planned for at most " + std::to_string(maxRows));
}

} // namespace fireside
