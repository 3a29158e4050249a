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

/// What the tree is made of; the kind says which struct it is.
template <typename Kind>
struct Node
{
    explicit Node(Kind k)
        : kind(k)
    {}
    virtual ~Node() = default;
    const Kind kind;
    Position at;
};

template <auto Kind>
struct NodeOf : Node<decltype(Kind)>
{
    NodeOf()
        : Node<decltype(Kind)>(Kind)
    {}
};

template <typename Which>
std::unique_ptr<Which> makeNode(Position at)
{
    auto node = std::make_unique<Which>();
    node->at = at;
    return node;
}

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

using Expr = Node<ExprKind>;
using ExprPtr = std::unique_ptr<Expr>;

struct Literal : NodeOf<ExprKind::Literal>
{
    StringObject text; // what `value` points to when it is a string
    Value value;
};

struct Name : NodeOf<ExprKind::Name>
{
    Symbol symbol = 0;
};

struct Sequence : NodeOf<ExprKind::Sequence> // [a, b] or (a, b)
{
    bool isTuple = false;
    std::vector<ExprPtr> items;
};

struct DictDisplay : NodeOf<ExprKind::Dict>
{
    std::vector<std::pair<ExprPtr, ExprPtr>> items;
};

enum class UnaryOp { Not, Negate, Plus };

struct Unary : NodeOf<ExprKind::Unary>
{
    UnaryOp op = UnaryOp::Not;
    ExprPtr operand;
};

/// first op operand op operand …, left to right: one node for a whole run of one precedence, so
/// long concatenations do not nest.
struct Chain : NodeOf<ExprKind::Chain>
{
    struct Link
    {
        BinaryOp op;
        Position at;
        ExprPtr operand;
    };
    ExprPtr first;
    std::vector<Link> links;
};

struct Logic : NodeOf<ExprKind::Logic> // a and b and …, a or b or …
{
    bool isAnd = false;
    std::vector<ExprPtr> operands;
};

struct Compare : NodeOf<ExprKind::Compare>
{
    struct Link
    {
        CompareOp op;
        ExprPtr operand;
    };
    ExprPtr first;
    std::vector<Link> links;
};

struct Conditional : NodeOf<ExprKind::Conditional> // then if condition else otherwise
{
    ExprPtr condition, then, otherwise; // otherwise may be absent
};

struct Attribute : NodeOf<ExprKind::Attribute> // object.name
{
    ExprPtr object;
    StringObject name;
};

struct Subscript : NodeOf<ExprKind::Subscript> // object[index] or object[start:stop:step]
{
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

struct Call : NodeOf<ExprKind::Call>
{
    ExprPtr callee;
    CallArgs args;
};

struct Filter : NodeOf<ExprKind::Filter>
{
    ExprPtr input; // absent for the innermost filter of a filter block or block set
    std::string name;
    CallArgs args;
};

struct Test : NodeOf<ExprKind::Test>
{
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

using Stmt = Node<StmtKind>;
using StmtPtr = std::unique_ptr<Stmt>;
using Body = std::vector<StmtPtr>;

/// What can stand left of '=': a name, namespace.attribute, or a tuple of targets.
struct Target
{
    Position at;
    Symbol symbol = 0;
    std::optional<std::string> attribute; // namespace assignment
    std::vector<Target> items;            // when not empty: unpacking
};

struct TextStmt : NodeOf<StmtKind::Text>
{
    std::string text;
};

struct PrintStmt : NodeOf<StmtKind::Print>
{
    ExprPtr value;
};

struct IfStmt : NodeOf<StmtKind::If>
{
    struct Branch
    {
        ExprPtr condition;
        Body body;
    };
    std::vector<Branch> branches; // if, elif …
    Body otherwise;
};

struct ForStmt : NodeOf<StmtKind::For>
{
    Target target;
    ExprPtr iterable, condition; // condition may be absent
    bool recursive = false;
    Body body, otherwise;
};

struct SetStmt : NodeOf<StmtKind::Set>
{
    Target target;
    ExprPtr value;
};

struct SetBlockStmt : NodeOf<StmtKind::SetBlock>
{
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
struct MacroStmt : NodeOf<StmtKind::Macro>
{
    std::string name;
    Symbol symbol = 0;
    std::vector<Parameter> parameters;
    Body body;
    bool usesVarargs = false, usesKwargs = false, usesCaller = false;
};

struct CallBlockStmt : NodeOf<StmtKind::CallBlock>
{
    std::unique_ptr<Call> call;
    std::unique_ptr<MacroStmt> caller;
};

struct FilterBlockStmt : NodeOf<StmtKind::FilterBlock>
{
    ExprPtr filter;
    Body body;
};

struct WithStmt : NodeOf<StmtKind::With>
{
    std::vector<std::pair<Target, ExprPtr>> values;
    Body body;
};

struct ScopeStmt : NodeOf<StmtKind::Scope> // {% generation %}, {% block name %}
{
    Body body;
};

/// A parsed template. Immutable; rendered by Interpreter from any number of threads.
struct Program
{
    Body body;
    std::vector<std::string> symbols; // Symbol → name
};

} // namespace fireside::jinja
