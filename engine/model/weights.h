#pragma once
#include "engine/backend/backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fireside {

class ModelFile;
struct ModelTensor;

/// The weight table of a model, by GGUF names whatever the file: fetching a weight states its
/// shape, a mismatch prints both.
class WeightTable
{
public:
    explicit WeightTable(const ModelFile &file)
        : m_file(file)
    {}

    /// [rows outputs, cols inputs]. Error(BadInput): missing, or another shape; Error(Unsupported):
    /// a type we do not compute with.
    WeightSource matrix(const std::string &name, std::int64_t rows, std::int64_t cols) const;
    /// [1, n]
    WeightSource vector(const std::string &name, std::int64_t n) const
    {
        return matrix(name, 1, n);
    }
    /// One matrix for each of `depth` experts, stored together or one by one.
    WeightSource experts(const std::string &name, std::int64_t depth, std::int64_t rows,
                         std::int64_t cols) const;
    bool has(const std::string &name) const;

private:
    /// The tensor under its own name, its type and shape checked.
    const ModelTensor &require(const std::string &name, std::int64_t depth, std::int64_t rows,
                               std::int64_t cols) const;
    WeightSource apart(const std::string &name, const std::string &before, const std::string &after,
                       std::int64_t depth, std::int64_t rows, std::int64_t cols) const;

    const ModelFile &m_file;
};

} // namespace fireside
