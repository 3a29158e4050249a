#pragma once
#include "engine/backend/ops/linear.h"
#include "engine/tensor/dtype.h"
#include "engine/vulkan/pass/q8_activations.h"
#include "shaders/common/activation_kinds.h"

#include <cstdint>
#include <optional>
#include <span>

// Products of up to 128 rows on cooperative matrices: several chats in one batch, prompts that join
// them, short prompts. Each weight is read and decoded once per dispatch. Shapes are checked in
// linear.cpp.
namespace fireside::vulkan {

class Recorder;
struct Capabilities;

/// How a dispatch is spread over the device; the names are those of
/// shaders/ops/matmul/small_gemm_matrix.comp and staged_gemm_matrix.comp.
struct SmallGemmShape
{
    bool staged = false; // x goes through shared memory, in `buffers` parts
    std::uint32_t subgroups = 16, across = 1, held = 2, together = 1, buffers = 2;
    std::uint32_t splits = 1, tilesPerGroup = 2, down = 1; // down: tiles at a time
    std::uint32_t abreast = 1; // tiles that subgroups, which it divides, take side by side
    std::uint32_t steps = 1, ahead = 2;
    bool exact = false; // x in two parts

    /// Columns whose x the threads of a group hold.
    std::int64_t heldCols(DType weight) const;
    std::uint32_t sharedBytes(bool gated) const; // besides the decoder's own
};

/// Of a matrix: threads of the subgroup, rows of the weight, rows of x.
inline constexpr std::uint32_t kSmallGemmLanes = 32, kSmallGemmTileRows = 16, kSmallGemmColumns = 8;
/// Elements of a weight that a thread loads at once: kUnit of shaders/quant/, 16 bytes of the first
/// plane.
std::uint32_t smallGemmUnit(DType type);
/// Workgroups at most of a dispatch that is cut into splits which the last of them adds up.
inline constexpr std::uint32_t kMaxSmallGemmGroups = 1024;

/// Up to how many rows products with weights of this type should go here; 0: the device or the
/// build cannot.
std::int64_t maxSmallGemmRows(const Recorder &r, DType weight);

/// Whether a product of so many rows should go here. Of many rows and in many short splits adding
/// up takes as long as multiplying, which tiles do as fast.
bool suitsSmallGemm(const Recorder &r, std::int64_t rows, const Weight &weight);

/// Whether products with this weight round x to F16.
bool roundsSmallGemmInput(const Weight &weight);

/// How x would have to lie so that a product with this weight reads it as it comes, if the dispatch
/// that makes x can see to that: F16, without a norm and, behind its columns, without zeros.
std::optional<RowOrder> smallGemmForm(const Recorder &r, const LinearInput &x,
                                      const Weight &weight);

/// A result once more, in the order in which a product reads it: F16 [columns, cols], columns of
/// whole matrices.
struct OrderedRows
{
    Tensor rows;
    RowOrder form;
};
/// Memory for that of `out` [rows, cols], to be filled and provided; none where no product that
/// reads it is announced, or there is no room.
std::optional<OrderedRows> orderedRowsOf(Recorder &r, const Tensor &out);

/// Matrices of kSmallGemmColumns that so many rows of x take, side by side.
std::uint32_t smallGemmAcross(std::int64_t rows);
/// rows of x; outs of all targets together
SmallGemmShape smallGemmShape(const Capabilities &device, DType weight, std::int64_t rows,
                              std::int64_t outs, std::int64_t cols, bool gated);

void linearSmallGemm(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                     Accumulate mode);
/// Both matrices must lie in the same type.
void gatedLinearSmallGemm(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                          Activation act, const Tensor &out);

// --- the dispatches, for measurements ---

/// x as the kernel reads it.
struct SmallGemmInput
{
    Tensor x;
    bool plain = false; // as it was
};
/// Brings x, with its norm taken, into the order for weights of this type. F16 that is neither
/// normed nor has gaps is taken as it is.
SmallGemmInput prepareSmallGemm(Recorder &r, const LinearInput &x, DType weight,
                                const SmallGemmShape &shape);

/// Up to three targets of one type of weights and one of outputs, or the gate and up. `input` is
/// what was prepared, of `rows` rows and `cols` columns; `number` tells dispatches apart that may
/// run at the same time.
struct SmallGemmDispatch
{
    SmallGemmInput input;
    std::int64_t rows = 0, cols = 0;
    std::span<const LinearTarget> targets;
    bool add = false, gated = false;
    std::uint32_t activation = kActivationNone, number = 0;
    Tensor ordered{}; // gated: the result once more, if this has columns, in the order `form`
    RowOrder form{};
};
void dispatchSmallGemm(Recorder &r, const SmallGemmDispatch &dispatch, const SmallGemmShape &shape);

} // namespace fireside::vulkan
