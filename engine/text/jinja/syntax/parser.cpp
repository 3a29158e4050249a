#include "engine/text/jinja/syntax/parser.h"

#include "engine/core/quote.h"

#include "engine/text/jinja/syntax/expression_parser.h"

#include <array>
#include <initializer_list>
#include <utility>

namespace fireside::jinja {

namespace {

class StatementParser : public ExpressionParser
{
public:
    using ExpressionParser::ExpressionParser;

    Program run()
    {
        Program program;
        program.body = parseBody({});
        program.symbols = std::move(m_symbols);
        return program;
    }

private:
    using Words = std::initializer_list<std::string_view>;

    bool atWord(Words words) const
    {
        for (const auto word : words) {
            if (current().isName(word))
                return true;
        }
        return false;
    }

    /// Statements up to a tag starting with one of `ends`, whose name is then the current token;
    /// with no ends, up to the end of the template.
    Body parseBody(Words ends)
    {
        const DepthGuard guard(*this);
        const Position opened = current().at;
        Body body;
        while (true) {
            const Token token = take();
            switch (token.kind) {
            case TokenKind::Data: {
                auto text = makeNode<TextStmt>(token.at);
                text->text = token.text;
                body.push_back(std::move(text));
                break;
            }
            case TokenKind::VariableBegin: {
                auto print = makeNode<PrintStmt>(token.at);
                print->value = parseTuple();
                expectEnd(TokenKind::VariableEnd);
                body.push_back(std::move(print));
                break;
            }
            case TokenKind::BlockBegin:
                if (atWord(ends))
                    return body;
                body.push_back(parseStatement());
                break;
            default: // only End can follow here
                if (ends.size() == 0)
                    return body;
                throwSyntaxError(opened, "this block is never closed: no {% " +
                                             std::string(*(ends.end() - 1)) + " %}");
            }
        }
    }

    Body parseBlock(Words ends)
    {
        expectEnd(TokenKind::BlockEnd);
        return parseBody(ends);
    }

    /// The body of a block with a single end tag.
    Body parseWholeBlock(std::string_view end)
    {
        Body body = parseBlock({end});
        take();
        expectEnd(TokenKind::BlockEnd);
        return body;
    }

    StmtPtr parseStatement()
    {
        using Parse = StmtPtr (StatementParser::*)(Position);
        static constexpr std::array<std::pair<std::string_view, Parse>, 11> Statements = {{
            {"if", &StatementParser::parseIf},
            {"for", &StatementParser::parseFor},
            {"set", &StatementParser::parseSet},
            {"macro", &StatementParser::parseMacro},
            {"call", &StatementParser::parseCallBlock},
            {"filter", &StatementParser::parseFilterBlock},
            {"with", &StatementParser::parseWith},
            {"generation", &StatementParser::parseGeneration},
            {"block", &StatementParser::parseNamedBlock},
            {"break", &StatementParser::parseJump<StmtKind::Break>},
            {"continue", &StatementParser::parseJump<StmtKind::Continue>},
        }};
        const Position at = current().at;
        const std::string word = expectName();
        for (const auto &[name, parse] : Statements) {
            if (name == word)
                return (this->*parse)(at);
        }
        if (word == "include" || word == "import" || word == "from" || word == "extends")
            throwSyntaxError(at, fireside::quoted(word) +
                                     " needs other files, which chat templates do not have");
        throwSyntaxError(at, "unknown or misplaced tag " + fireside::quoted(word));
    }

    StmtPtr parseIf(Position at)
    {
        auto node = makeNode<IfStmt>(at);
        while (true) {
            ExprPtr condition = parseTuple(false);
            Body body = parseBlock({"elif", "else", "endif"});
            node->branches.push_back({std::move(condition), std::move(body)});
            if (!skipName("elif"))
                break;
        }
        if (skipName("else"))
            node->otherwise = parseBlock({"endif"});
        take(); // endif
        expectEnd(TokenKind::BlockEnd);
        return node;
    }

    StmtPtr parseFor(Position at)
    {
        auto node = makeNode<ForStmt>(at);
        node->target = parseTarget(false);
        if (!skipName("in"))
            failExpected("'in'");
        node->iterable = parseTuple(false);
        if (skipName("if"))
            node->condition = parseExpression();
        node->recursive = skipName("recursive");
        ++m_loops;
        node->body = parseBlock({"else", "endfor"});
        --m_loops;
        if (skipName("else"))
            node->otherwise = parseBlock({"endfor"});
        take(); // endfor
        expectEnd(TokenKind::BlockEnd);
        return node;
    }

    Target parseTargetItem(bool withNamespace)
    {
        Target target;
        target.at = current().at;
        if (skipOperator("(")) {
            const DepthGuard guard(*this);
            target = parseTarget(withNamespace);
            expectOperator(")");
            return target;
        }
        static constexpr std::array<std::string_view, 6> Reserved = {"true",  "True", "false",
                                                                     "False", "none", "None"};
        for (const auto word : Reserved) {
            if (current().isName(word))
                throwSyntaxError(target.at, "cannot assign to " + fireside::quoted(word));
        }
        target.symbol = symbol(expectName());
        if (withNamespace && skipOperator("."))
            target.attribute = expectName();
        return target;
    }

