#include "engine/text/jinja/loop.h"

#include "engine/text/jinja/values/operators.h"

namespace fireside::jinja {

Value LoopObject::call(Runtime &, const Arguments &args)
{
    if (!m_stmt.recursive)
        throw TemplateError("The loop must have the 'recursive' marker to be called recursively");
    const Parameters p("loop", args, {"iterable"}, 1);
    return m_interpreter.callLoop(m_stmt, m_scope, p[0], m_depth + 1);
}

Value LoopObject::neighbour(Runtime &runtime, bool next) const
{
    const bool exists = m_items && (next ? m_index + 1 < m_items->size() : m_index > 0);
    if (exists)
        return (*m_items)[next ? m_index + 1 : m_index - 1];
    return runtime.heap.undefined(next ? "there is no next item" : "there is no previous item");
}

std::optional<Value> LoopObject::attribute(Runtime &runtime, const std::string &name)
{
    const auto length = static_cast<std::int64_t>(m_items ? m_items->size() : m_length);
    const auto index = static_cast<std::int64_t>(m_index);
    if (name == "index")
        return Value::integer(index + 1);
    if (name == "index0")
        return Value::integer(index);
    if (name == "revindex")
        return Value::integer(length - index);
    if (name == "revindex0")
        return Value::integer(length - index - 1);
    if (name == "first")
        return Value::boolean(index == 0);
    if (name == "last")
        return Value::boolean(index + 1 == length);
    if (name == "length")
        return Value::integer(length);
    if (name == "depth")
        return Value::integer(m_depth + 1);
    if (name == "depth0")
        return Value::integer(m_depth);
    if (name == "previtem")
        return neighbour(runtime, false);
    if (name == "nextitem")
        return neighbour(runtime, true);
    if (name == "cycle")
        return builtin(runtime, name, cycle, Value::object(this));
    if (name == "changed")
        return builtin(runtime, name, changed, Value::object(this));
    return {};
}

Value LoopObject::cycle(Runtime &, const Value &self, const Arguments &args)
{
    if (args.positional.empty())
        throw TemplateError("no items for cycling given");
    const auto &loop = static_cast<const LoopObject &>(self.asObject());
    return args.positional[loop.m_index % args.positional.size()];
}

Value LoopObject::changed(Runtime &runtime, const Value &self, const Arguments &args)
{
    auto &loop = static_cast<LoopObject &>(self.asObject());
    const Value current = runtime.heap.tuple(args.positional);
    const bool same = loop.m_lastChecked && areEqual(runtime, *loop.m_lastChecked, current);
    loop.m_lastChecked = current;
    return Value::boolean(!same);
}

std::optional<Value> MacroObject::attribute(Runtime &runtime, const std::string &name)
{
    if (name == "name")
        return runtime.string(m_stmt.name);
    if (name != "arguments")
        return {};
    std::vector<Value> names;
    for (const auto &parameter : m_stmt.parameters)
        names.push_back(runtime.string(parameter.name));
    return runtime.heap.tuple(std::move(names));
}

} // namespace fireside::jinja
