#pragma once
#include "engine/backend/batch.h"
#include "engine/backend/ops/op_check.h"
#include "engine/vulkan/platform/api.h"
#include "engine/vulkan/platform/capabilities.h"
#include "engine/vulkan/platform/throughput.h"
#include "engine/vulkan/weights/vulkan_weight.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace fireside::vulkan {

struct Workgroups
{
    std::int64_t x = 1, y = 1, z = 1;
};

/// A part of a buffer that a dispatch reads or writes. Weights and the pass's own tables need none.
struct Access
{
    const Buffer *buffer = nullptr;
    std::size_t begin = 0, end = 0; // bytes
};
Access accessOf(const Tensor &tensor);
/// Whether they have a byte in common.
bool overlap(const Access &a, const Access &b);

class Q8Activations;

/// What the files of the ops see of the pass being recorded: they append dispatches. Barriers
/// follow from what dispatches read and write; submissions are cut between dispatches.
class Recorder
{
public:
    virtual ~Recorder() = default;
    virtual const Capabilities &capabilities() const = 0;

    /// Appends one dispatch. `shader` is a name of shaders/, `constants` are its specialisation
    /// constants 0, 1, …; `push` is its struct from shaders/ops/ (128 bytes at most). A dispatch
    /// with a group count of zero is left out. Error(Internal) when a count is over the device's
    /// limit.
    template <typename Push>
    void dispatch(std::string_view shader, std::span<const std::uint32_t> constants,
                  const Push &push, const Workgroups &groups, std::initializer_list<Access> reads,
                  std::initializer_list<Access> writes, const Work &work)
    {
        static_assert(sizeof(Push) <= 128 && std::is_trivially_copyable_v<Push>);
        append(shader, constants, &push, sizeof push, groups, {reads.begin(), reads.size()},
               {writes.begin(), writes.size()}, work);
    }
    virtual void append(std::string_view shader, std::span<const std::uint32_t> constants,
                        const void *push, std::size_t pushBytes, const Workgroups &groups,
                        std::span<const Access> reads, std::span<const Access> writes,
                        const Work &work) = 0;
    /// Whether the build has a shader of this name.
    virtual bool hasShader(std::string_view shader) const = 0;

    /// How many rows of a large op to dispatch at once, so that no submission takes too long; all
    /// of them on fast devices. A multiple of `multiple`, at least that.
    virtual std::int64_t rowsPerDispatch(const Work &wholeOp, std::int64_t rows,
                                         std::int64_t multiple) const = 0;

    virtual VkDeviceAddress address(const Tensor &tensor) const = 0;
    /// Small tables (rope frequencies) that stay on the device; equal contents are kept once.
    virtual VkDeviceAddress table(std::span<const std::byte> contents) = 0;

    virtual Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype = DType::F32) = 0;
    virtual std::size_t mark() const = 0;
    virtual void release(std::size_t mark) = 0;
    /// Dispatches until endOp() count as this op, and take scratch from there on; see OpScope.
    virtual std::size_t beginOp(const char *op, std::size_t scratchFrom) = 0;
    virtual void endOp(std::size_t scratchFrom) = 0;
    /// What was made of activations for products of few rows.
    virtual Q8Activations &q8Activations() = 0;

    // --- the pass: addresses are stable, contents change with each replay ---
    virtual std::int64_t rows() const = 0;                // T
    virtual std::span<const BatchItem> items() const = 0; // as recorded: only rows are sure to
                                                          // be the same in a replay
    /// No item's cache is longer than this in any replay: for counts of groups.
    virtual std::int64_t maxKeys() const = 0;
    virtual VkDeviceAddress idTable() const = 0;                  // i32 [T]
    virtual VkDeviceAddress positions() const = 0;                // i32 [T]
    virtual VkDeviceAddress rowItems() const = 0;                 // u32 [T]: the item of each row
    virtual VkDeviceAddress itemTable() const = 0;                // PassItem [items]
    virtual VkDeviceAddress caches(std::int64_t layer) const = 0; // PassCache [items]
    virtual VkDeviceAddress advanceState() const = 0;             // AdvanceState
    virtual VkDeviceAddress advanceResults() const = 0;           // see shaders/ops/rows/advance.h
    /// The layer's cache of all items as one thing that dispatches read or write; its KvLayer is as
    /// the first item's (heads, sizes, type), which all share. Error(Internal) if it does not fit
    /// the shape.
    virtual const KvLayer &cache(std::int64_t layer) const = 0;
    virtual Access cacheAccess(std::int64_t layer) const = 0;
    /// PassCache [items] of a layer that keeps this part of a state for each item; Error(Internal)
    /// of `op` if it does not.
    virtual VkDeviceAddress states(const char *op, const op::StatePart &part) const = 0;
    virtual Access stateAccess(const op::StatePart &part) const = 0;
};

/// What is dispatched while one exists counts as this op and takes scratch from `scratchFrom` on, a
/// mark().
class OpScope
{
public:
    OpScope(Recorder &recorder, const char *op, std::size_t scratchFrom)
        : m_recorder(recorder)
        , m_before(recorder.beginOp(op, scratchFrom))
    {}
    ~OpScope() { m_recorder.endOp(m_before); }
    OpScope(const OpScope &) = delete;
    OpScope &operator=(const OpScope &) = delete;

private:
    Recorder &m_recorder;
    std::size_t m_before;
};

/// Whether they name the same elements.
bool isSame(const Tensor &a, const Tensor &b);
inline std::uint32_t isHalf(const Tensor &tensor)
{
    return tensor.dtype == DType::F16 ? 1 : 0;
}
inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

} // namespace fireside::vulkan
