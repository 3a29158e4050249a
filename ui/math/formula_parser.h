#pragma once
#include "ui/math/alphabets.h"
#include "ui/math/formula.h"

namespace fireside {

/// Thrown inside the parser; parseFormula() turns it into "nothing".
struct NotUnderstood
{};

/// What a command does that is not a symbol. `value` and `text` depend on the action.
struct MathCommand
{
    enum class Action : quint8 {
        Name,     // operator called `text`; value: MathLimits
        Fraction, // value: style + 1, 0 for the surroundings'; text: delimiters and "-" for no line
        Infix,    // \over and its like; text as above
        Root,
        Accent,   // text: the character; value: bits 1 stretched, 2 below
        Brace,    // the same, with scripts above and below
        Alphabet, // of the argument; value: Alphabet
        Switch,   // of what follows; value: Alphabet
        Words,    // value: bits 1 bold, 2 italic, 4 monospace
        Style,    // value: MathStyle
        Space,    // value: eighteenths of an em
        Length,   // the argument's
        Big,      // value: 4 * step + class (Ord, Open, Close, Rel)
        Left,
        Begin,
        Colour, // value: 0 of what follows, 1 of the argument, 2 behind it
        Framed,
        Struck,  // text: the strokes
        Phantom, // text: "h", "v", "hv"
        Smashed,
        Above, // value: 0 over, 1 under, 2 over a relation
        Arrow, // text: the arrow
        Not,
        Lines,    // \substack
        Operator, // \operatorname
        Class,    // value: MathClass
        Tag,
        Limits,  // value: MathLimits
        Modulo,  // text: "b", "p", " ", "("
        Ignored, // value: arguments that are skipped
    };
    const char *name;
    Action action;
    int value = 0;
    const char16_t *text = u"";
};

/// Null: no command has this name.
const MathCommand *mathCommand(QStringView name);
QStringList mathCommandNames();

class FormulaParser
{
public:
    explicit FormulaParser(QStringView source)
        : m_source(source)
    {}
    FormulaNode parse();

private:
    using Node = FormulaNode;
    enum class Until : quint8 { End, Brace, Bracket, Right, Cell };

    // formula_parser.cpp: tokens, rows and scripts
    bool atEnd();
    QStringView peek();
    QStringView take();
    bool takeIf(QStringView token);
    Node row(Until until);
    bool endsRow(QStringView token, Until until) const;
    void item(Node &row, QStringView token, Until until);
    void script(Node &row, QStringView token);
    Node argument();
    QString rawArgument();
    Node optionalArgument();
    Node character(char32_t c) const;
    Node symbol(QStringView name) const;

    // formula_commands.cpp
    void command(Node &row, QStringView name, Until until);
    Node structure(const MathCommand &command, Until until);
    Node layoutCommand(const MathCommand &command, Until until);
    Node fraction(const MathCommand &command, Node above, Node below) const;
    Node root();
    Node accent(const MathCommand &command);
    Node inOtherAlphabet(const MathCommand &command, Until until);
    Node words(const MathCommand &command);
    Node bigDelimiter(const MathCommand &command);
    Node fence();
    Node colour(const MathCommand &command, Until until);
    Node above(const MathCommand &command);
    Node arrow(const MathCommand &command);
    Node negated();
    Node lines();
    Node modulo(const MathCommand &command);
    QChar delimiter();
    double length(const QString &text) const;

    // formula_environments.cpp
    Node environment();
    Node cells(const QString &name, FormulaGrid grid);
    FormulaGrid columnsOf(const QString &specification) const;

    QStringView m_source;
    qsizetype m_at = 0;
    int m_depth = 0;
    int m_nodes = 0;
    Alphabet m_alphabet = Alphabet::Default;
};

} // namespace fireside
