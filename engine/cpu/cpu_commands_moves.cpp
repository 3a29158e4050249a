#include "engine/core/error.h"
#include "engine/cpu/cpu_op.h"
#include "engine/cpu/ops/embed.h"

#include <cstring>

// Embedding, copies of rows, and batches of sequences.
namespace fireside::cpu {

void CpuCommands::embed(const Weight &table, const Tensor &ids, float scale, const Tensor &out,
                        Accumulate mode)
{
    OpScope op(*this, Op::Embed);
    const CpuWeight &weight = asCpu(table);
    if (weight.depth != 1)
        op.expect(weight.rows, weight.cols, weight);
    op.expect("ids", ids.rows, 1, ids);
    op.expect("out", ids.rows, weight.cols, out);
    const IdRows from = op.ids(ids, "ids");
    // The batch's own ids are known when this is recorded; others read row 0 when they are wrong.
    if (ids.buffer == &m_passIds)
        for (std::size_t t = 0; t < from.rows; ++t)
            if (const std::int32_t id = from.at(t); id < 0 || id >= weight.rows)
                throwBadInput("token id " + std::to_string(id) + " is outside the vocabulary of " +
                              std::to_string(weight.rows));
    const FloatRows to = op.output(out, "out", mode);
    const bool add = mode == Accumulate::AddToOutput;
    const FloatRows row = op.temporary(add ? size(m_pool.size()) : 0, size(weight.cols));
    op.run([&] { cpu::embed(m_pool, weight, from, scale, to, add ? &row : nullptr); });
}

void CpuCommands::gatherRows(const Tensor &x, const Tensor &rows, const Tensor &out)
{
    OpScope op(*this, Op::GatherRows);
    op.expect("rows", rows.rows, 1, rows);
    op.expect("out", rows.rows, x.cols, out);
    const IdRows which = op.ids(rows, "rows");
    if (!op.skip())
        for (std::size_t i = 0; i < which.rows; ++i)
            if (const std::int32_t row = which.at(i); row < 0 || row >= x.rows)
                op.fail("row " + std::to_string(row) + " of " + std::to_string(x.rows));
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { // in order and with memmove: out may be x itself
        for (std::size_t i = 0; i < which.rows && from.cols > 0; ++i)
            std::memmove(to.row(i), from.row(size(which.at(i))), from.cols * sizeof(float));
    });
}

void CpuCommands::copy(const Tensor &x, const Tensor &out)
{
    OpScope op(*this, Op::Copy);
    op.expect("out", x.rows, x.cols, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::copy(m_pool, from, to); });
}

void CpuCommands::upload(std::span<const float> values, const Tensor &out)
{
    OpScope op(*this, Op::Upload);
    const FloatRows to = op.output(out, "out");
    if (values.size() != to.rows * to.cols)
        op.fail(std::to_string(values.size()) + " values for " + shapeText(out.rows, out.cols));
    op.run([&] { cpu::copy(m_pool, {values.data(), to.cols, to.rows, to.cols}, to); });
}

void CpuCommands::upload(std::span<const std::int32_t> values, const Tensor &out)
{
    OpScope op(*this, Op::Upload);
    const IdRows to = op.ids(out, "out");
    if (values.size() != to.rows * to.cols)
        op.fail(std::to_string(values.size()) + " values for " + shapeText(out.rows, out.cols));
    op.run([&] {
        for (std::size_t t = 0; t < to.rows && to.cols > 0; ++t)
            std::memcpy(&to.at(t), values.data() + t * to.cols, to.cols * sizeof(std::int32_t));
    });
}

std::span<const RowSpan> CpuCommands::itemRows()
{
    m_spans.clear();
    for (const BatchItem &item : m_items)
        m_spans.push_back({size(item.firstRow), size(item.rows)});
    return m_spans;
}

void CpuCommands::checkPadded(OpScope &op, const char *what, const Tensor &padded,
                              const Tensor &flat)
{
    const auto items = static_cast<std::int64_t>(m_items.size());
    const std::int64_t longest = items > 0 ? padded.rows / items : 0;
    op.expect(what, items * longest, flat.cols, padded);
    for (const BatchItem &item : m_items)
        if (item.rows > longest)
            op.fail("an item of " + std::to_string(item.rows) + " rows does not fit into " +
                    shapeText(padded.rows, padded.cols) + " for " + std::to_string(items) +
                    " items");
}

void CpuCommands::pad(const Tensor &x, const Tensor &out)
{
    OpScope op(*this, Op::Pad);
    op.expect("x", rows(), x.cols, x);
    checkPadded(op, "out", out, x);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::pad(m_pool, from, itemRows(), to); });
}

void CpuCommands::unpad(const Tensor &x, const Tensor &out)
{
    OpScope op(*this, Op::Unpad);
    op.expect("out", rows(), x.cols, out);
    checkPadded(op, "x", x, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::unpad(m_pool, from, itemRows(), to); });
}

void CpuCommands::pool(const Tensor &x, Pooling pooling, const Tensor &out)
{
    OpScope op(*this, Op::Pool);
    op.expect("x", rows(), x.cols, x);
    op.expect("out", static_cast<std::int64_t>(m_items.size()), x.cols, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::pool(m_pool, from, itemRows(), pooling, to); });
}

} // namespace fireside::cpu
