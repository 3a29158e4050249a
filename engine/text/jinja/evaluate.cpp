// The expression half of the interpreter.
#include "engine/text/jinja/builtins/filters.h"

#include "engine/core/quote.h"
#include "engine/text/jinja/builtins/globals.h"
#include "engine/text/jinja/builtins/tests.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/values/operators.h"

namespace fireside::jinja {

Value Interpreter::evaluate(const Expr &expr, Scope &scope)
{
    const LevelGuard guard(m_runtime.budget.nodes);
    m_runtime.budget.step();
    switch (expr.kind) {
    case ExprKind::Literal:
        return static_cast<const Literal &>(expr).value;
    case ExprKind::Name:
        return evaluateName(static_cast<const Name &>(expr), scope);
    case ExprKind::Sequence:
        return evaluateSequence(static_cast<const Sequence &>(expr), scope);
    case ExprKind::Dict:
        return evaluateDict(static_cast<const DictDisplay &>(expr), scope);
    case ExprKind::Unary:
        return evaluateUnary(static_cast<const Unary &>(expr), scope);
    case ExprKind::Chain:
        return evaluateChain(static_cast<const Chain &>(expr), scope);
    case ExprKind::Logic:
        return evaluateLogic(static_cast<const Logic &>(expr), scope);
    case ExprKind::Compare:
        return evaluateCompare(static_cast<const Compare &>(expr), scope);
    case ExprKind::Conditional:
        return evaluateConditional(static_cast<const Conditional &>(expr), scope);
    case ExprKind::Attribute: {
        const auto &attribute = static_cast<const Attribute &>(expr);
        const Value object = evaluate(*attribute.object, scope);
        m_at = expr.at;
        return getAttribute(m_runtime, object, attribute.name);
    }
    case ExprKind::Subscript:
        return evaluateSubscript(static_cast<const Subscript &>(expr), scope);
    case ExprKind::Call:
        return evaluateCall(static_cast<const Call &>(expr), scope, nullptr);
    case ExprKind::Filter:
        return evaluateFilter(static_cast<const Filter &>(expr), scope, nullptr);
    case ExprKind::Test:
        return evaluateTest(static_cast<const Test &>(expr), scope);
    }
    return {};
}

Value Interpreter::evaluateName(const Name &expr, const Scope &scope)
{
    m_at = expr.at;
    for (const Scope *s = &scope; s; s = s->parent) {
        if (const Value *found = s->find(expr.symbol))
            return *found;
    }
    auto &known = m_known[static_cast<std::size_t>(expr.symbol)];
    if (!known) {
        const std::string &name = m_program.symbols[static_cast<std::size_t>(expr.symbol)];
        known = findGlobal(m_runtime, name);
        if (!known)
            known = m_runtime.heap.undefined(fireside::quoted(name) + " is undefined");
    }
    return *known;
}

Value Interpreter::evaluateOptional(const ExprPtr &expr, Scope &scope)
{
    return expr ? evaluate(*expr, scope) : Value();
}

Value Interpreter::evaluateSequence(const Sequence &expr, Scope &scope)
{
    std::vector<Value> items;
    items.reserve(expr.items.size());
    for (const auto &item : expr.items)
        items.push_back(evaluate(*item, scope));
    return expr.isTuple ? m_runtime.heap.tuple(std::move(items))
                        : m_runtime.heap.list(std::move(items));
}

Value Interpreter::evaluateDict(const DictDisplay &expr, Scope &scope)
{
    const Value dict = m_runtime.heap.dict();
    for (const auto &[key, value] : expr.items) {
        const Value k = evaluate(*key, scope);
        setItem(m_runtime, dict.asDict(), k, evaluate(*value, scope));
    }
    return dict;
}

Value Interpreter::evaluateUnary(const Unary &expr, Scope &scope)
{
    const Value operand = evaluate(*expr.operand, scope);
    m_at = expr.at;
    if (expr.op == UnaryOp::Not)
        return Value::boolean(!isTrue(operand));
    if (expr.op == UnaryOp::Negate)
        return negate(operand);
    requireDefined(operand);
    if (!operand.isNumber())
        throw TemplateError("bad operand type for unary +: '" + typeName(operand) + "'");
    return operand.isInteger() ? Value::integer(operand.asInteger()) : operand;
}

Value Interpreter::evaluateChain(const Chain &expr, Scope &scope)
{
    Value result = evaluate(*expr.first, scope);
    for (const auto &link : expr.links) {
        const Value operand = evaluate(*link.operand, scope);
        m_at = link.at;
        m_runtime.budget.step();
        result = applyBinary(m_runtime, link.op, result, operand);
    }
    return result;
}

Value Interpreter::evaluateLogic(const Logic &expr, Scope &scope)
{
    Value result;
    for (const auto &operand : expr.operands) {
        result = evaluate(*operand, scope);
        if (isTrue(result) != expr.isAnd)
            break;
    }
    return result;
}

Value Interpreter::evaluateCompare(const Compare &expr, Scope &scope)
{
    Value left = evaluate(*expr.first, scope);
    for (const auto &link : expr.links) {
        const Value right = evaluate(*link.operand, scope);
        m_at = expr.at;
        if (!compare(m_runtime, link.op, left, right))
            return Value::boolean(false);
        left = right;
    }
    return Value::boolean(true);
}

Value Interpreter::evaluateConditional(const Conditional &expr, Scope &scope)
{
    if (isTrue(evaluate(*expr.condition, scope)))
        return evaluate(*expr.then, scope);
    if (expr.otherwise)
        return evaluate(*expr.otherwise, scope);
    return m_runtime.heap.undefined("the inline if-expression on line " +
                                    std::to_string(expr.at.line) +
                                    " evaluated to false and no else section was defined.");
}

Value Interpreter::evaluateSubscript(const Subscript &expr, Scope &scope)
{
    const Value object = evaluate(*expr.object, scope);
    if (!expr.isSlice) {
        const Value index = evaluate(*expr.index, scope);
        m_at = expr.at;
        return getItem(m_runtime, object, index);
    }
    const Value start = evaluateOptional(expr.start, scope);
    const Value stop = evaluateOptional(expr.stop, scope);
    const Value step = evaluateOptional(expr.step, scope);
    m_at = expr.at;
    return getSlice(m_runtime, object, start, stop, step);
}

Arguments Interpreter::evaluateArguments(const CallArgs &args, Scope &scope)
{
    Arguments result;
    for (const auto &arg : args.positional)
        result.positional.push_back(evaluate(*arg, scope));
    if (args.list) {
        const auto items = iterate(m_runtime, evaluate(*args.list, scope));
        result.positional.insert(result.positional.end(), items.begin(), items.end());
    }
    for (const auto &[name, arg] : args.named)
        result.named.emplace_back(name, evaluate(*arg, scope));
    if (args.dict) {
        const Value dict = evaluate(*args.dict, scope);
        requireDefined(dict);
        if (!dict.is(Value::Kind::Dict))
            throw TemplateError("argument after ** must be a mapping, not " + typeName(dict));
        for (const auto &entry : dict.asDict().entries) {
            if (!entry.key.isString())
                throw TemplateError("keywords must be strings");
            m_runtime.budget.scan(entry.key.text().size());
            result.named.emplace_back(entry.key.text(), entry.value);
        }
    }
    return result;
}

Value Interpreter::evaluateCall(const Call &expr, Scope &scope, const Value *caller)
{
    const Value callee = evaluate(*expr.callee, scope);
    Arguments args = evaluateArguments(expr.args, scope);
    if (caller)
        args.named.emplace_back("caller", *caller);
    m_at = expr.at;
    return m_runtime.call(callee, args);
}

Value Interpreter::evaluateFilter(const Filter &expr, Scope &scope, const Value *blockInput)
{
    // In a filter block the innermost filter of the chain takes the block's text.
    Value input;
    if (!expr.input)
        input = blockInput ? *blockInput : Value();
    else if (blockInput)
        input = evaluateFilter(static_cast<const Filter &>(*expr.input), scope, blockInput);
    else
        input = evaluate(*expr.input, scope);
    const Arguments args = evaluateArguments(expr.args, scope);
    m_at = expr.at;
    return applyFilter(m_runtime, expr.name, input, args);
}

Value Interpreter::evaluateTest(const Test &expr, Scope &scope)
{
    const Value input = evaluate(*expr.input, scope);
    const Arguments args = evaluateArguments(expr.args, scope);
    m_at = expr.at;
    return Value::boolean(applyTest(m_runtime, expr.name, input, args) != expr.negated);
}

} // namespace fireside::jinja
