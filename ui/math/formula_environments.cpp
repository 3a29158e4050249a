#include "ui/math/formula_parser.h"

#include <QStringList>

#include <algorithm>
#include <iterator>

namespace fireside {

namespace {

struct Environment
{
    const char16_t *name;
    const char16_t *columns;    // l, c, r; the last two repeat; empty: an argument says
    const char16_t *delimiters; // around the grid
    double gap = 1;             // em between columns
    bool display = false;
    int arguments = 0; // that are skipped
};

constexpr Environment kEnvironments[] = {
    {u"align", u"rl", u"", 0, true},
    {u"alignat", u"rl", u"", 0, true, 1},
    {u"aligned", u"rl", u"", 0, true},
    {u"alignedat", u"rl", u"", 0, true, 1},
    {u"array", u"", u"", 1},
    {u"Bmatrix", u"c", u"{}", 1},
    {u"bmatrix", u"c", u"[]", 1},
    {u"cases", u"l", u"{.", 1},
    {u"darray", u"", u"", 1, true},
    {u"dcases", u"l", u"{.", 1, true},
    {u"displaymath", u"c", u"", 0, true},
    {u"drcases", u"l", u".}", 1, true},
    {u"eqnarray", u"rcl", u"", 0.28, true},
    {u"equation", u"c", u"", 0, true},
    {u"flalign", u"rl", u"", 0, true},
    {u"gather", u"c", u"", 0, true},
    {u"gathered", u"c", u"", 0, true},
    {u"math", u"c", u"", 0},
    {u"matrix", u"c", u"", 1},
    {u"multline", u"c", u"", 0, true},
    {u"pmatrix", u"c", u"()", 1},
    {u"rcases", u"l", u".}", 1},
    {u"smallmatrix", u"c", u"", 0.4},
    {u"split", u"rl", u"", 0, true},
    {u"subarray", u"", u"", 1},
    {u"Vmatrix", u"c", u"‖‖", 1},
    {u"vmatrix", u"c", u"||", 1},
};

const Environment *environmentOf(QStringView name)
{
    if (name.endsWith(QLatin1Char('*')))
        name.chop(1);
    const auto *const found =
        std::find_if(std::begin(kEnvironments), std::end(kEnvironments),
                     [name](const Environment &e) { return QStringView(e.name) == name; });
    return found == std::end(kEnvironments) ? nullptr : found;
}

ColumnSide sideOf(QChar c)
{
    return c == QLatin1Char('l')   ? ColumnSide::Left
           : c == QLatin1Char('r') ? ColumnSide::Right
                                   : ColumnSide::Centre;
}

constexpr std::size_t kMostCells = 1500;
constexpr int kMostColumns = 60;

} // namespace

bool isFormulaEnvironment(QStringView name)
{
    return environmentOf(name) != nullptr;
}

QStringList formulaEnvironments()
{
    QStringList names;
    for (const Environment &environment : kEnvironments)
        names.append(QString::fromUtf16(environment.name));
    return names;
}

/// The argument of array: "c|cc".
FormulaGrid FormulaParser::columnsOf(const QString &specification) const
{
    FormulaGrid grid;
    grid.linesBefore.push_back(0);
    for (const QChar c : specification) {
        if (c == QLatin1Char('|')) {
            ++grid.linesBefore.back();
        } else if (c == QLatin1Char('l') || c == QLatin1Char('c') || c == QLatin1Char('r')) {
            grid.columns.push_back(sideOf(c));
            grid.linesBefore.push_back(0);
        } else if (!c.isSpace()) {
            throw NotUnderstood();
        }
    }
    if (grid.columns.empty() || grid.columns.size() > kMostColumns)
        throw NotUnderstood();
    return grid;
}

FormulaNode FormulaParser::environment()
{
    const QString name = rawArgument();
    const Environment *environment = environmentOf(name);
    if (!environment)
        throw NotUnderstood();
    for (int i = 0; i < environment->arguments; ++i)
        rawArgument();
    FormulaGrid grid;
    const QStringView columns = environment->columns;
    if (columns.isEmpty()) {
        grid = columnsOf(rawArgument());
    } else {
        for (int i = 0; i < (columns.size() == 1 ? 1 : kMostColumns); ++i)
            grid.columns.push_back(sideOf(columns[i % columns.size()]));
    }
    const bool pairs = columns == u"rl";
    for (int i = 0; pairs && i < kMostColumns; ++i)
        grid.gaps.push_back(i % 2 ? 2.0 : 0.0);
    if (!pairs)
        grid.gaps.push_back(environment->gap);
    grid.padding = environment->gap > 0 && name != u"cases" ? 0.15 : 0;
    const bool small = name == u"smallmatrix" || name == u"subarray";
    grid.style = environment->display ? MathStyle::Display
                 : small              ? MathStyle::Script
                                      : MathStyle::Text;
    grid.rowGap = environment->display ? 0.3 : 0;
    Node table = cells(name, std::move(grid));
    const QStringView delimiters = environment->delimiters;
    if (delimiters.isEmpty())
        return table;
    Node fence{.kind = Node::Kind::Fence, .cls = MathClass::Inner};
    fence.delimiters = delimiters.toString();
    fence.parts.push_back(std::move(table));
    return fence;
}

/// Rows and cells up to and with \end{name}.
FormulaNode FormulaParser::cells(const QString &name, FormulaGrid grid)
{
    Node table{.kind = Node::Kind::Table};
    std::vector<std::vector<Node>> rows;
    std::size_t count = 0;
    const Alphabet alphabet = m_alphabet;
    for (bool more = true; more;) {
        grid.linesAbove.push_back(0);
        while (takeIf(u"\\hline"))
            ++grid.linesAbove.back();
        rows.emplace_back();
        for (bool inRow = true; inRow;) {
            rows.back().push_back(row(Until::Cell));
            // The sign that a column of equations begins with has something before it.
            if (Node &cell = rows.back().back();
                grid.gaps.size() > 1 && rows.back().size() % 2 == 0 && !cell.parts.empty())
                cell.parts.insert(cell.parts.begin(), Node());
            m_alphabet = alphabet;
            if (++count > kMostCells || rows.back().size() > kMostColumns)
                throw NotUnderstood();
            const QStringView end = take();
            inRow = end == u"&";
            more = end != u"\\end";
        }
        double extra = 0;
        if (more && m_at < m_source.size() && m_source[m_at] == QLatin1Char('[')) {
            const qsizetype close = m_source.indexOf(QLatin1Char(']'), m_at);
            if (close < 0)
                throw NotUnderstood();
            extra = length(m_source.mid(m_at + 1, close - m_at - 1).toString());
            m_at = close + 1;
        }
        grid.extra.push_back(extra);
    }
    if (rawArgument() != name)
        throw NotUnderstood();
    // A last line that is empty is only the end of the one before.
    if (rows.size() > 1 && rows.back().size() == 1 && rows.back()[0].parts.empty()) {
        rows.pop_back();
        grid.extra.pop_back();
    } else {
        grid.linesAbove.push_back(0);
    }
    std::size_t widest = 1;
    for (const std::vector<Node> &one : rows)
        widest = std::max(widest, one.size());
    if (widest * rows.size() > kMostCells)
        throw NotUnderstood();
    table.rows = int(rows.size());
    table.cells = int(widest);
    for (std::vector<Node> &one : rows) {
        one.resize(widest);
        for (Node &cell : one)
            table.parts.push_back(std::move(cell));
    }
    table.grid = std::move(grid);
    return table;
}

} // namespace fireside
