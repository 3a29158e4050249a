// map, select, reject, selectattr, rejectattr: filters that apply another filter or test to each
// item.
#include "engine/text/jinja/builtins/filters.h"

#include "engine/core/quote.h"
#include "engine/text/jinja/builtins/tests.h"
#include "engine/text/jinja/values/operators.h"

namespace fireside::jinja {

namespace {

using Args = const Arguments &;
using Input = const Value &;

const std::string &nameArgument(const char *filter, Args args, std::size_t i)
{
    if (!args.positional[i].isString())
        throw TemplateError(std::string(filter) + ": argument " + std::to_string(i + 1) +
                            " must be a name");
    return args.positional[i].text();
}

Arguments withoutFirst(Args args, std::size_t count)
{
    Arguments rest;
    rest.positional.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(count),
                           args.positional.end());
    rest.named = args.named;
    return rest;
}

Value mapAttribute(Runtime &rt, Input input, Args args)
{
    Value path;
    std::optional<Value> fallback;
    for (const auto &[name, value] : args.named) {
        if (name == "attribute")
            path = value;
        else if (name == "default")
            fallback = value;
        else
            throw TemplateError("map() got an unexpected keyword argument " +
                                fireside::quoted(name));
    }
    std::vector<Value> result;
    for (const Value &item : iterate(rt, input)) {
        const Value value = getPath(rt, item, path);
        result.push_back(value.isUndefined() && fallback ? *fallback : value);
    }
    return rt.heap.generator(std::move(result));
}

Value map(Runtime &rt, Input input, Args args)
{
    if (!isTrue(input)) // none and undefined too
        return rt.heap.generator({});
    if (args.positional.empty()) {
        if (args.named.empty())
            throw TemplateError("map requires a filter argument");
        return mapAttribute(rt, input, args);
    }
    const std::string &filter = nameArgument("map", args, 0);
    const Arguments rest = withoutFirst(args, 1);
    std::vector<Value> result;
    for (const Value &item : iterate(rt, input))
        result.push_back(applyFilter(rt, filter, item, rest));
    return rt.heap.generator(std::move(result));
}

template <bool Wanted, bool ByAttribute>
Value pick(Runtime &rt, Input input, Args args)
{
    if (!isTrue(input))
        return rt.heap.generator({});
    constexpr std::size_t TestAt = ByAttribute ? 1 : 0;
    if (ByAttribute && args.positional.empty())
        throw TemplateError("Missing parameter for attribute name");
    const bool hasTest = args.positional.size() > TestAt;
    const std::string test = hasTest ? nameArgument("select", args, TestAt) : std::string();
    const Arguments rest = withoutFirst(args, hasTest ? TestAt + 1 : TestAt);
    std::vector<Value> result;
    for (const Value &item : iterate(rt, input)) {
        const Value value = ByAttribute ? getPath(rt, item, args.positional[0]) : item;
        const bool passes = hasTest ? applyTest(rt, test, value, rest) : isTrue(value);
        if (passes == Wanted)
            result.push_back(item);
    }
    return rt.heap.generator(std::move(result));
}

} // namespace

const BuiltinTable &selectionFilters()
{
    static const BuiltinTable Filters = {
        {"map", map},
        {"select", pick<true, false>},
        {"reject", pick<false, false>},
        {"selectattr", pick<true, true>},
        {"rejectattr", pick<false, true>},
    };
    return Filters;
}

} // namespace fireside::jinja
