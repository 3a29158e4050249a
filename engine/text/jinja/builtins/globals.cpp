#include "engine/text/jinja/builtins/globals.h"

#include "engine/core/quote.h"
#include "engine/text/jinja/builtins/strftime.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"

#include <utility>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;

/// Gives its separator on every call but the first.
class Joiner : public Object
{
public:
    explicit Joiner(Value separator)
        : m_separator(separator)
    {}
    std::string typeName() const override { return "joiner"; }
    bool isCallable() const override { return true; }
    Value call(Runtime &rt, Args) override
    {
        return std::exchange(m_used, true) ? m_separator : rt.string(std::string());
    }

private:
    Value m_separator;
    bool m_used = false;
};

class Cycler : public Object
{
public:
    explicit Cycler(std::vector<Value> items)
        : m_items(std::move(items))
    {}
    std::string typeName() const override { return "cycler"; }
    std::optional<Value> attribute(Runtime &rt, const std::string &name) override
    {
        const Value self = Value::object(this);
        if (name == "current")
            return m_items[m_at];
        if (name == "next")
            return builtin(rt, name, next, self);
        if (name == "reset")
            return builtin(rt, name, reset, self);
        return {};
    }

private:
    static Value next(Runtime &, const Value &self, Args)
    {
        auto &cycler = static_cast<Cycler &>(self.asObject());
        const Value item = cycler.m_items[cycler.m_at];
        cycler.m_at = (cycler.m_at + 1) % cycler.m_items.size();
        return item;
    }
    static Value reset(Runtime &, const Value &self, Args)
    {
        static_cast<Cycler &>(self.asObject()).m_at = 0;
        return {};
    }

    std::vector<Value> m_items;
    std::size_t m_at = 0;
};

Value range(Runtime &rt, const Value &, Args args)
{
    const Parameters p("range", args, {"start", "stop", "step"}, 1);
    for (std::size_t i = 0; i < 3; ++i)
        requireDefined(p[i]);
    const bool single = !p.has(1);
    const std::int64_t start = single ? 0 : p.integer(0, 0);
    const std::int64_t stop = p.integer(single ? 0 : 1, 0);
    const std::int64_t step = p.integer(2, 1);
    if (step == 0)
        throw TemplateError("range() arg 3 must not be zero");
    // Unsigned: the distance of two int64 always fits, and so does the size of any step.
    const bool forward = step > 0;
    const bool isEmpty = forward ? start >= stop : start <= stop;
    const auto low = static_cast<std::uint64_t>(forward ? start : stop);
    const auto high = static_cast<std::uint64_t>(forward ? stop : start);
    const auto stride =
        forward ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    const std::uint64_t count = isEmpty ? 0 : (high - low - 1) / stride + 1;
    const auto limit = static_cast<std::uint64_t>(rt.budget.limits().rangeLength);
    if (count > limit)
        throw TemplateError("range() is longer than its limit of " + std::to_string(limit) +
                            " elements");
    rt.budget.step(count);
    std::vector<Value> items;
    items.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i)
        items.push_back(Value::integer(static_cast<std::int64_t>(
            static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(step))));
    return rt.heap.list(std::move(items));
}

/// The dict that dict(…) and namespace(…) make from a mapping or pairs and keywords.
Value makeDict(Runtime &rt, const Value &, Args args)
{
    const Value result = rt.heap.dict();
    for (const Value &source : args.positional) {
        requireDefined(source);
        if (source.is(Kind::Dict)) {
            for (const auto &entry : source.asDict().entries)
                setItem(rt, result.asDict(), entry.key, entry.value);
            continue;
        }
        for (const Value &pair : iterate(rt, source)) {
            const auto parts = iterate(rt, pair);
            if (parts.size() != 2)
                throw TemplateError("dict(): each element must have two parts");
            setItem(rt, result.asDict(), parts[0], parts[1]);
        }
    }
    for (const auto &[name, value] : args.named)
        setItem(rt, result.asDict(), rt.string(name), value);
    return result;
}

Value makeNamespace(Runtime &rt, const Value &, Args args)
{
    return Value::object(&rt.heap.make<NamespaceObject>(makeDict(rt, {}, args).asDict()));
}

Value makeList(Runtime &rt, const Value &, Args args)
{
    const Parameters p("list", args, {"iterable"});
    return rt.heap.list(p.has(0) ? iterate(rt, p[0]) : std::vector<Value>());
}

Value joiner(Runtime &rt, const Value &, Args args)
{
    const Parameters p("joiner", args, {"sep"});
    return Value::object(&rt.heap.make<Joiner>(p.has(0) ? p[0] : rt.string(", ")));
}

Value cycler(Runtime &rt, const Value &, Args args)
{
    if (args.positional.empty())
        throw TemplateError("at least one item has to be provided");
    return Value::object(&rt.heap.make<Cycler>(args.positional));
}

Value raiseException(Runtime &rt, const Value &, Args args)
{
    const Parameters p("raise_exception", args, {"message"}, 1);
    const std::string text = printable(toText(rt, p[0]).text());
    throw RaisedError(text.empty() ? "The chat template refuses this chat and does not say why"
                                   : text);
}

Value strftimeNow(Runtime &rt, const Value &, Args args)
{
    const Parameters p("strftime_now", args, {"format"}, 1);
    const std::string &format = p.requiredText(0).text();
    rt.budget.scan(format.size() * 64);
    return rt.string(formatTime(rt.now, format));
}

} // namespace

std::optional<Value> findGlobal(Runtime &rt, const std::string &name)
{
    static const BuiltinTable Globals = {
        {"range", range},
        {"dict", makeDict},
        {"list", makeList},
        {"namespace", makeNamespace},
        {"joiner", joiner},
        {"cycler", cycler},
        {"raise_exception", raiseException},
        {"strftime_now", strftimeNow},
    };
    const auto found = Globals.find(name);
    if (found == Globals.end())
        return {};
    return builtin(rt, name, found->second);
}

} // namespace fireside::jinja