    Target parseTarget(bool withNamespace)
    {
        Target first = parseTargetItem(withNamespace);
        if (!current().isOperator(","))
            return first;
        Target tuple;
        tuple.at = first.at;
        tuple.items.push_back(std::move(first));
        while (skipOperator(",")) {
            if (current().isName("in") || current().isOperator("=") || current().isOperator(")"))
                break;
            tuple.items.push_back(parseTargetItem(withNamespace));
        }
        return tuple;
    }

    StmtPtr parseSet(Position at)
    {
        Target target = parseTarget(true);
        if (skipOperator("=")) {
            auto node = makeNode<SetStmt>(at);
            node->target = std::move(target);
            node->value = parseTuple();
            expectEnd(TokenKind::BlockEnd);
            return node;
        }
        auto node = makeNode<SetBlockStmt>(at);
        node->target = std::move(target);
        if (skipOperator("|"))
            node->filter = parseFilters(nullptr);
        node->body = parseWholeBlock("endset");
        return node;
    }

    void parseSignature(MacroStmt &macro)
    {
        expectOperator("(");
        parseItems(")", [&] {
            Parameter parameter;
            const Position at = current().at;
            parameter.name = expectName();
            parameter.symbol = symbol(parameter.name);
            if (skipOperator("="))
                parameter.fallback = parseExpression();
            else if (!macro.parameters.empty() && macro.parameters.back().fallback)
                throwSyntaxError(at, "a parameter without default follows one with default");
            macro.parameters.push_back(std::move(parameter));
        });
    }

    /// The body of a macro or call block; notes which implicit variables it mentions.
    void parseMacroBody(MacroStmt &macro, std::string_view end)
    {
        const MacroUses outer = std::exchange(m_uses, {});
        const int outerLoops = std::exchange(m_loops, 0);
        macro.body = parseWholeBlock(end);
        macro.usesVarargs = m_uses.varargs;
        macro.usesKwargs = m_uses.kwargs;
        macro.usesCaller = m_uses.caller;
        m_uses = outer;
        m_loops = outerLoops;
    }

    StmtPtr parseMacro(Position at)
    {
        auto node = makeNode<MacroStmt>(at);
        node->name = expectName();
        node->symbol = symbol(node->name);
        parseSignature(*node);
        parseMacroBody(*node, "endmacro");
        return node;
    }

    StmtPtr parseCallBlock(Position at)
    {
        auto node = makeNode<CallBlockStmt>(at);
        node->caller = makeNode<MacroStmt>(at);
        node->caller->name = "caller";
        node->caller->symbol = symbol("caller");
        if (current().isOperator("("))
            parseSignature(*node->caller);
        const Position callAt = current().at;
        ExprPtr call = parseUnary(false);
        if (call->kind != ExprKind::Call)
            throwSyntaxError(callAt, "expected a call");
        node->call.reset(static_cast<Call *>(call.release()));
        parseMacroBody(*node->caller, "endcall");
        return node;
    }

    StmtPtr parseFilterBlock(Position at)
    {
        auto node = makeNode<FilterBlockStmt>(at);
        node->filter = parseFilters(nullptr);
        node->body = parseWholeBlock("endfilter");
        return node;
    }

    StmtPtr parseWith(Position at)
    {
        auto node = makeNode<WithStmt>(at);
        while (current().kind != TokenKind::BlockEnd) {
            if (!node->values.empty())
                expectOperator(",");
            Target target = parseTargetItem(false);
            expectOperator("=");
            node->values.emplace_back(std::move(target), parseExpression());
        }
        node->body = parseWholeBlock("endwith");
        return node;
    }

    StmtPtr parseGeneration(Position at)
    {
        auto node = makeNode<ScopeStmt>(at);
        node->body = parseWholeBlock("endgeneration");
        return node;
    }

    StmtPtr parseNamedBlock(Position at)
    {
        auto node = makeNode<ScopeStmt>(at);
        expectName();
        node->body = parseBlock({"endblock"});
        take();
        if (current().kind == TokenKind::Name) // {% endblock name %}
            take();
        expectEnd(TokenKind::BlockEnd);
        return node;
    }

    template <StmtKind Kind>
    StmtPtr parseJump(Position at)
    {
        if (m_loops == 0)
            throwSyntaxError(at, std::string(Kind == StmtKind::Break ? "'break'" : "'continue'") +
                                     " outside a loop");
        expectEnd(TokenKind::BlockEnd);
        return makeNode<NodeOf<Kind>>(at);
    }

    int m_loops = 0; // loops around the current statement, inside the current macro
};

} // namespace

Program parse(std::string_view source)
{
    return StatementParser(tokenize(source)).run();
}

} // namespace fireside::jinja
