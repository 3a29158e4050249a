#pragma once
#include "engine/text/jinja/syntax/ast.h"

#include <string_view>
#include <unordered_map>

namespace fireside::jinja {

/// Which of the implicit macro variables a macro body mentions.
struct MacroUses
{
    bool varargs = false, kwargs = false, caller = false;
};

/// Recursive descent over the tokens of one template, with Jinja's precedence (loosest first):
/// inline if, or, and, not, comparisons, + -, ~, * / // %, **, unary, postfix, filters and tests.
class ExpressionParser
{
public:
    explicit ExpressionParser(std::vector<Token> tokens);

protected:
    class DepthGuard;
    static constexpr int MaxDepth = 200;

    const Token &current() const { return m_tokens[m_next]; }
    const Token &following() const
    {
        return m_tokens[m_next + 1 < m_tokens.size() ? m_next + 1 : m_next];
    }
    Token take();
    bool skipOperator(std::string_view op);
    bool skipName(std::string_view name);
    void expectOperator(std::string_view op);
    std::string expectName();
    void expectEnd(TokenKind kind);
    [[noreturn]] void failExpected(const std::string &what) const;

    Symbol symbol(const std::string &name);

    /// Items up to and with `close`, commas between them and, if wanted, behind the last; whether
    /// there was a comma.
    template <typename ParseItem>
    bool parseItems(std::string_view close, const ParseItem &parseItem)
    {
        bool sawComma = false;
        while (!skipOperator(close)) {
            parseItem();
            if (current().isOperator(close))
                continue;
            expectOperator(",");
            sawComma = true;
        }
        return sawComma;
    }

    ExprPtr parseExpression(bool withConditional = true);
    /// One expression, or a tuple when commas follow. `stopAtIn` leaves `in` to the for statement.
    ExprPtr parseTuple(bool withConditional = true);
    ExprPtr parseUnary(bool withFilters = true);
    ExprPtr parsePrimary();
    ExprPtr parsePostfix(ExprPtr node);
    ExprPtr parseFilters(ExprPtr input); // the filters of {% filter … %}: first without '|'
    ExprPtr parseCall(ExprPtr callee, Position at);
    CallArgs parseCallArgs();

    std::vector<Token> m_tokens;
    std::size_t m_next = 0;
    int m_depth = 0;
    MacroUses m_uses;
    std::vector<std::string> m_symbols;

private:
    // expression_parser.cpp: operators, loosest first
    ExprPtr parseConditional();
    ExprPtr parseLogic(bool isAnd);
    ExprPtr parseNot();
    ExprPtr parseCompare();
    ExprPtr parseChain(int level);
    bool atTupleEnd() const;

    // operand_parser.cpp: values, and what follows them
    ExprPtr parseFilterExpression(ExprPtr node);
    ExprPtr parseFilter(ExprPtr input, Position at);
    ExprPtr parseTest(ExprPtr input, Position at);
    ExprPtr parseSubscript(ExprPtr object, Position at);
    ExprPtr parseDict();
    ExprPtr parseList();
    std::string parseDottedName();

    std::unordered_map<std::string, Symbol> m_symbolNumbers;
};

/// One level of recursion in the parser, so that "((((…" cannot overflow the stack.
class ExpressionParser::DepthGuard
{
public:
    explicit DepthGuard(ExpressionParser &parser);
    ~DepthGuard() { m_parser.m_depth = m_before; }
    DepthGuard(const DepthGuard &) = delete;
    DepthGuard &operator=(const DepthGuard &) = delete;
    void deeper(); // a chain such as a.b.c.d nests to the left

private:
    ExpressionParser &m_parser;
    int m_before;
};

} // namespace fireside::jinja
