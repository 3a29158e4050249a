#include "engine/text/jinja/values/operators.h"

#include "engine/text/jinja/values/literals.h"

#include <algorithm>
#include <cmath>

namespace fireside::jinja {

using Kind = Value::Kind;

std::string typeName(const Value &value)
{
    if (value.is(Kind::Object))
        return value.asObject().typeName();
    // In the order of Kind.
    static constexpr const char *Names[] = {"Undefined", "NoneType", "bool",  "int",       "float",
                                            "str",       "list",     "tuple", "generator", "dict"};
    return Names[static_cast<std::size_t>(value.kind())];
}

void throwUndefined(const Value &value)
{
    throw TemplateError(value.text());
}

bool isTrue(const Value &value)
{
    switch (value.kind()) {
    case Kind::Undefined:
    case Kind::None:
        return false;
    case Kind::Bool:
        return value.asBool();
    case Kind::Int:
        return value.asInteger() != 0;
    case Kind::Float:
        return value.asFloat() != 0;
    case Kind::String:
        return !value.text().empty();
    case Kind::List:
    case Kind::Tuple:
        return !value.asList().items.empty();
    case Kind::Dict:
        return !value.asDict().entries.empty();
    case Kind::Generator:
    case Kind::Object:
        return true;
    }
    return false;
}

namespace {

/// Exact comparison of an integer with a float.
std::partial_ordering orderNumbers(const Value &a, const Value &b)
{
    if (a.isInteger() && b.isInteger())
        return a.asInteger() <=> b.asInteger();
    if (!a.isInteger() && !b.isInteger())
        return a.asFloat() <=> b.asFloat();
    if (!a.isInteger())
        return 0 <=> orderNumbers(b, a);
    const double d = b.asFloat();
    if (std::isnan(d))
        return std::partial_ordering::unordered;
    if (d >= 9223372036854775808.0)
        return std::partial_ordering::less;
    if (d < -9223372036854775808.0)
        return std::partial_ordering::greater;
    const auto whole = static_cast<std::int64_t>(d);
    if (a.asInteger() != whole)
        return a.asInteger() <=> whole;
    return 0.0 <=> d - static_cast<double>(whole);
}

bool areDictsEqual(Runtime &rt, const DictObject &a, const DictObject &b)
{
    if (a.entries.size() != b.entries.size())
        return false;
    for (const auto &entry : a.entries) {
        const Value *other = b.find(encodeKey(rt, entry.key));
        if (!other || !areEqual(rt, entry.value, *other))
            return false;
    }
    return true;
}

} // namespace

bool areEqual(Runtime &rt, const Value &a, const Value &b)
{
    rt.budget.step();
    if (a.isNumber() && b.isNumber())
        return orderNumbers(a, b) == 0;
    if (a.kind() != b.kind())
        return false;
    switch (a.kind()) {
    case Kind::Undefined:
    case Kind::None:
        return true;
    case Kind::String:
        if (a.text().size() != b.text().size())
            return false;
        rt.budget.scan(a.text().size());
        return a.text() == b.text();
    case Kind::List:
    case Kind::Tuple: {
        const LevelGuard guard(rt.budget.calls);
        const auto &left = a.asList().items, &right = b.asList().items;
        return left.size() == right.size() &&
               std::equal(left.begin(), left.end(), right.begin(),
                          [&](const Value &x, const Value &y) { return areEqual(rt, x, y); });
    }
    case Kind::Dict: {
        const LevelGuard guard(rt.budget.calls);
        return areDictsEqual(rt, a.asDict(), b.asDict());
    }
    case Kind::Generator:
        return &a.asList() == &b.asList();
    case Kind::Object:
        return &a.asObject() == &b.asObject();
    default:
        return false;
    }
}

std::partial_ordering order(Runtime &rt, const Value &a, const Value &b, const char *op)
{
    rt.budget.step();
    if (a.isNumber() && b.isNumber())
        return orderNumbers(a, b);
    requireDefined(a);
    requireDefined(b);
    if (a.isString() && b.isString()) {
        rt.budget.scan(std::min(a.text().size(), b.text().size()));
        return a.text().compare(b.text()) <=> 0; // UTF-8 sorts like code points
    }
    if (a.kind() == b.kind() && (a.is(Kind::List) || a.is(Kind::Tuple))) {
        const LevelGuard guard(rt.budget.calls);
        const auto &left = a.asList().items, &right = b.asList().items;
        for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
            if (!areEqual(rt, left[i], right[i]))
                return order(rt, left[i], right[i], op);
        }
        return left.size() <=> right.size();
    }
    throw TemplateError("'" + std::string(op) + "' not supported between instances of '" +
                        typeName(a) + "' and '" + typeName(b) + "'");
}

