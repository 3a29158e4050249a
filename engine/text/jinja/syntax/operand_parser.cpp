// What operators work on: literals and names, lists and dicts, and the attributes, subscripts,
// calls, filters and tests that follow them.
#include "engine/text/jinja/syntax/expression_parser.h"

namespace fireside::jinja {

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
    auto list = makeNode<Sequence>(open.at);
    list->isTuple = isParenthesis;
    const bool sawComma =
        parseItems(isParenthesis ? ")" : "]", [&] { list->items.push_back(parseExpression()); });
    if (isParenthesis && list->items.size() == 1 && !sawComma)
        return std::move(list->items[0]);
    return list;
}

ExprPtr ExpressionParser::parseDict()
{
    auto dict = makeNode<DictDisplay>(take().at);
    parseItems("}", [&] {
        ExprPtr key = parseExpression();
        expectOperator(":");
        dict->items.emplace_back(std::move(key), parseExpression());
    });
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
    parseItems(")", [&] {
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
    });
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
