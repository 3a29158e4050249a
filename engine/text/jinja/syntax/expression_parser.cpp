#include "engine/text/jinja/syntax/expression_parser.h"

#include <array>

namespace fireside::jinja {

namespace {

struct OperatorLevel
{
    std::string_view text;
    BinaryOp op;
    int level; // 0 binds loosest
};

constexpr std::array<OperatorLevel, 8> BinaryOperators = {{
    {"+", BinaryOp::Add, 0},
    {"-", BinaryOp::Subtract, 0},
    {"~", BinaryOp::Concat, 1},
    {"*", BinaryOp::Multiply, 2},
    {"/", BinaryOp::Divide, 2},
    {"//", BinaryOp::FloorDivide, 2},
    {"%", BinaryOp::Modulo, 2},
    {"**", BinaryOp::Power, 3},
}};
constexpr int TightestLevel = 3;

constexpr std::array<std::pair<std::string_view, CompareOp>, 6> CompareOperators = {{
    {"==", CompareOp::Equal},
    {"!=", CompareOp::NotEqual},
    {"<", CompareOp::Less},
    {"<=", CompareOp::LessEqual},
    {">", CompareOp::Greater},
    {">=", CompareOp::GreaterEqual},
}};

} // namespace

ExpressionParser::DepthGuard::DepthGuard(ExpressionParser &parser)
    : m_parser(parser)
    , m_before(parser.m_depth)
{
    deeper();
}

void ExpressionParser::DepthGuard::deeper()
{
    if (++m_parser.m_depth > MaxDepth)
        throwSyntaxError(m_parser.current().at,
                         "nested deeper than the limit of " + std::to_string(MaxDepth));
}

ExpressionParser::ExpressionParser(std::vector<Token> tokens)
    : m_tokens(std::move(tokens))
{
    for (const auto name : {"loop", "caller", "varargs", "kwargs"}) // LoopSymbol …
        symbol(name);
}

Token ExpressionParser::take()
{
    Token token = m_tokens[m_next];
    if (m_next + 1 < m_tokens.size())
        ++m_next;
    return token;
}

bool ExpressionParser::skipOperator(std::string_view op)
{
    if (!current().isOperator(op))
        return false;
    take();
    return true;
}

bool ExpressionParser::skipName(std::string_view name)
{
    if (!current().isName(name))
        return false;
    take();
    return true;
}

void ExpressionParser::failExpected(const std::string &what) const
{
    throwSyntaxError(current().at, "expected " + what + ", got " + current().describe());
}

void ExpressionParser::expectOperator(std::string_view op)
{
    if (!skipOperator(op))
        failExpected("'" + std::string(op) + "'");
}

std::string ExpressionParser::expectName()
{
    if (current().kind != TokenKind::Name)
        failExpected("a name");
    return take().text;
}

void ExpressionParser::expectEnd(TokenKind kind)
{
    if (current().kind != kind)
        failExpected(kind == TokenKind::BlockEnd ? "the end of the statement"
                                                 : "the end of the expression");
    take();
}

Symbol ExpressionParser::symbol(const std::string &name)
{
    const auto [place, isNew] =
        m_symbolNumbers.try_emplace(name, static_cast<Symbol>(m_symbols.size()));
    if (isNew)
        m_symbols.push_back(name);
    return place->second;
}

ExprPtr ExpressionParser::parseExpression(bool withConditional)
{
    const DepthGuard guard(*this);
    return withConditional ? parseConditional() : parseLogic(false);
}

bool ExpressionParser::atTupleEnd() const
{
    return current().kind == TokenKind::BlockEnd || current().kind == TokenKind::VariableEnd ||
           current().isOperator(")") || current().isOperator("=") || current().isName("in");
}

ExprPtr ExpressionParser::parseTuple(bool withConditional)
{
    const Position at = current().at;
    ExprPtr first = parseExpression(withConditional);
    if (!current().isOperator(","))
        return first;
    auto tuple = makeNode<Sequence>(at);
    tuple->isTuple = true;
    tuple->items.push_back(std::move(first));
    while (skipOperator(",") && !atTupleEnd())
        tuple->items.push_back(parseExpression(withConditional));
    return tuple;
}

ExprPtr ExpressionParser::parseConditional()
{
    const Position at = current().at;
    ExprPtr node = parseLogic(false);
    DepthGuard guard(*this);
    while (skipName("if")) {
        guard.deeper();
        auto conditional = makeNode<Conditional>(at);
        conditional->then = std::move(node);
        conditional->condition = parseLogic(false);
        if (skipName("else"))
            conditional->otherwise = parseExpression();
        node = std::move(conditional);
    }
    return node;
}

ExprPtr ExpressionParser::parseLogic(bool isAnd)
{
    const Position at = current().at;
    const std::string_view word = isAnd ? "and" : "or";
    const auto operand = [&] { return isAnd ? parseNot() : parseLogic(true); };
    ExprPtr first = operand();
    if (!current().isName(word))
        return first;
    auto logic = makeNode<Logic>(at);
    logic->isAnd = isAnd;
    logic->operands.push_back(std::move(first));
    while (skipName(word))
        logic->operands.push_back(operand());
    return logic;
}

ExprPtr ExpressionParser::parseNot()
{
    if (!current().isName("not"))
        return parseCompare();
    const DepthGuard guard(*this);
    auto node = makeNode<Unary>(take().at);
    node->op = UnaryOp::Not;
    node->operand = parseNot();
    return node;
}

ExprPtr ExpressionParser::parseCompare()
{
    const Position at = current().at;
    ExprPtr first = parseChain(0);
    std::vector<Compare::Link> links;
    while (true) {
        std::optional<CompareOp> op;
        for (const auto &[text, candidate] : CompareOperators) {
            if (current().isOperator(text))
                op = candidate;
        }
        if (current().isName("in")) {
            op = CompareOp::In;
        } else if (current().isName("not") && following().isName("in")) {
            take();
            op = CompareOp::NotIn;
        }
        if (!op)
            break;
        take();
        links.push_back({*op, parseChain(0)});
    }
    if (links.empty())
        return first;
    auto compare = makeNode<Compare>(at);
    compare->first = std::move(first);
    compare->links = std::move(links);
    return compare;
}

ExprPtr ExpressionParser::parseChain(int level)
{
    const auto operand = [&] {
        return level == TightestLevel ? parseUnary() : parseChain(level + 1);
    };
    const auto currentOp = [&]() -> const OperatorLevel * {
        for (const auto &candidate : BinaryOperators) {
            if (candidate.level == level && current().isOperator(candidate.text))
                return &candidate;
        }
        return nullptr;
    };
    const Position at = current().at;
    ExprPtr first = operand();
    if (!currentOp())
        return first;
    auto chain = makeNode<Chain>(at);
    chain->first = std::move(first);
    while (const auto *op = currentOp()) {
        const Position opAt = take().at;
        chain->links.push_back({op->op, opAt, operand()});
    }
    return chain;
}

ExprPtr ExpressionParser::parseUnary(bool withFilters)
{
    const DepthGuard guard(*this);
    ExprPtr node;
    if (current().isOperator("-") || current().isOperator("+")) {
        auto unary = makeNode<Unary>(current().at);
        unary->op = take().text == "-" ? UnaryOp::Negate : UnaryOp::Plus;
        unary->operand = parseUnary(false);
        node = std::move(unary);
    } else {
        node = parsePrimary();
    }
    node = parsePostfix(std::move(node));
    return withFilters ? parseFilterExpression(std::move(node)) : std::move(node);
}

} // namespace fireside::jinja
