#pragma once
#include <QColor>
#include <QString>
#include <QStringView>

#include <optional>
#include <vector>

namespace fireside {

/// TeX's classes of atoms, which decide the space between neighbours (The TeXbook, chapter 17).
enum class MathClass : quint8 { Ord, Op, Bin, Rel, Open, Close, Punct, Inner };

enum class MathStyle : quint8 { Display, Text, Script, ScriptScript };

/// Where a base's scripts stand.
enum class MathLimits : quint8 {
    Beside,
    InDisplay, // above and below in display style
    Always,    // above and below
};

enum class ColumnSide : quint8 { Left, Centre, Right };

/// The grid of a matrix, of cases, of aligned equations.
struct FormulaGrid
{
    std::vector<ColumnSide> columns; // the last one repeats
    std::vector<double> gaps;        // em after each column; the last one repeats
    std::vector<double> extra;       // em of additional room below each row
    std::vector<int> linesAbove;     // horizontal lines above row i; one more than rows
    std::vector<int> linesBefore;    // vertical lines before column i; one more than columns
    MathStyle style = MathStyle::Text;
    double rowGap = 0;  // em between rows beside their usual distance
    double padding = 0; // em at both sides
};

/// A formula as a tree. What `parts` hold depends on the kind.
struct FormulaNode
{
    enum class Kind : quint8 {
        Row,
        Symbol,    // `text` is one character of the mathematical font
        Name,      // `text` upright: an operator such as lim
        Words,     // `text` in the surrounding text's font
        Space,     // `amount` em
        Scripts,   // base, below, above; an empty row where there is none
        Fraction,  // above, below; `amount` 0: without a line; delimiters
        Radical,   // body, degree
        Accent,    // body; `text` above, or below when `below`; `stretched`
        Fence,     // pieces between `delimiters`
        Delimiter, // `text` of the size step `amount`, 1 to 4
        Table,     // cells, row by row; `grid`
        Styled,    // body in `style`
        Coloured,  // body in `colour`, on `background`
        Framed,    // body in a box
        Struck,    // body crossed by `text`: "/", "\\", "x" or "-"
        Phantom,   // the body's room: `text` has "h" and/or "v"
        Smashed,   // the body without its height
        Arrow,     // below, above; `text` stretched between them
        Tag,       // body: the number of an equation
    };
    Kind kind = Kind::Row;
    MathClass cls = MathClass::Ord;
    MathLimits limits = MathLimits::Beside;
    MathStyle style = MathStyle::Text;
    bool below = false, stretched = false;
    bool forced = false;                             // `style` holds whatever the surroundings
    bool large = false;                              // Symbol: a larger form in display style
    bool bold = false, italic = false, mono = false; // Words
    double amount = 0;
    QString text = {};
    QString delimiters = {}; // one character each, '.' for none
    QColor colour = {}, background = {};
    int rows = 0, cells = 0; // Table: all rows have as many cells
    FormulaGrid grid = {};
    std::vector<FormulaNode> parts = {};
};

inline constexpr qsizetype kLongestFormula = 8192; // UTF-16 units
inline constexpr int kDeepestFormula = 48;         // nested groups

/// The formula of a TeX source without its delimiters; nothing when it is not understood: unknown
/// commands, unbalanced groups, beyond the limits above.
std::optional<FormulaNode> parseFormula(QStringView source);

/// Names of all commands and environments that are understood, sorted.
QStringList formulaCommands();
QStringList formulaEnvironments();
bool isFormulaEnvironment(QStringView name);

} // namespace fireside
