#pragma once
#include "engine/text/jinja/syntax/lexer.h"
#include "engine/text/jinja/values/operation.h"
#include "engine/text/jinja/values/value.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fireside::jinja {

/// Variable names are numbered once by the parser: scopes compare numbers, not text.
using Symbol = int;
constexpr Symbol LoopSymbol = 0, CallerSymbol = 1, VarargsSymbol = 2, KwargsSymbol = 3;

// ---- Expressions ------------------------------------------------------------------------------

enum class ExprKind {
    Literal,
    Name,
    Sequence,
    Dict,
    Unary,
    Chain,
    Logic,
    Compare,
    Conditional,
    Attribute,
    Subscript,
    Call,
    Filter,
    Test,
};

struct Expr
{
    Expr(ExprKind k, Position p)
        : kind(k)
        , at(p)
    {}
    virtual ~Expr() = default;
    const ExprKind kind;
    const Position at;
};
using ExprPtr = std::unique_ptr<Expr>;

template <ExprKind Kind>
struct ExprOf : Expr
{
    explicit ExprOf(Position p)
        : Expr(Kind, p)
    {}
};

struct Literal : ExprOf<ExprKind::Literal>
{
    using ExprOf::ExprOf;
    StringObject text; // what `value` points to when it is a string
    Value value;
};

struct Name : ExprOf<ExprKind::Name>
{
    using ExprOf::ExprOf;
    Symbol symbol = 0;
};

struct Sequence : ExprOf<ExprKind::Sequence> // [a, b] or (a, b)
{
    using ExprOf::ExprOf;
    bool isTuple = false;
    std::vector<ExprPtr> items;
};

struct DictDisplay : ExprOf<ExprKind::Dict>
{
    using ExprOf::ExprOf;
    std::vector<std::pair<ExprPtr, ExprPtr>> items;
};

enum class UnaryOp { Not, Negate, Plus };

struct Unary : ExprOf<ExprKind::Unary>
{
    using ExprOf::ExprOf;
    UnaryOp op = UnaryOp::Not;
    ExprPtr operand;
};

/// first op operand op operand …, left to right: one node for a whole run of one precedence, so
/// long concatenations do not nest.
struct Chain : ExprOf<ExprKind::Chain>
{
    using ExprOf::ExprOf;
    struct Link
    {
        BinaryOp op;
        Position at;
        ExprPtr operand;
    };
    ExprPtr first;
    std::vector<Link> links;
};

struct Logic : ExprOf<ExprKind::Logic> // a and b and …, a or b or …
{
    using ExprOf::ExprOf;
    bool isAnd = false;
    std::vector<ExprPtr> operands;
};

struct Compare : ExprOf<ExprKind::Compare>
{
    using ExprOf::ExprOf;
    struct Link
    {
        CompareOp op;
        ExprPtr operand;
    };
    ExprPtr first;
    std::vector<Link> links;
};

struct Conditional : ExprOf<ExprKind::Conditional> // then if condition else otherwise
{
    using ExprOf::ExprOf;
    ExprPtr condition, then, otherwise; // otherwise may be absent
};

struct Attribute : ExprOf<ExprKind::Attribute> // object.name
{
    using ExprOf::ExprOf;
    ExprPtr object;
    StringObject name;
};

struct Subscript : ExprOf<ExprKind::Subscript> // object[index] or object[start:stop:step]
{
    using ExprOf::ExprOf;
    ExprPtr object, index;
    bool isSlice = false;
    ExprPtr start, stop, step;
};

struct CallArgs
{
    std::vector<ExprPtr> positional;
    std::vector<std::pair<std::string, ExprPtr>> named;
    ExprPtr list, dict; // *list, **dict
};

struct Call : ExprOf<ExprKind::Call>
{
    using ExprOf::ExprOf;
    ExprPtr callee;
    CallArgs args;
};

