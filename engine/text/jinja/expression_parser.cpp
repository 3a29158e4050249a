#include "engine/text/jinja/expression_parser.h"

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

template <typename Node>
std::unique_ptr<Node> makeNode(Position at)
{
    return std::make_unique<Node>(at);
}

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

ExprPtr ExpressionParser::parsePrimary()
{
    const Token &token = current();
    const Position at = token.at;
    if (token.isOperator("("))
        return parseList();
    if (token.isOperator("["))
        return parseList();
    if (token.isOperator("{"))
        return parseDict();

    auto literal = makeNode<Literal>(at);
    switch (token.kind) {
    case TokenKind::Integer:
        literal->value = Value::integer(take().integer);
        return literal;
    case TokenKind::Float:
        literal->value = Value::number(take().number);
        return literal;
    case TokenKind::String: {
        std::string text;
        while (current().kind == TokenKind::String) // adjacent strings join
            text += take().text;
        literal->text = StringObject(MarkedText::trusted(std::move(text)));
        literal->value = Value::string(&literal->text);
        return literal;
    }
    case TokenKind::Name:
        break;
    default:
        failExpected("a value");
    }

    const Token word = take();
    const std::string_view name = word.text;
    if (name == "true" || name == "True" || name == "false" || name == "False") {
        literal->value = Value::boolean(name[0] == 't' || name[0] == 'T');
        return literal;
    }
    if (name == "none" || name == "None")
        return literal;
    m_uses.varargs |= name == "varargs";
    m_uses.kwargs |= name == "kwargs";
    m_uses.caller |= name == "caller";
    auto variable = makeNode<Name>(at);
    variable->symbol = symbol(word.text);
    return variable;
}

ExprPtr ExpressionParser::parseList()
{
    const Token open = take();
    const bool isParenthesis = open.text == "(";
    const std::string_view close = isParenthesis ? ")" : "]";
    auto list = makeNode<Sequence>(open.at);
    list->isTuple = isParenthesis;
    bool sawComma = false;
    while (!current().isOperator(close)) {
        if (!list->items.empty()) {
            expectOperator(",");
            sawComma = true;
            if (current().isOperator(close))
                break;
        }
        list->items.push_back(parseExpression());
    }
    expectOperator(close);
    if (isParenthesis && list->items.size() == 1 && !sawComma)
        return std::move(list->items[0]);
    return list;
}

ExprPtr ExpressionParser::parseDict()
{
    auto dict = makeNode<DictDisplay>(take().at);
    while (!current().isOperator("}")) {
        if (!dict->items.empty()) {
            expectOperator(",");
            if (current().isOperator("}"))
                break;
        }
        ExprPtr key = parseExpression();
        expectOperator(":");
        dict->items.emplace_back(std::move(key), parseExpression());
    }
    expectOperator("}");
    return dict;
}

ExprPtr ExpressionParser::parsePostfix(ExprPtr node)
{
    DepthGuard guard(*this);
    while (true) {
        const Position at = current().at;
        if (skipOperator(".")) {
            guard.deeper();
            if (current().kind == TokenKind::Integer) { // a.0
                auto subscript = makeNode<Subscript>(at);
                auto index = makeNode<Literal>(current().at);
                index->value = Value::integer(take().integer);
                subscript->object = std::move(node);
                subscript->index = std::move(index);
                node = std::move(subscript);
                continue;
            }
            auto attribute = makeNode<Attribute>(at);
            attribute->object = std::move(node);
            attribute->name = StringObject(MarkedText::trusted(expectName()));
            node = std::move(attribute);
        } else if (current().isOperator("[")) {
            guard.deeper();
            node = parseSubscript(std::move(node), at);
        } else if (current().isOperator("(")) {
            guard.deeper();
            node = parseCall(std::move(node), at);
        } else {
            return node;
        }
    }
}

ExprPtr ExpressionParser::parseCall(ExprPtr callee, Position at)
{
    auto call = makeNode<Call>(at);
    call->callee = std::move(callee);
    call->args = parseCallArgs();
    return call;
}

