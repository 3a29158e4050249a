#include "engine/text/jinja/builtins/tests.h"

#include "engine/core/quote.h"
#include "engine/text/jinja/builtins/filters.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"
#include "engine/text/jinja/values/string_ops.h"

#include <functional>
#include <unordered_map>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;
using Input = const Value &;
using TestFunction = bool (*)(Runtime &, Input, Args);

/// A test without arguments, from a predicate on the value.
template <auto Predicate>
bool simple(Runtime &, Input value, Args args)
{
    const Parameters p("this test", args, {});
    return std::invoke(Predicate, value);
}

template <Kind Wanted>
bool isKind(Input value)
{
    return value.is(Wanted);
}

template <bool Wanted>
bool isConstant(Input value)
{
    return value.is(Kind::Bool) && value.asBool() == Wanted;
}

template <std::int64_t Wanted>
bool hasParity(Input value)
{
    requireDefined(value);
    if (!value.isInteger())
        throw TemplateError("even and odd need an integer, not " + typeName(value));
    return (value.asInteger() & 1) == Wanted;
}

template <CompareOp Op>
bool comparison(Runtime &rt, Input value, Args args)
{
    const Parameters p("this comparison", args, {"other"}, 1);
    return compare(rt, Op, value, p[0]);
}

bool divisibleBy(Runtime &rt, Input value, Args args)
{
    const Parameters p("divisibleby", args, {"num"}, 1);
    return !isTrue(applyBinary(rt, BinaryOp::Modulo, value, p[0]));
}

bool sameAs(Runtime &rt, Input value, Args args)
{
    const Parameters p("sameas", args, {"other"}, 1);
    const Value &other = p[0];
    if (value.kind() != other.kind())
        return false;
    if (value.isSequence())
        return &value.asList() == &other.asList();
    if (value.is(Kind::Dict))
        return &value.asDict() == &other.asDict();
    return areEqual(rt, value, other);
}

template <bool (*Wanted)(std::int32_t), bool (*Other)(std::int32_t)>
bool cased(Runtime &rt, Input value, Args args)
{
    const Parameters p("this test", args, {});
    return isCased(rt, toText(rt, value).text(), Wanted, Other);
}

const std::unordered_map<std::string, TestFunction> &table()
{
    static const std::unordered_map<std::string, TestFunction> Tests = {
        {"defined", simple<[](Input value) { return !value.isUndefined(); }>},
        {"undefined", simple<&Value::isUndefined>},
        {"none", simple<&Value::isNone>},
        {"boolean", simple<isKind<Kind::Bool>>},
        {"true", simple<isConstant<true>>},
        {"false", simple<isConstant<false>>},
        {"integer", simple<isKind<Kind::Int>>},
        {"float", simple<isKind<Kind::Float>>},
        {"number", simple<&Value::isNumber>},
        {"string", simple<&Value::isString>},
        {"mapping", simple<isKind<Kind::Dict>>},
        {"iterable", simple<isIterable>},
        // A sequence has a length and items: a generator has neither.
        {"sequence",
         simple<[](Input value) { return isIterable(value) && !value.is(Kind::Generator); }>},
        {"callable", simple<[](Input value) {
             return value.is(Kind::Object) && value.asObject().isCallable();
         }>},
        {"escaped",
         simple<[](Input value) { return value.isString() && value.asString().isMarkup; }>},
        {"even", simple<hasParity<0>>},
        {"odd", simple<hasParity<1>>},
        {"divisibleby", divisibleBy},
        {"sameas", sameAs},
        {"lower", cased<isLower, isUpper>},
        {"upper", cased<isUpper, isLower>},
        {"filter", simple<[](Input value) { return value.isString() && isFilter(value.text()); }>},
        {"test", simple<[](Input value) { return value.isString() && isTest(value.text()); }>},
        {"in", comparison<CompareOp::In>},
        {"eq", comparison<CompareOp::Equal>},
        {"equalto", comparison<CompareOp::Equal>},
        {"==", comparison<CompareOp::Equal>},
        {"ne", comparison<CompareOp::NotEqual>},
        {"!=", comparison<CompareOp::NotEqual>},
        {"lt", comparison<CompareOp::Less>},
        {"lessthan", comparison<CompareOp::Less>},
        {"<", comparison<CompareOp::Less>},
        {"le", comparison<CompareOp::LessEqual>},
        {"<=", comparison<CompareOp::LessEqual>},
        {"gt", comparison<CompareOp::Greater>},
        {"greaterthan", comparison<CompareOp::Greater>},
        {">", comparison<CompareOp::Greater>},
        {"ge", comparison<CompareOp::GreaterEqual>},
        {">=", comparison<CompareOp::GreaterEqual>},
    };
    return Tests;
}

} // namespace

bool applyTest(Runtime &rt, const std::string &name, const Value &value, const Arguments &args)
{
    const auto found = table().find(name);
    if (found == table().end())
        throw TemplateError("no test named " + fireside::quoted(name));
    rt.budget.step();
    return found->second(rt, value, args);
}

bool isTest(const std::string &name)
{
    return table().count(name) > 0;
}

} // namespace fireside::jinja
