#pragma once
#include "engine/backend/backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fireside {

class Gguf;

/// The weight table of a file: fetching a weight states its shape, a mismatch prints both.
class WeightTable
{
public:
    explicit WeightTable(const Gguf &gguf)
        : m_gguf(gguf)
    {}

    /// [rows outputs, cols inputs]. Error(BadInput): missing, or another shape; Error(Unsupported):
    /// a type we do not compute with.
    WeightSource matrix(const std::string &name, std::int64_t rows, std::int64_t cols) const;
    /// [1, n]
    WeightSource vector(const std::string &name, std::int64_t n) const
    {
        return matrix(name, 1, n);
    }
    bool has(std::string_view name) const;

private:
    const Gguf &m_gguf;
};

} // namespace fireside
