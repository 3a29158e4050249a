#include "engine/text/jinja/interpreter.h"

#include "engine/core/quote.h"

#include "engine/text/jinja/loop.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"

namespace fireside::jinja {

const Value *Scope::find(Symbol symbol) const
{
    for (const auto &[name, value] : variables) {
        if (name == symbol)
            return &value;
    }
    return nullptr;
}

void Scope::set(Symbol symbol, Value value)
{
    for (auto &[name, old] : variables) {
        if (name == symbol) {
            old = value;
            return;
        }
    }
    variables.emplace_back(symbol, value);
}

/// Collects what is written during its lifetime instead of sending it to the output.
class Interpreter::Capture
{
public:
    explicit Capture(Interpreter &interpreter)
        : m_interpreter(interpreter)
        , m_outer(interpreter.m_out)
    {
        m_interpreter.m_out = &m_text;
    }
    ~Capture() { m_interpreter.m_out = m_outer; }
    Capture(const Capture &) = delete;
    Capture &operator=(const Capture &) = delete;
    Value value() { return m_interpreter.m_runtime.string(m_text.take()); }

private:
    Interpreter &m_interpreter;
    MarkedBuilder *m_outer;
    MarkedBuilder m_text;
};

Interpreter::Interpreter(const Program &program, Runtime &runtime)
    : m_program(program)
    , m_runtime(runtime)
    , m_known(program.symbols.size())
{}

MarkedText Interpreter::run()
{
    MarkedBuilder out;
    m_out = &out;
    execute(m_program.body, newScope(m_context));
    return out.take();
}

Scope &Interpreter::newScope(Scope &parent)
{
    m_runtime.budget.allocate(sizeof(Scope) + 64);
    Scope &scope = m_scopes.emplace_back();
    scope.parent = &parent;
    return scope;
}

void Interpreter::checkOutput()
{
    m_runtime.budget.checkText(m_out->size());
    m_runtime.budget.checkText(m_out->ranges() * sizeof(MarkedText::Range));
}

void Interpreter::write(const MarkedText &text)
{
    m_runtime.budget.scan(text.text.size());
    m_out->append(text);
    checkOutput();
}

void Interpreter::write(const Value &value)
{
    if (!value.isUndefined())
        write(toText(m_runtime, value).asString().marked);
}

Interpreter::Flow Interpreter::execute(const Body &body, Scope &scope)
{
    const LevelGuard guard(m_runtime.budget.nodes);
    for (const auto &stmt : body) {
        const Flow flow = execute(*stmt, scope);
        if (flow != Flow::Normal)
            return flow;
    }
    return Flow::Normal;
}

Interpreter::Flow Interpreter::execute(const Stmt &stmt, Scope &scope)
{
    m_runtime.budget.step();
    m_at = stmt.at;
    switch (stmt.kind) {
    case StmtKind::Text: {
        const std::string &text = static_cast<const TextStmt &>(stmt).text;
        m_runtime.budget.scan(text.size());
        m_out->append(text);
        checkOutput();
        return Flow::Normal;
    }
    case StmtKind::Print:
        write(evaluate(*static_cast<const PrintStmt &>(stmt).value, scope));
        return Flow::Normal;
    case StmtKind::If:
        return executeIf(static_cast<const IfStmt &>(stmt), scope);
    case StmtKind::For: {
        const auto &loop = static_cast<const ForStmt &>(stmt);
        return executeFor(loop, scope, evaluate(*loop.iterable, scope), 0);
    }
    case StmtKind::Set: {
        const auto &set = static_cast<const SetStmt &>(stmt);
        assign(set.target, evaluate(*set.value, scope), scope);
        return Flow::Normal;
    }
    case StmtKind::SetBlock: {
        const auto &set = static_cast<const SetBlockStmt &>(stmt);
        assign(set.target, captureBlock(set.body, set.filter, scope), scope);
        return Flow::Normal;
    }
    case StmtKind::Macro: {
        const auto &macro = static_cast<const MacroStmt &>(stmt);
        scope.set(macro.symbol, macroObject(macro, scope));
        return Flow::Normal;
    }
    case StmtKind::CallBlock:
        executeCallBlock(static_cast<const CallBlockStmt &>(stmt), scope);
        return Flow::Normal;
    case StmtKind::FilterBlock: {
        const auto &block = static_cast<const FilterBlockStmt &>(stmt);
        write(captureBlock(block.body, block.filter, scope));
        return Flow::Normal;
    }
    case StmtKind::With:
        return executeWith(static_cast<const WithStmt &>(stmt), scope);
    case StmtKind::Scope:
        return execute(static_cast<const ScopeStmt &>(stmt).body, newScope(scope));
    case StmtKind::Break:
        return Flow::Break;
    case StmtKind::Continue:
        return Flow::Continue;
    }
    return Flow::Normal;
}

Interpreter::Flow Interpreter::executeIf(const IfStmt &stmt, Scope &scope)
{
    for (const auto &branch : stmt.branches) {
        if (isTrue(evaluate(*branch.condition, scope)))
            return execute(branch.body, scope);
    }
    return execute(stmt.otherwise, scope);
}

std::vector<Value> Interpreter::loopItems(const ForStmt &stmt, const Value &iterable, Scope &scope)
{
    std::vector<Value> items = iterate(m_runtime, iterable);
    if (!stmt.condition)
        return items;
    std::vector<Value> kept;
    Scope &inner = newScope(scope);
    for (const Value &item : items) {
        assign(stmt.target, item, inner);
        if (isTrue(evaluate(*stmt.condition, inner)))
            kept.push_back(item);
    }
    return kept;
}

Interpreter::Flow Interpreter::executeFor(const ForStmt &stmt, Scope &scope, const Value &iterable,
                                          int depth)
{
    const std::vector<Value> items = loopItems(stmt, iterable, scope);
    if (items.empty())
        return execute(stmt.otherwise, newScope(scope));
    auto &loop = m_runtime.heap.make<LoopObject>(*this, stmt, scope, items, depth);
    const LoopObject::Running running(loop);
    if (stmt.recursive)
        for (Scope *s = &scope; s; s = s->parent)
            s->captured = true;
    Scope *inner = &newScope(scope);
    for (std::size_t i = 0; i < items.size(); ++i) {
        m_runtime.budget.step();
        if (i > 0 && inner->captured)
            inner = &newScope(scope);
        inner->variables.clear();
        loop.moveTo(i);
        inner->set(LoopSymbol, Value::object(&loop));
        assign(stmt.target, items[i], *inner);
        if (execute(stmt.body, *inner) == Flow::Break)
            break;
    }
    return Flow::Normal;
}

Value Interpreter::callLoop(const ForStmt &loop, Scope &scope, const Value &iterable, int depth)
{
    const LevelGuard guard(m_runtime.budget.calls);
    Capture capture(*this);
    executeFor(loop, scope, iterable, depth);
    return capture.value();
}

void Interpreter::assign(const Target &target, const Value &value, Scope &scope)
{
    m_runtime.budget.step();
    if (target.attribute) {
        const Value *holder = nullptr;
        for (const Scope *s = &scope; s && !holder; s = s->parent)
            holder = s->find(target.symbol);
        auto *space = holder && holder->is(Value::Kind::Object)
                          ? dynamic_cast<NamespaceObject *>(&holder->asObject())
                          : nullptr;
        if (!space)
            throw TemplateError("cannot assign attribute on non-namespace object");
        setItem(m_runtime, space->values, m_runtime.string(*target.attribute), value);
        return;
    }
    if (target.items.empty()) {
        scope.set(target.symbol, value);
        return;
    }
    requireDefined(value);
    const auto parts = iterate(m_runtime, value);
    if (parts.size() != target.items.size())
        throw TemplateError((parts.size() < target.items.size() ? "not enough" : "too many") +
                            std::string(" values to unpack (expected ") +
                            std::to_string(target.items.size()) + ", got " +
                            std::to_string(parts.size()) + ")");
    for (std::size_t i = 0; i < parts.size(); ++i)
        assign(target.items[i], parts[i], scope);
}

Value Interpreter::captureBlock(const Body &body, const ExprPtr &filter, Scope &scope)
{
    Value text;
    {
        Capture capture(*this);
        execute(body, newScope(scope));
        text = capture.value();
    }
    return filter ? evaluateFilter(static_cast<const Filter &>(*filter), scope, &text) : text;
}

void Interpreter::executeCallBlock(const CallBlockStmt &stmt, Scope &scope)
{
    const Value caller = macroObject(*stmt.caller, scope);
    write(evaluateCall(*stmt.call, scope, &caller));
}

Interpreter::Flow Interpreter::executeWith(const WithStmt &stmt, Scope &scope)
{
    Scope &inner = newScope(scope);
    for (const auto &[target, value] : stmt.values)
        assign(target, evaluate(*value, scope), inner);
    return execute(stmt.body, inner);
}

Value Interpreter::macroObject(const MacroStmt &macro, Scope &scope)
{
    for (Scope *s = &scope; s; s = s->parent)
        s->captured = true;
    return Value::object(&m_runtime.heap.make<MacroObject>(*this, macro, scope));
}

void Interpreter::bindArguments(const MacroStmt &macro, const Arguments &args, Scope &scope)
{
    const auto &parameters = macro.parameters;
    std::vector<bool> given(parameters.size(), false);
    std::vector<Value> extra;
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        if (i >= parameters.size()) {
            extra.push_back(args.positional[i]);
            continue;
        }
        scope.set(parameters[i].symbol, args.positional[i]);
        given[i] = true;
    }
    if (!extra.empty() && !macro.usesVarargs)
        throw TemplateError("macro " + fireside::quoted(macro.name) + " takes not more than " +
                            std::to_string(parameters.size()) + " argument(s)");

