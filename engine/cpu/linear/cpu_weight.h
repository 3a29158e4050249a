#pragma once
#include "engine/backend/backend.h"
#include "engine/cpu/linear/linear.h"

#include <string_view>
#include <vector>

namespace fireside::cpu {

/// A view of the mapped file. Vectors (one row, of any depth: norms, biases) are widened to floats
/// once.
class CpuWeight final : public Weight
{
public:
    /// Error(BadInput) when bytes and shape disagree, Error(Unsupported) for a type we cannot use.
    explicit CpuWeight(const WeightSource &source);

    /// The matrix of one expert.
    WeightMatrix matrix(std::int64_t expert = 0) const;
    /// The only row (of one expert) as floats [cols]; Error(Internal) when there are more.
    const float *vector(std::int64_t expert = 0) const;
    /// A row of the first matrix.
    const std::byte *row(std::int64_t index) const;

private:
    const std::byte *m_data = nullptr;
    std::vector<const std::byte *> m_parts; // each matrix, where they do not lie together
    std::vector<float> m_floats;
};

/// The weight as one of ours; Error(Internal) for another device's.
const CpuWeight &asCpu(const Weight &weight);

} // namespace fireside::cpu
