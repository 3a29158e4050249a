#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::jinja {

/// Where something stands in the template, both counted from 1; columns in characters.
struct Position
{
    int line = 1;
    int column = 1;
};

enum class TokenKind {
    Data,          // literal text, white-space control already applied
    BlockBegin,    // {%
    BlockEnd,      // %}
    VariableBegin, // {{
    VariableEnd,   // }}
    Name,
    String, // text holds the decoded value
    Integer,
    Float,
    Operator, // text holds it: + - * / // % ** ~ ( ) [ ] { } == != < <= > >= = . : | , ;
    End,
};

struct Token
{
    TokenKind kind = TokenKind::End;
    Position at;
    std::string text;
    std::int64_t integer = 0;
    double number = 0;

    bool isOperator(std::string_view op) const { return kind == TokenKind::Operator && text == op; }
    bool isName(std::string_view name) const { return kind == TokenKind::Name && text == name; }
    std::string describe() const; // for error messages
};

/// Splits a template with the settings chat templates are written for: trim_blocks and
/// lstrip_blocks on, one trailing newline dropped. Rules: jinja.palletsprojects.com, "Whitespace
/// Control". Throws Error(BadInput) with line and column.
std::vector<Token> tokenize(std::string_view source);

[[noreturn]] void throwSyntaxError(Position at, const std::string &message);

} // namespace fireside::jinja
