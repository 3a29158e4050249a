#include "engine/backend/measuring_device.h"

#include "engine/backend/hand_over.h"
#include "engine/backend/op.h"
#include "engine/tensor/planes.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

/// More than any device aligns scratch tensors to.
constexpr std::uint64_t kAlignment = 256;

// What devices take inside an op, in numbers of 4 bytes. They give it back with the op.

template <typename Other>
std::int64_t insideOf(const Other & /*op*/)
{
    return 0;
}

/// The input with its norm taken or as halves, and the sums of columns that were cut into at most 8
/// parts, which happens only as long as the parts do not fill a device.
std::int64_t insideProduct(std::int64_t rows, std::int64_t in, std::int64_t outs)
{
    constexpr std::int64_t kPartialSums = std::int64_t{128} << 20 >> 2;
    return rows * (in + 8) + std::min(kPartialSums, 8 * rows * outs);
}

std::int64_t insideOf(const op::Linear &op)
{
    std::int64_t outs = 0;
    for (const LinearTarget &target : op.targets)
        outs += target.out.cols;
    return insideProduct(op.input.x.rows, op.input.x.cols, outs);
}

std::int64_t insideOf(const op::GatedLinear &op)
{
    const std::int64_t rows = op.input.x.rows, ffn = op.out.cols;
    // Gate and up apart where their types differ.
    return insideProduct(rows, op.input.x.cols, 2 * ffn) + 2 * rows * ffn;
}

/// Rows sorted by expert, and their tiles.
std::int64_t sortedRows(std::int64_t pairs, std::int64_t experts)
{
    return 8 * pairs + 8 * (experts + 1);
}

std::int64_t insideOf(const op::ExpertGatedLinear &op)
{
    return insideProduct(op.input.x.rows, op.input.x.cols, 0) +
           insideProduct(op.out.rows, 0, 2 * op.out.cols) +
           sortedRows(op.out.rows, op.weights.up->depth);
}

std::int64_t insideOf(const op::ExpertLinear &op)
{
    // Each expert's result before they are summed.
    return insideProduct(op.x.rows, op.x.cols, op.out.cols) + op.x.rows * op.out.cols +
           sortedRows(op.x.rows, op.down.depth);
}

std::int64_t insideOf(const op::HeadLinear &op)
{
    return insideProduct(op.x.rows, op.x.cols, op.out.cols);
}

/// The partial results of split keys, at most 16 MiB for each of the two ways to read them.
std::int64_t insideAttention(const Tensor &q, const AttentionShape &shape)
{
    constexpr std::int64_t kPartials = std::int64_t{2} * (16 << 20) / 4;
    return std::min(kPartials, q.rows * shape.heads * 256 * (shape.values() + 4));
}

std::int64_t insideOf(const op::Attention &op)
{
    return insideAttention(op.q, op.shape);
}

std::int64_t insideOf(const op::SequenceAttention &op)
{
    return insideAttention(op.q, op.shape);
}

/// Candidates of the parts of long rows.
std::int64_t insideOf(const op::TopK &op)
{
    return op.x.rows * 2 * 64 * op.values.cols;
}

std::int64_t insideOf(const op::Argmax &op)
{
    return op.x.rows * 2 * 1024;
}

/// Bytes of a product's activations on the CPU: whole numbers with scales and sums for products
/// with quantised weights, else floats in another order.
void addForms(MeasuredNeeds &needs, const Weight *weight, std::int64_t rows)
{
    if (weight == nullptr)
        return;
    const auto numbers = static_cast<std::uint64_t>(rows * weight->cols);
    if (isFloatType(weight->dtype))
        needs.floatForms = std::max(needs.floatForms, numbers * sizeof(float));
    else
        needs.byteForms = std::max(needs.byteForms, numbers * 15 / 8);
}

template <typename Other>
void addForms(MeasuredNeeds & /*needs*/, const Other & /*op*/)
{}

void addForms(MeasuredNeeds &needs, const op::Linear &op)
{
    for (const LinearTarget &target : op.targets)
        addForms(needs, target.weight, op.input.x.rows);
}

void addForms(MeasuredNeeds &needs, const op::GatedLinear &op)
{
    addForms(needs, op.weights.gate, op.input.x.rows);
    addForms(needs, op.weights.up, op.input.x.rows);
}

class MeasuringCommands final : public Commands, public HandOver
{
public:
    MeasuringCommands(MeasuredNeeds &needs, std::int64_t maxRows)
        : m_needs(needs)
        , m_rows(maxRows)
    {}

    Begin begin(const Batch &batch, const PassOptions &) override
    {
        m_rows = static_cast<std::int64_t>(batch.ids.size());
        m_outputRows = static_cast<std::int64_t>(batch.outputRows.size());
        m_items.assign(batch.items.begin(), batch.items.end());
        m_used = 0;
        m_shared = 0;
        return Begin::Record;
    }
    Tensor ids() const override { return integers(m_rows); }
    Tensor positions() const override { return integers(m_rows); }
    Tensor outputRows() const override { return integers(m_outputRows); }

