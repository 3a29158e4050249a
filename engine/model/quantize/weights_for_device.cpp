// The part of WeightTable that makes weights into other types.
#include "engine/core/quote.h"
#include "engine/core/thread_pool.h"
#include "engine/files/model_file.h"
#include "engine/model/quantize/load_types.h"
#include "engine/model/weights.h"
#include "engine/tensor/quantize.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fireside {

void WeightTable::quantizeTo(const LoadTypes &types, int threads, std::stop_token stop)
{
    m_types = &types;
    m_pool = std::make_unique<ThreadPool>(threads);
    m_stop = std::move(stop);
}

WeightSource WeightTable::forDevice(const std::string &name,
                                    const std::function<WeightSource()> &fetch) const
{
    if (const auto it = m_quantized.find(name); it != m_quantized.end())
        return it->second; // an embedding that is the output matrix too
    const std::size_t before = m_own.size();
    WeightSource source = fetch();
    if (shapesOnly()) {
        m_requests.push_back({name, source.depth, source.rows, source.cols, source.dtype});
        if (const std::optional<DType> type = m_types ? m_types->find(name) : std::nullopt) {
            source.dtype = *type;
            source.parts.clear();
        }
        return source;
    }
    const std::optional<DType> type = m_types ? m_types->find(name) : std::nullopt;
    if (!type)
        return source;
    source = filled(std::move(source));
    auto made = quantized(source, *type);
    forget(before);
    m_own.push_back(std::move(made));
    source.dtype = *type;
    source.parts.clear();
    source.bytes = *m_own.back();
    m_quantized.insert({name, source});
    m_file.dropPages();
    return source;
}

std::unique_ptr<std::vector<std::byte>> WeightTable::quantized(const WeightSource &source,
                                                               DType type) const
{
    const std::size_t matrix = static_cast<std::size_t>(source.rows) *
                               rowBytes(type, static_cast<std::size_t>(source.cols));
    auto made =
        std::make_unique<std::vector<std::byte>>(static_cast<std::size_t>(source.depth) * matrix);
    for (std::int64_t e = 0; e < source.depth; ++e)
        quantizeTensor(
            {.name = m_file.path().string() + ": tensor " + fireside::quoted(source.name),
             .from = source.dtype,
             .in = source.matrixBytes(e),
             .to = type,
             .out = std::span(*made).subspan(static_cast<std::size_t>(e) * matrix, matrix)},
            *m_pool, m_stop);
    return made;
}

void WeightTable::forget(std::size_t pieces) const
{
    const auto lost = [&](std::span<const std::byte> bytes) {
        return std::any_of(m_own.begin() + static_cast<std::ptrdiff_t>(pieces), m_own.end(),
                           [&](const auto &piece) { return piece->data() == bytes.data(); });
    };
    std::erase_if(m_quantized, [&](const auto &entry) { return lost(entry.second.bytes); });
    m_own.resize(pieces);
}

} // namespace fireside