    const Value rest = macro.usesKwargs ? m_runtime.heap.dict() : Value();
    for (const auto &[name, value] : args.named) {
        std::size_t i = 0;
        while (i < parameters.size() && parameters[i].name != name)
            ++i;
        if (i < parameters.size() && given[i])
            throw TemplateError("macro " + fireside::quoted(macro.name) +
                                " got multiple values for argument '" + name + "'");
        if (i < parameters.size()) {
            scope.set(parameters[i].symbol, value);
            given[i] = true;
        } else if (name == "caller" && macro.usesCaller) {
            scope.set(CallerSymbol, value);
        } else if (macro.usesKwargs) {
            setItem(m_runtime, rest.asDict(), m_runtime.string(name), value);
        } else {
            throw TemplateError("macro " + fireside::quoted(macro.name) +
                                " takes no keyword argument '" + name + "'");
        }
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (given[i])
            continue;
        const Parameter &parameter = parameters[i];
        scope.set(parameter.symbol,
                  parameter.fallback
                      ? evaluate(*parameter.fallback, scope)
                      : m_runtime.heap.undefined("parameter " + fireside::quoted(parameter.name) +
                                                 " was not provided"));
    }
    if (macro.usesVarargs)
        scope.set(VarargsSymbol, m_runtime.heap.tuple(std::move(extra)));
    if (macro.usesKwargs)
        scope.set(KwargsSymbol, rest);
    if (macro.usesCaller && !scope.find(CallerSymbol))
        scope.set(CallerSymbol, m_runtime.heap.undefined("No caller defined"));
}

Value Interpreter::callMacro(const MacroStmt &macro, Scope &definedIn, const Arguments &args)
{
    const LevelGuard guard(m_runtime.budget.calls);
    Scope &scope = newScope(definedIn);
    bindArguments(macro, args, scope);
    Capture capture(*this);
    execute(macro.body, scope);
    return capture.value();
}

} // namespace fireside::jinja