    Tensor scratch(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        const Tensor tensor{nullptr, m_used, dtype, rows, cols, cols};
        take(static_cast<std::uint64_t>(rows * cols) * info(dtype).blockBytes);
        m_needs.own = std::max<std::uint64_t>(m_needs.own, m_used);
        m_needs.scratch = std::max<std::uint64_t>(m_needs.scratch, m_used);
        return tensor;
    }
    std::size_t mark() const override { return m_used; }
    void release(std::size_t mark) override { m_used = mark; }
    void keep(int slot, const Tensor &tensor) override { m_kept.at(at(slot)) = tensor; }
    Tensor kept(int slot) const override { return m_kept.at(at(slot)); }

    /// What it would take counts, and then what the other way takes.
    bool expandsLatent(const op::ExpandedAttention &op) const override
    {
        constexpr std::uint64_t kPartials = std::uint64_t{32} << 20;
        m_needs.scratch =
            std::max(m_needs.scratch, m_used + static_cast<std::uint64_t>(op.room) + kPartials);
        return false;
    }
    void take(const Op &op) override
    {
        const std::size_t before = m_used;
        m_needs.work += workOf(op, {m_rows, m_items});
        ++m_needs.ops;
        const std::int64_t numbers = std::visit(
            [&](const auto &each) {
                check(each, {m_rows, m_items});
                addForms(m_needs, each);
                return insideOf(each);
            },
            static_cast<const Op::variant &>(op));
        constexpr std::uint64_t kTensors = 4; // that an op takes at once
        take(4 * static_cast<std::uint64_t>(numbers) + kTensors * kAlignment);
        m_needs.scratch = std::max<std::uint64_t>(m_needs.scratch, m_used);
        m_used = before;
    }
    void upload(std::span<const float>, const Tensor &) override {}
    void upload(std::span<const std::int32_t>, const Tensor &) override {}
    void sync() override {}
    void read(const Tensor &, std::span<float>) override {}
    void read(const Tensor &, std::span<std::int32_t>) override {}
    std::vector<OpTime> takeOpTimes() override { return {}; }

    void prepareHandOver(const Needs &needs) override { m_helper = needs.helper; }
    void bring(std::span<const float>) override {}
    void takeBrought(const Tensor &) override {}
    Tensor shared(std::int64_t rows, std::int64_t cols, DType dtype) override
    {
        m_shared += sharedBytes(rows, cols, dtype);
        m_needs.shared = std::max(m_needs.shared, m_shared);
        return scratch(rows, cols, dtype); // as it is on the CPU
    }
    void handOver(const HandedWork &work) override
    {
        m_shared = 0;
        recordHandedWork(*m_helper, work);
    }

private:
    static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
    static Tensor integers(std::int64_t rows) { return {nullptr, 0, DType::I32, rows, 1, 1}; }
    void take(std::uint64_t bytes) { m_used += (bytes + kAlignment - 1) / kAlignment * kAlignment; }

    MeasuredNeeds &m_needs;
    std::int64_t m_rows, m_outputRows = 0;
    std::vector<BatchItem> m_items;
    std::array<Tensor, 8> m_kept{};
    std::size_t m_used = 0;
    std::uint64_t m_shared = 0;
    Commands *m_helper = nullptr;
};

} // namespace

std::unique_ptr<Buffer> MeasuringDevice::allocate(std::size_t, std::string_view, MemoryPurpose)
{
    throwInternal("nothing lies on a device that only measures");
}

std::unique_ptr<Weight> MeasuringDevice::addWeight(const WeightSource &source)
{
    auto weight = std::make_unique<Weight>();
    weight->name = source.name;
    weight->dtype = source.dtype;
    weight->rows = source.rows;
    weight->cols = source.cols;
    weight->depth = source.depth;
    const std::uint64_t bytes = static_cast<std::uint64_t>(source.depth * source.rows) *
                                rowBytes(source.dtype, static_cast<std::size_t>(source.cols));
    m_weights.onCpu += bytes;
    m_weights.made += source.makeRows ? bytes : 0;
    if (source.rows == 1 && (source.dtype != DType::F32 || !source.parts.empty()))
        m_weights.onCpu += static_cast<std::uint64_t>(source.depth * source.cols) * sizeof(float);
    m_weights.inPlanes.push_back(
        bytesInPlanes(source.dtype, source.rows, source.cols, source.depth));
    return weight;
}

std::unique_ptr<Commands> MeasuringDevice::commands(std::size_t, std::int64_t maxRows)
{
    return std::make_unique<MeasuringCommands>(m_needs, maxRows);
}

} // namespace fireside
