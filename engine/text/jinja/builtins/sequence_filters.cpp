#include "engine/text/jinja/builtins/filters.h"
#include "engine/text/jinja/builtins/sorting.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"
#include "engine/text/jinja/values/string_ops.h"

#include <algorithm>
#include <utility>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;
using Input = const Value &;

Value length(Runtime &, Input input, Args args)
{
    const Parameters p("length", args, {});
    return Value::integer(lengthOf(input));
}

Value joinFilter(Runtime &rt, Input input, Args args)
{
    const Parameters p("join", args, {"d", "attribute"});
    std::vector<Value> items = iterate(rt, input);
    if (p.has(1) && !p[1].isNone()) {
        for (Value &item : items)
            item = getPath(rt, item, p[1]);
    }
    const Value separator = p.has(0) ? toText(rt, p[0]) : rt.string(std::string());
    const Value joined = joinTexts(rt, separator.asString(), items);
    return rt.string(joined.asString().marked); // plain even when the separator is markup
}

Value fallback(Runtime &rt, Input input, Args args)
{
    const Parameters p("default", args, {"default_value", "boolean"});
    const bool replaced = input.isUndefined() || (p.truth(1, false) && !isTrue(input));
    if (!replaced)
        return input;
    return p.has(0) ? p[0] : rt.string(std::string());
}

Value first(Runtime &rt, Input input, Args args)
{
    const Parameters p("first", args, {});
    const auto items = iterate(rt, input);
    return items.empty() ? rt.heap.undefined("No first item, sequence was empty.") : items.front();
}

Value last(Runtime &rt, Input input, Args args)
{
    const Parameters p("last", args, {});
    const auto items = iterate(rt, input);
    return items.empty() ? rt.heap.undefined("No last item, sequence was empty.") : items.back();
}

Value listFilter(Runtime &rt, Input input, Args args)
{
    const Parameters p("list", args, {});
    return rt.heap.list(iterate(rt, input));
}

Value reverse(Runtime &rt, Input input, Args args)
{
    const Parameters p("reverse", args, {});
    if (input.isString())
        return reverseText(rt, input.asString());
    auto items = iterate(rt, input);
    std::reverse(items.begin(), items.end());
    return rt.heap.generator(std::move(items));
}

Value pairs(Runtime &rt, const DictObject &dict)
{
    std::vector<Value> result;
    for (const auto &entry : dict.entries)
        result.push_back(rt.heap.tuple({entry.key, entry.value}));
    return rt.heap.generator(std::move(result));
}

Value itemsFilter(Runtime &rt, Input input, Args args)
{
    const Parameters p("items", args, {});
    if (input.isUndefined())
        return rt.heap.generator({});
    if (!input.is(Kind::Dict))
        throw TemplateError("Can only get item pairs from a mapping.");
    return pairs(rt, input.asDict());
}

Value dictsort(Runtime &rt, Input input, Args args)
{
    const Parameters p("dictsort", args, {"case_sensitive", "by", "reverse"});
    requireDefined(input);
    if (!input.is(Kind::Dict))
        throw TemplateError("dictsort: a dict is required, not " + typeName(input));
    const std::string by = p.text(1) ? p.text(1)->text() : "key";
    if (by != "key" && by != "value")
        throw TemplateError("You can only sort by either \"key\" or \"value\"");
    SortOptions options;
    options.caseSensitive = p.truth(0, false);
    options.reverse = p.truth(2, false);
    options.attribute = Value::integer(by == "key" ? 0 : 1);
    return rt.heap.list(sorted(rt, pairs(rt, input.asDict()).asList().items, options));
}

Value sort(Runtime &rt, Input input, Args args)
{
    const Parameters p("sort", args, {"reverse", "case_sensitive", "attribute"});
    SortOptions options;
    options.reverse = p.truth(0, false);
    options.caseSensitive = p.truth(1, false);
    options.attribute = p[2];
    return rt.heap.list(sorted(rt, iterate(rt, input), options));
}

Value unique(Runtime &rt, Input input, Args args)
{
    const Parameters p("unique", args, {"case_sensitive", "attribute"});
    SortOptions options;
    options.caseSensitive = p.truth(0, false);
    options.attribute = p[1];
    const Value seen = rt.heap.dict();
    std::vector<Value> result;
    for (const Value &item : iterate(rt, input)) {
        const Value key = sortKey(rt, item, options);
        if (seen.asDict().find(encodeKey(rt, key)))
            continue;
        setItem(rt, seen.asDict(), key, {});
        result.push_back(item);
    }
    return rt.heap.generator(std::move(result));
}

