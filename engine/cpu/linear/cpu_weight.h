#pragma once
#include "engine/backend/backend.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/linear/linear.h"
#include "engine/cpu/linear/weight_pages.h"

#include <memory>
#include <string_view>
#include <vector>

namespace fireside::cpu {

/// A view of the mapped file, or memory of its own for what is made of one. Vectors (one row, of
/// any depth: norms, biases) are widened to floats once.
class CpuWeight final : public Weight
{
public:
    /// Error(BadInput) when bytes and shape disagree, Error(Unsupported) for a type we cannot use.
    /// With a pool its threads make what the source makes. `pages`: is told where the weight lies,
    /// and stopped before this is no longer so.
    explicit CpuWeight(const WeightSource &source, ThreadPool *pool = nullptr,
                       std::shared_ptr<WeightPages> pages = {},
                       std::shared_ptr<MemoryLedger> ledger = {});
    ~CpuWeight() override;
    CpuWeight(const CpuWeight &) = delete;
    CpuWeight &operator=(const CpuWeight &) = delete;

    /// The matrix of one expert.
    WeightMatrix matrix(std::int64_t expert = 0) const;
    /// The only row (of one expert) as floats [cols]; Error(Internal) when there are more.
    const float *vector(std::int64_t expert = 0) const;
    /// A row of the first matrix.
    const std::byte *row(std::int64_t index) const;

private:
    void make(const WeightSource &source, ThreadPool *pool);

    const std::byte *m_data = nullptr;
    std::unique_ptr<std::byte[]> m_made;    // of a source that makes its rows
    std::vector<const std::byte *> m_parts; // each matrix, where they do not lie together
    std::vector<float> m_floats;
    std::shared_ptr<WeightPages> m_pages;
    MemoryEntry m_counted; // what lies in the file's map too
};

/// The weight as one of ours; Error(Internal) for another device's.
const CpuWeight &asCpu(const Weight &weight);

} // namespace fireside::cpu
