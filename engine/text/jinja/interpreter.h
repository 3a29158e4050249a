#pragma once
#include "engine/text/jinja/syntax/ast.h"
#include "engine/text/jinja/values/runtime.h"

#include <deque>
#include <optional>
#include <vector>

namespace fireside::jinja {

/// Variables of one template, loop iteration, macro call or block.
struct Scope
{
    Scope *parent = nullptr;
    std::vector<std::pair<Symbol, Value>> variables;
    bool captured = false; // a macro or recursive loop may still look here

    const Value *find(Symbol symbol) const;
    void set(Symbol symbol, Value value);
};

/// Walks a program and writes its text. One instance per rendering.
class Interpreter
{
public:
    Interpreter(const Program &program, Runtime &runtime);

    /// Before run(): what the template sees under this name.
    void define(Symbol symbol, Value value) { m_context.set(symbol, value); }
    MarkedText run();
    /// Where the template was when an error left run().
    Position position() const { return m_at; }

    // For macros and loops, which come back into the interpreter when they are called.
    Value callMacro(const MacroStmt &macro, Scope &definedIn, const Arguments &args);
    Value callLoop(const ForStmt &loop, Scope &scope, const Value &iterable, int depth);

private:
    enum class Flow { Normal, Break, Continue };
    class Capture;

    Flow execute(const Body &body, Scope &scope);
    Flow execute(const Stmt &stmt, Scope &scope);
    Flow executeIf(const IfStmt &stmt, Scope &scope);
    Flow executeFor(const ForStmt &stmt, Scope &scope, const Value &iterable, int depth);
    Value captureBlock(const Body &body, const ExprPtr &filter, Scope &scope);
    void executeCallBlock(const CallBlockStmt &stmt, Scope &scope);
    Flow executeWith(const WithStmt &stmt, Scope &scope);
    void assign(const Target &target, const Value &value, Scope &scope);
    Value macroObject(const MacroStmt &macro, Scope &scope);
    void bindArguments(const MacroStmt &macro, const Arguments &args, Scope &scope);
    std::vector<Value> loopItems(const ForStmt &stmt, const Value &iterable, Scope &scope);

    Value evaluate(const Expr &expr, Scope &scope);
    Value evaluateName(const Name &expr, const Scope &scope);
    Value evaluateSequence(const Sequence &expr, Scope &scope);
    Value evaluateDict(const DictDisplay &expr, Scope &scope);
    Value evaluateUnary(const Unary &expr, Scope &scope);
    Value evaluateChain(const Chain &expr, Scope &scope);
    Value evaluateLogic(const Logic &expr, Scope &scope);
    Value evaluateCompare(const Compare &expr, Scope &scope);
    Value evaluateConditional(const Conditional &expr, Scope &scope);
    Value evaluateSubscript(const Subscript &expr, Scope &scope);
    Value evaluateCall(const Call &expr, Scope &scope, const Value *caller);
    Value evaluateFilter(const Filter &expr, Scope &scope, const Value *blockInput);
    Value evaluateTest(const Test &expr, Scope &scope);
    Value evaluateOptional(const ExprPtr &expr, Scope &scope);
    Arguments evaluateArguments(const CallArgs &args, Scope &scope);

    void write(const Value &value);
    void write(const MarkedText &text);
    void checkOutput();
    Scope &newScope(Scope &parent);

    const Program &m_program;
    Runtime &m_runtime;
    MarkedBuilder *m_out = nullptr;
    Scope m_context;
    std::deque<Scope> m_scopes;                // live until the end: macros may refer to them
    std::vector<std::optional<Value>> m_known; // globals and undefined values by symbol
    Position m_at;
};

} // namespace fireside::jinja