Value groupby(Runtime &rt, Input input, Args args)
{
    static const std::vector<std::string> Fields = {"grouper", "list"};
    const Parameters p("groupby", args, {"attribute", "default", "case_sensitive"}, 1);
    SortOptions options;
    options.attribute = p[0];
    options.fallback = p.has(1) ? std::optional<Value>(p[1]) : std::nullopt;
    options.caseSensitive = p.truth(2, false);
    std::vector<Value> groups;
    Value previous;
    for (const Value &item : sorted(rt, iterate(rt, input), options)) {
        const Value key = sortKey(rt, item, options);
        if (groups.empty() || !areEqual(rt, key, previous)) {
            SortOptions plain = options;
            plain.caseSensitive = true; // the group is named as its first item is written
            const Value group = rt.heap.tuple({sortKey(rt, item, plain), rt.heap.list({})});
            group.asList().fieldNames = &Fields;
            groups.push_back(group);
            previous = key;
        }
        rt.heap.grow();
        groups.back().asList().items[1].asList().items.push_back(item);
    }
    return rt.heap.list(std::move(groups));
}

template <bool Largest>
Value extreme(Runtime &rt, Input input, Args args)
{
    const Parameters p(Largest ? "max" : "min", args, {"case_sensitive", "attribute"});
    SortOptions options;
    options.caseSensitive = p.truth(0, false);
    options.attribute = p[1];
    const auto candidates = iterate(rt, input);
    if (candidates.empty())
        return rt.heap.undefined("No aggregated item, sequence was empty.");
    Value best = candidates[0], bestKey = sortKey(rt, best, options);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const Value key = sortKey(rt, candidates[i], options);
        const auto ordering = order(rt, key, bestKey, Largest ? ">" : "<");
        if (Largest ? ordering > 0 : ordering < 0) {
            best = candidates[i];
            bestKey = key;
        }
    }
    return best;
}

Value sum(Runtime &rt, Input input, Args args)
{
    const Parameters p("sum", args, {"attribute", "start"});
    Value total = p.has(1) ? p[1] : Value::integer(0);
    for (const Value &item : iterate(rt, input)) {
        const Value part = p.has(0) && !p[0].isNone() ? getPath(rt, item, p[0]) : item;
        total = applyBinary(rt, BinaryOp::Add, total, part);
    }
    return total;
}

Value batch(Runtime &rt, Input input, Args args)
{
    const Parameters p("batch", args, {"linecount", "fill_with"}, 1);
    const std::int64_t size = std::max<std::int64_t>(p.integer(0, 1), 1);
    std::vector<Value> rows, row;
    for (const Value &item : iterate(rt, input)) {
        if (static_cast<std::int64_t>(row.size()) == size)
            rows.push_back(rt.heap.list(std::exchange(row, {})));
        row.push_back(item);
    }
    if (!row.empty()) {
        while (p.has(1) && !p[1].isNone() && static_cast<std::int64_t>(row.size()) < size) {
            rt.heap.grow();
            row.push_back(p[1]);
        }
        rows.push_back(rt.heap.list(std::move(row)));
    }
    return rt.heap.generator(std::move(rows));
}

Value slices(Runtime &rt, Input input, Args args)
{
    const Parameters p("slice", args, {"slices", "fill_with"}, 1);
    const auto all = iterate(rt, input);
    const std::int64_t count = p.integer(0, 1);
    if (count <= 0)
        throw TemplateError("slice: the number of slices must be positive");
    rt.budget.checkRepeat(sizeof(ListObject), count);
    const auto total = static_cast<std::int64_t>(all.size());
    const std::int64_t perSlice = total / count, withExtra = total % count;
    std::vector<Value> columns;
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t end = begin + perSlice + (i < withExtra ? 1 : 0);
        std::vector<Value> column(all.begin() + begin, all.begin() + end);
        if (p.has(1) && !p[1].isNone() && withExtra > 0 && i >= withExtra)
            column.push_back(p[1]);
        columns.push_back(rt.heap.list(std::move(column)));
        begin = end;
    }
    return rt.heap.generator(std::move(columns));
}

Value attribute(Runtime &rt, Input input, Args args)
{
    const Parameters p("attr", args, {"name"}, 1);
    return getAttribute(rt, input, p.requiredText(0));
}

} // namespace

const BuiltinTable &sequenceFilters()
{
    static const BuiltinTable Filters = {
        {"length", length},     {"count", length},      {"join", joinFilter},
        {"default", fallback},  {"d", fallback},        {"first", first},
        {"last", last},         {"list", listFilter},   {"reverse", reverse},
        {"items", itemsFilter}, {"dictsort", dictsort}, {"sort", sort},
        {"unique", unique},     {"groupby", groupby},   {"min", extreme<false>},
        {"max", extreme<true>}, {"sum", sum},           {"batch", batch},
        {"slice", slices},      {"attr", attribute},
    };
    return Filters;
}

} // namespace fireside::jinja