ExprPtr ExpressionParser::parseSubscript(ExprPtr object, Position at)
{
    take(); // [
    auto subscript = makeNode<Subscript>(at);
    subscript->object = std::move(object);
    const auto atPartEnd = [&] {
        return current().isOperator(":") || current().isOperator("]") || current().isOperator(",");
    };
    if (!current().isOperator(":"))
        subscript->index = parseExpression();
    if (skipOperator(":")) {
        subscript->isSlice = true;
        subscript->start = std::move(subscript->index);
        if (!atPartEnd())
            subscript->stop = parseExpression();
        if (skipOperator(":") && !atPartEnd())
            subscript->step = parseExpression();
    } else if (current().isOperator(",")) {
        auto tuple = makeNode<Sequence>(at);
        tuple->isTuple = true;
        tuple->items.push_back(std::move(subscript->index));
        while (skipOperator(",") && !current().isOperator("]"))
            tuple->items.push_back(parseExpression());
        subscript->index = std::move(tuple);
    }
    expectOperator("]");
    return subscript;
}

CallArgs ExpressionParser::parseCallArgs()
{
    CallArgs args;
    expectOperator("(");
    bool first = true;
    while (!current().isOperator(")")) {
        if (!first) {
            expectOperator(",");
            if (current().isOperator(")"))
                break;
        }
        first = false;
        const Position at = current().at;
        if (skipOperator("*")) {
            if (args.list || args.dict)
                throwSyntaxError(at, "only one *argument is allowed, before **");
            args.list = parseExpression();
        } else if (skipOperator("**")) {
            if (args.dict)
                throwSyntaxError(at, "only one **argument is allowed");
            args.dict = parseExpression();
        } else if (current().kind == TokenKind::Name && following().isOperator("=")) {
            std::string name = take().text;
            take();
            args.named.emplace_back(std::move(name), parseExpression());
        } else {
            if (!args.named.empty() || args.dict)
                throwSyntaxError(at, "a positional argument follows a named one");
            args.positional.push_back(parseExpression());
        }
    }
    expectOperator(")");
    return args;
}

std::string ExpressionParser::parseDottedName()
{
    std::string name = expectName();
    while (skipOperator("."))
        name += '.' + expectName();
    return name;
}

ExprPtr ExpressionParser::parseFilterExpression(ExprPtr node)
{
    DepthGuard guard(*this);
    while (true) {
        const Position at = current().at;
        if (skipOperator("|")) {
            guard.deeper();
            node = parseFilter(std::move(node), at);
        } else if (skipName("is")) {
            guard.deeper();
            node = parseTest(std::move(node), at);
        } else if (current().isOperator("(")) { // x|f(…)(…)
            guard.deeper();
            node = parseCall(std::move(node), at);
        } else {
            return node;
        }
    }
}

ExprPtr ExpressionParser::parseFilter(ExprPtr input, Position at)
{
    auto filter = makeNode<Filter>(at);
    filter->input = std::move(input);
    filter->name = parseDottedName();
    if (current().isOperator("("))
        filter->args = parseCallArgs();
    return filter;
}

ExprPtr ExpressionParser::parseFilters(ExprPtr input)
{
    DepthGuard guard(*this);
    ExprPtr node = parseFilter(std::move(input), current().at);
    while (current().isOperator("|")) {
        guard.deeper();
        const Position at = take().at;
        node = parseFilter(std::move(node), at);
    }
    return node;
}

ExprPtr ExpressionParser::parseTest(ExprPtr input, Position at)
{
    auto test = makeNode<Test>(at);
    test->negated = skipName("not");
    test->input = std::move(input);
    test->name = parseDottedName();
    if (current().isOperator("(")) {
        test->args = parseCallArgs();
        return test;
    }
    // One argument may follow without parentheses: "x is divisibleby 3".
    const Token &next = current();
    const bool isOperand = next.kind == TokenKind::String || next.kind == TokenKind::Integer ||
                           next.kind == TokenKind::Float || next.isOperator("[") ||
                           next.isOperator("{");
    bool isWord = next.kind == TokenKind::Name;
    for (const auto word : {"else", "or", "and", "if", "in", "not"})
        isWord = isWord && !next.isName(word);
    if (isWord && next.isName("is"))
        throwSyntaxError(next.at, "tests cannot be chained with 'is'");
    if (isOperand || isWord)
        test->args.positional.push_back(parsePostfix(parsePrimary()));
    return test;
}

} // namespace fireside::jinja