struct Filter : ExprOf<ExprKind::Filter>
{
    using ExprOf::ExprOf;
    ExprPtr input; // absent for the innermost filter of a filter block or block set
    std::string name;
    CallArgs args;
};

struct Test : ExprOf<ExprKind::Test>
{
    using ExprOf::ExprOf;
    ExprPtr input;
    std::string name;
    CallArgs args;
    bool negated = false;
};

// ---- Statements -------------------------------------------------------------------------------

enum class StmtKind {
    Text,
    Print,
    If,
    For,
    Set,
    SetBlock,
    Macro,
    CallBlock,
    FilterBlock,
    With,
    Scope,
    Break,
    Continue
};

struct Stmt
{
    Stmt(StmtKind k, Position p)
        : kind(k)
        , at(p)
    {}
    virtual ~Stmt() = default;
    const StmtKind kind;
    const Position at;
};
using StmtPtr = std::unique_ptr<Stmt>;
using Body = std::vector<StmtPtr>;

template <StmtKind Kind>
struct StmtOf : Stmt
{
    explicit StmtOf(Position p)
        : Stmt(Kind, p)
    {}
};

/// What can stand left of '=': a name, namespace.attribute, or a tuple of targets.
struct Target
{
    Position at;
    Symbol symbol = 0;
    std::optional<std::string> attribute; // namespace assignment
    std::vector<Target> items;            // when not empty: unpacking
};

struct TextStmt : StmtOf<StmtKind::Text>
{
    using StmtOf::StmtOf;
    std::string text;
};

struct PrintStmt : StmtOf<StmtKind::Print>
{
    using StmtOf::StmtOf;
    ExprPtr value;
};

struct IfStmt : StmtOf<StmtKind::If>
{
    using StmtOf::StmtOf;
    struct Branch
    {
        ExprPtr condition;
        Body body;
    };
    std::vector<Branch> branches; // if, elif …
    Body otherwise;
};

struct ForStmt : StmtOf<StmtKind::For>
{
    using StmtOf::StmtOf;
    Target target;
    ExprPtr iterable, condition; // condition may be absent
    bool recursive = false;
    Body body, otherwise;
};

struct SetStmt : StmtOf<StmtKind::Set>
{
    using StmtOf::StmtOf;
    Target target;
    ExprPtr value;
};

struct SetBlockStmt : StmtOf<StmtKind::SetBlock>
{
    using StmtOf::StmtOf;
    Target target;
    ExprPtr filter; // may be absent
    Body body;
};

struct Parameter
{
    Symbol symbol = 0;
    std::string name;
    ExprPtr fallback; // may be absent
};

/// A macro, or the body of a call block (which becomes the macro `caller`).
struct MacroStmt : StmtOf<StmtKind::Macro>
{
    using StmtOf::StmtOf;
    std::string name;
    Symbol symbol = 0;
    std::vector<Parameter> parameters;
    Body body;
    bool usesVarargs = false, usesKwargs = false, usesCaller = false;
};

struct CallBlockStmt : StmtOf<StmtKind::CallBlock>
{
    using StmtOf::StmtOf;
    std::unique_ptr<Call> call;
    std::unique_ptr<MacroStmt> caller;
};

struct FilterBlockStmt : StmtOf<StmtKind::FilterBlock>
{
    using StmtOf::StmtOf;
    ExprPtr filter;
    Body body;
};

struct WithStmt : StmtOf<StmtKind::With>
{
    using StmtOf::StmtOf;
    std::vector<std::pair<Target, ExprPtr>> values;
    Body body;
};

struct ScopeStmt : StmtOf<StmtKind::Scope> // {% generation %}, {% block name %}
{
    using StmtOf::StmtOf;
    Body body;
};

using BreakStmt = StmtOf<StmtKind::Break>;
using ContinueStmt = StmtOf<StmtKind::Continue>;

/// A parsed template. Immutable; rendered by Interpreter from any number of threads.
struct Program
{
    Body body;
    std::vector<std::string> symbols; // Symbol → name
};

} // namespace fireside::jinja
