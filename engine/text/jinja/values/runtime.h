#pragma once
#include "engine/text/jinja/values/arguments.h"
#include "engine/text/jinja/values/text_tools.h"
#include "engine/text/jinja/values/value.h"

#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

namespace fireside::jinja {

/// What filters, tests, methods and globals may use while a template runs.
class Runtime
{
public:
    Runtime(const Limits &limits, const std::tm &time)
        : budget(limits)
        , heap(budget)
        , now(time)
    {}
    Runtime(const Runtime &) = delete;
    Runtime &operator=(const Runtime &) = delete;

    Value string(std::string trustedText) { return heap.string(std::move(trustedText)); }
    Value string(MarkedText text) { return heap.string(std::move(text)); }
    /// Text made from `s`: markup when that is.
    Value stringLike(const StringObject &s, MarkedText text)
    {
        return heap.string(std::move(text), s.isMarkup);
    }
    /// text[begin, end) of a string value, marks kept.
    Value substring(const StringObject &s, std::size_t begin, std::size_t end)
    {
        return stringLike(s, slice(s.marked, begin, end));
    }
    Value call(const Value &callee, const Arguments &args);

    Budget budget;
    Heap heap;
    const std::tm now; // for strftime_now
};

/// A C++ function as a template value: a global, or a method bound to its object.
class BuiltinFunction : public Object
{
public:
    using Function = Value (*)(Runtime &, const Value &self, const Arguments &);
    BuiltinFunction(std::string name, Function function, Value self)
        : m_name(std::move(name))
        , m_function(function)
        , m_self(self)
    {}
    std::string typeName() const override { return "function"; }
    bool isCallable() const override { return true; }
    Value call(Runtime &runtime, const Arguments &args) override
    {
        return m_function(runtime, m_self, args);
    }
    std::string describe() const override { return "<function " + m_name + ">"; }

private:
    std::string m_name;
    Function m_function;
    Value m_self;
};

using BuiltinTable = std::unordered_map<std::string, BuiltinFunction::Function>;

/// A function as a value; `self` is the object whose method it is.
inline Value builtin(Runtime &rt, const std::string &name, BuiltinFunction::Function function,
                     Value self = {})
{
    return Value::object(&rt.heap.make<BuiltinFunction>(name, function, self));
}

/// namespace(a=1): the one object whose attributes templates may set.
class NamespaceObject : public Object
{
public:
    explicit NamespaceObject(DictObject &dict)
        : values(dict)
    {}
    std::string typeName() const override { return "namespace"; }
    std::optional<Value> attribute(Runtime &runtime, const std::string &name) override;
    DictObject &values;
};

} // namespace fireside::jinja
