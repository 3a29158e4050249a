#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"

#include <cstring>

namespace fireside::cpu {

void copy(ThreadPool &pool, const InRows &x, const FloatRows &out)
{
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        if (x.cols > 0)
            std::memmove(out.row(t), x.row(t), x.cols * sizeof(float));
    });
}

void pad(ThreadPool &pool, const InRows &x, std::span<const RowSpan> items, const FloatRows &out)
{
    if (items.empty())
        return;
    const std::size_t longest = out.rows / items.size();
    forRows(pool, out.rows, out.cols, [&](std::size_t r) {
        const RowSpan &item = items[r / longest];
        const std::size_t i = r % longest;
        if (i < item.rows)
            std::copy_n(x.row(item.first + i), x.cols, out.row(r));
        else
            std::fill_n(out.row(r), out.cols, 0.0f);
    });
}

void unpad(ThreadPool &pool, const InRows &x, std::span<const RowSpan> items, const FloatRows &out)
{
    if (items.empty())
        return;
    const std::size_t longest = x.rows / items.size();
    forRows(pool, x.rows, x.cols, [&](std::size_t r) {
        const RowSpan &item = items[r / longest];
        const std::size_t i = r % longest;
        if (i < item.rows)
            std::copy_n(x.row(r), x.cols, out.row(item.first + i));
    });
}

void run(OpCall &call, const op::Pad &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { pad(call.pool(), x, call.pass().itemRows(), out); });
}

void run(OpCall &call, const op::Unpad &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { unpad(call.pool(), x, call.pass().itemRows(), out); });
}

void run(OpCall &call, const op::GatherRows &op)
{
    const IdRows rows = call.ids(op.rows, "rows");
    if (!call.skip())
        for (std::size_t i = 0; i < rows.rows; ++i)
            if (const std::int32_t row = rows.at(i); row < 0 || row >= op.x.rows)
                call.fail("row " + std::to_string(row) + " of " + std::to_string(op.x.rows));
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { // in order and with memmove: out may be x itself
        for (std::size_t i = 0; i < rows.rows && x.cols > 0; ++i)
            std::memmove(out.row(i), x.row(size(rows.at(i))), x.cols * sizeof(float));
    });
}

void run(OpCall &call, const op::Copy &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { copy(call.pool(), x, out); });
}

} // namespace fireside::cpu
