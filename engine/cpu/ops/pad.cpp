#include "engine/cpu/ops/row_ops.h"

namespace fireside::cpu {

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

} // namespace fireside::cpu