bool contains(Runtime &rt, const Value &container, const Value &item)
{
    if (container.isString()) {
        if (!item.isString())
            throw TemplateError("'in <string>' requires string as left operand, not " +
                                typeName(item));
        rt.budget.scan(searchCost(container.text(), item.text()));
        return findText(container.text(), item.text()) != std::string_view::npos;
    }
    if (container.is(Kind::Dict))
        return container.asDict().find(encodeKey(rt, item)) != nullptr;
    if (container.isUndefined())
        return false;
    if (!container.isSequence())
        throw TemplateError("argument of type '" + typeName(container) + "' is not iterable");
    if (container.is(Kind::Generator)) {
        for (const Value &element : iterate(rt, container)) {
            if (areEqual(rt, element, item))
                return true;
        }
        return false;
    }
    const auto &items = container.asList().items;
    return std::any_of(items.begin(), items.end(),
                       [&](const Value &element) { return areEqual(rt, element, item); });
}

bool compare(Runtime &rt, CompareOp op, const Value &a, const Value &b)
{
    switch (op) {
    case CompareOp::Equal:
        return areEqual(rt, a, b);
    case CompareOp::NotEqual:
        return !areEqual(rt, a, b);
    case CompareOp::Less:
        return order(rt, a, b, "<") < 0;
    case CompareOp::LessEqual:
        return order(rt, a, b, "<=") <= 0;
    case CompareOp::Greater:
        return order(rt, a, b, ">") > 0;
    case CompareOp::GreaterEqual:
        return order(rt, a, b, ">=") >= 0;
    case CompareOp::In:
        return contains(rt, b, a);
    case CompareOp::NotIn:
        return !contains(rt, b, a);
    }
    return false;
}

std::vector<Value> iterate(Runtime &rt, const Value &value)
{
    std::vector<Value> items;
    switch (value.kind()) {
    case Kind::Undefined:
        return items;
    case Kind::Generator:
        if (value.asList().consumed)
            return items;
        value.asList().consumed = true;
        [[fallthrough]];
    case Kind::List:
    case Kind::Tuple:
        rt.budget.step(value.asList().items.size() + 1);
        return value.asList().items;
    case Kind::Dict:
        rt.budget.step(value.asDict().entries.size() + 1);
        for (const auto &entry : value.asDict().entries)
            items.push_back(entry.key);
        return items;
    case Kind::String: {
        const StringObject &s = value.asString();
        for (std::size_t at = 0; at < s.text().size();) {
            const std::size_t next = nextCharacter(s.text(), at);
            items.push_back(rt.string(slice(s.marked, at, next)));
            at = next;
        }
        return items;
    }
    default:
        throw TemplateError("'" + typeName(value) + "' object is not iterable");
    }
}

bool isIterable(const Value &value)
{
    return value.isUndefined() || value.isString() || value.isSequence() || value.is(Kind::Dict);
}

std::int64_t lengthOf(const Value &value)
{
    switch (value.kind()) {
    case Kind::Undefined:
        return 0;
    case Kind::String:
        return static_cast<std::int64_t>(value.asString().characters);
    case Kind::List:
    case Kind::Tuple:
        return static_cast<std::int64_t>(value.asList().items.size());
    case Kind::Dict:
        return static_cast<std::int64_t>(value.asDict().entries.size());
    default:
        throw TemplateError("object of type '" + typeName(value) + "' has no len()");
    }
}

std::string encodeKey(Runtime &rt, const Value &key)
{
    switch (key.kind()) {
    case Kind::Undefined:
        return "u";
    case Kind::None:
        return "n";
    case Kind::Bool:
    case Kind::Int:
        return "i" + std::to_string(key.asInteger());
    case Kind::Float: {
        const double d = key.asFloat();
        if (std::fabs(d) < 9e18 && std::floor(d) == d) // equal to an integer: the same key
            return "i" + std::to_string(static_cast<std::int64_t>(d));
        return "f" + floatText(d);
    }
    case Kind::String:
        rt.budget.scan(key.text().size());
        return "s" + key.text();
    case Kind::Tuple: {
        const LevelGuard guard(rt.budget.calls);
        std::string code = "(";
        for (const Value &item : key.asList().items) {
            const std::string part = encodeKey(rt, item);
            rt.budget.scan(part.size());
            rt.budget.checkText(code.size() + part.size());
            code += std::to_string(part.size()) + ':' + part;
        }
        return code;
    }
    default:
        throw TemplateError("unhashable type: '" + typeName(key) + "'");
    }
}

void setItem(Runtime &rt, DictObject &dict, const Value &key, const Value &value)
{
    std::string code = encodeKey(rt, key);
    rt.budget.allocate(2 * sizeof(Value) + code.size() + 64);
    dict.set(key, std::move(code), value);
}

Value Runtime::call(const Value &callee, const Arguments &args)
{
    requireDefined(callee);
    if (!callee.is(Kind::Object))
        throw TemplateError("'" + typeName(callee) + "' object is not callable");
    return callee.asObject().call(*this, args);
}

std::optional<Value> NamespaceObject::attribute(Runtime &, const std::string &name)
{
    const Value *found = values.findText(name);
    return found ? std::optional<Value>(*found) : std::nullopt;
}

} // namespace fireside::jinja
