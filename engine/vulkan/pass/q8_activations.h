#pragma once
#include "engine/backend/ops/linear.h"
#include "engine/vulkan/pass/recorder.h"
#include "engine/vulkan/weights/vulkan_buffer.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fireside::vulkan {

/// The form in which a product takes its input: q8 activations, or (unit not 0) F16 reordered for a
/// small-batch gemm whose weights are loaded in units of so many columns, `together` at once.
struct RowOrder
{
    std::uint32_t unit = 0, together = 0;
    bool operator==(const RowOrder &) const = default;
};

/// Activations of a pass quantised to 8 bits (shaders/common/q8_activations.h), each with or
/// without a norm's weights: made once, by the dispatch that writes the activations where it is
/// known what will read them (hint()), and read by every product until the activations change.
/// Activations reordered for small-batch gemms (small_gemm.h) are kept in the same way.
class Q8Activations
{
public:
    explicit Q8Activations(std::shared_ptr<Gpu> gpu)
        : m_gpu(std::move(gpu))
    {}
    /// A pass begins.
    void clear();
    /// A dispatch is recorded that writes these ranges: what was made of them is stale.
    void overwritten(std::span<const Access> ranges);

    /// Whether the weight lies on this device.
    bool isOurs(const Weight &weight) const;
    /// Whether input.x may be quantised for a product with this weight: the weight and the norm lie
    /// on this device, and the ring has room.
    bool mayServe(const LinearInput &input, const Weight &weight) const;
    /// The next dispatch that writes input.x may make q8 activations of it. Only what mayServe(),
    /// for weights that are read so.
    void hint(const LinearInput &input, const RowOrder &form = {});
    /// What is known of the reader of `out`. To be asked once, by who will make them.
    struct Hint
    {
        const Weight *norm = nullptr;
        RowOrder form;
    };
    std::optional<Hint> takeHint(const Tensor &out, bool ordered = false);

    /// Whether there is room for those of x.
    bool fits(const Tensor &x) const;
    /// Those of x, if there are any: I32 [rows, words].
    std::optional<Tensor> find(const Tensor &x, const Weight *norm,
                               const RowOrder &form = {}) const;
    /// A place for those of x. Hand it to provide() once the dispatch that fills it is recorded.
    /// Error(Memory) where the first finds no room on the device.
    Tensor reserve(const Tensor &x);
    /// The same for F16 [rows, cols] in another order.
    Tensor reserveOrdered(std::int64_t rows, std::int64_t cols);
    bool fitsOrdered(std::int64_t rows, std::int64_t cols) const;
    void provide(const Tensor &x, const Weight *norm, const Tensor &rows,
                 const RowOrder &form = {});

private:
    struct Made
    {
        Tensor x;
        const Weight *norm;
        Tensor rows;
        RowOrder form;
    };
    Tensor take(DType type, std::int64_t rows, std::int64_t cols);

    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<VulkanBuffer> m_ring; // when the first are made
    std::size_t m_cursor = 0;
    std::vector<Made> m_made, m_hints; // the latter without rows
};

/// The q8 activations of an input, made by a dispatch of their own if there are none yet.
Tensor q8ActivationsOf(Recorder &r, const LinearInput &input);

} // namespace fireside::vulkan
