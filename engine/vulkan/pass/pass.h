#pragma once
#include "engine/backend/ops/advance.h"
#include "engine/vulkan/pass/pass_tables.h"
#include "engine/vulkan/platform/recording.h"

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace fireside::vulkan {

/// What must be equal for a recording to serve another pass.
struct PassForm
{
    struct Layer
    {
        bool present = false;
        DType dtype = DType::F16;
        std::int64_t kvHeads = 0, headDim = 0, valueDim = 0;
        bool operator==(const Layer &) const = default;
    };
    std::uint64_t name = 0; // PassOptions::recording
    bool timed = true;      // has timestamps
    std::int64_t rows = 0, outputRows = 0;
    std::vector<std::int64_t> itemRows;
    std::int64_t maxKeys = 0;
    std::vector<Layer> layers;
    bool operator==(const PassForm &) const = default;
};
/// The length of caches that a recording is made for, so that a growing one needs a new recording
/// only when it has doubled.
std::int64_t roundedKeys(std::int64_t longest);
PassForm formOf(std::uint64_t name, const PassTables &tables, std::int64_t maxKeys);

/// A recorded pass with what belongs to it.
struct Pass
{
    explicit Pass(Gpu &gpu)
        : recording(gpu)
    {}
    void reset();

    Recording recording;
    PassForm form;
    bool complete = false;  // recorded to its end
    bool replayable = true; // no values of the host inside
    std::array<Tensor, 8> kept{};
    /// Where in the mirror a kept tensor is copied at the end of the pass.
    std::array<std::optional<std::size_t>, 8> mirrored{};
    std::optional<op::Advance> advance;     // the op it ends with
    std::optional<std::int64_t> tableRows;  // ids must be below
    std::optional<std::int64_t> outputFrom; // output rows must be below
};

/// The passes kept for replay, the latest first, and one for those that are not.
class PassStore
{
public:
    explicit PassStore(Gpu &gpu);
    /// The pass of this form; null when there is none.
    Pass *find(const PassForm &form);
    /// An empty pass to record: kept under its form once it is complete, when it has a name.
    Pass &start(PassForm form);
    /// Nothing recorded may be used again.
    void clear() { m_kept.clear(); }
    void forget(const Pass &pass);

private:
    Gpu &m_gpu;
    std::list<std::unique_ptr<Pass>> m_kept;
    Pass m_other;
};

} // namespace fireside::vulkan
