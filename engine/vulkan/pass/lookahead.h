#pragma once
#include "engine/backend/commands.h"

#include <vector>

namespace fireside::vulkan {

/// Remembers which pass the next one to run ahead is, so that a request for that one can take its
/// result.
class Lookahead
{
public:
    /// A pass over `batch` begins; those that follow it are the same in everything but ids,
    /// positions and lengths.
    void start(const Batch &batch, const PassOptions &options);
    /// The pass last waited for chose these [T].
    void advance(std::span<const std::int32_t> chosen);
    void stop() { m_rows.clear(); }
    /// Whether the next pass is this one.
    bool isNext(const Batch &batch, const PassOptions &options) const;

private:
    struct Row
    {
        KvLayer cache; // of the first layer
        std::int64_t past = 0;
        std::int32_t position = 0, id = -1;
    };
    std::vector<Row> m_rows;
    std::size_t m_padding = 0; // of them, at the end, that are nobody's
    std::vector<std::int32_t> m_outputRows;
    std::uint64_t m_recording = 0;
    NextIds m_next{}; // without its draws
};

} // namespace fireside::vulkan
