#include "ui/math/formula_layout.h"

#include <algorithm>

namespace fireside {

namespace {

/// The value for place i; the last one repeats.
template <typename T>
T repeating(const std::vector<T> &values, std::size_t i, T fallback)
{
    return values.empty() ? fallback : values[std::min(i, values.size() - 1)];
}

struct TableRow
{
    double ascent = 0, descent = 0, baseline = 0; // from the table's top
};

} // namespace

/// A grid around the axis: rows at least 1.2 em apart, each column as wide as its widest cell.
MathBox FormulaLayout::table(const FormulaNode &node, MathContext context) const
{
    const FormulaGrid &grid = node.grid;
    const MathContext inner = context.inStyle(grid.style);
    const double size = em(inner);
    const auto rows = std::size_t(node.rows), columns = std::size_t(node.cells);
    std::vector<MathBox> boxes;
    std::vector<double> widths(columns, 0);
    std::vector<TableRow> lines(rows);
    for (std::size_t i = 0; i < rows * columns; ++i) {
        boxes.push_back(this->node(node.parts[i], inner));
        TableRow &line = lines[i / columns];
        widths[i % columns] = std::max(widths[i % columns], boxes[i].width);
        line.ascent = std::max({line.ascent, boxes[i].ascent, 0.75 * size});
        line.descent = std::max({line.descent, boxes[i].descent, 0.3 * size});
    }
    double y = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        lines[i].baseline = y + lines[i].ascent;
        const bool ruled = i + 1 < grid.linesAbove.size() && grid.linesAbove[i + 1] > 0;
        const double below = (ruled ? 0.24 : 0.15) + grid.rowGap + repeating(grid.extra, i, 0.0);
        y = lines[i].baseline + lines[i].descent + (i + 1 < rows ? below * size : 0);
    }
    const double middle = y / 2 + px(MathConstant::AxisHeight, context);
    MathBox result;
    const double rule = px(MathConstant::FractionRuleThickness, context);
    const auto upright = [&](std::size_t before, double &x) {
        const int count = before < grid.linesBefore.size() ? grid.linesBefore[before] : 0;
        for (int i = 0; i < count; ++i, x += 3 * rule)
            result.putRect(QRectF(x, -middle, rule, y));
    };
    double x = grid.padding * size;
    for (std::size_t column = 0; column < columns; ++column) {
        const double gap = column > 0 ? repeating(grid.gaps, column - 1, 1.0) * size : 0;
        x += gap / 2;
        upright(column, x);
        x += gap / 2;
        for (std::size_t row = 0; row < rows; ++row) {
            MathBox &box = boxes[row * columns + column];
            const ColumnSide side = repeating(grid.columns, column, ColumnSide::Centre);
            const double free = widths[column] - box.width;
            const double shift = side == ColumnSide::Left    ? 0
                                 : side == ColumnSide::Right ? free
                                                             : free / 2;
            result.put(std::move(box), x + shift, lines[row].baseline - middle);
        }
        x += widths[column];
    }
    x += grid.padding * size;
    upright(columns, x);
    for (std::size_t row = 0; row < grid.linesAbove.size(); ++row) {
        const double at =
            row < rows ? lines[row].baseline - lines[row].ascent - (row > 0 ? 0.12 * size : 0) : y;
        if (grid.linesAbove[row] > 0)
            result.putRect(QRectF(0, at - middle, x, rule));
    }
    result.width = x;
    result.ascent = middle;
    result.descent = y - middle;
    return result;
}

} // namespace fireside
