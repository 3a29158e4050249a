#include "engine/text/jinja/builtins/sorting.h"

#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/string_ops.h"

#include <algorithm>

namespace fireside::jinja {

namespace {

Value singleKey(Runtime &rt, const Value &item, const Value &attribute, const SortOptions &options)
{
    Value key = attribute.isNone() ? item : getPath(rt, item, attribute);
    if (key.isUndefined() && options.fallback)
        key = *options.fallback;
    return key.isString() && !options.caseSensitive ? lowerText(rt, key.asString()) : key;
}

} // namespace

Value sortKey(Runtime &rt, const Value &item, const SortOptions &options)
{
    const Value &attribute = options.attribute;
    if (!attribute.isString() || attribute.text().find(',') == std::string::npos)
        return singleKey(rt, item, attribute, options);
    const StringObject comma(MarkedText::trusted(","));
    std::vector<Value> keys;
    for (const Value &part : splitText(rt, attribute.asString(), &comma, -1, false))
        keys.push_back(singleKey(rt, item, part, options));
    return rt.heap.list(std::move(keys));
}

std::vector<Value> sorted(Runtime &rt, std::vector<Value> items, const SortOptions &options)
{
    std::vector<std::pair<Value, Value>> keyed;
    for (const Value &item : items)
        keyed.emplace_back(sortKey(rt, item, options), item);
    // A stable sort both ways round: reversed order keeps equal items in place, as Python does.
    std::stable_sort(keyed.begin(), keyed.end(), [&](const auto &a, const auto &b) {
        return options.reverse ? order(rt, b.first, a.first) < 0 : order(rt, a.first, b.first) < 0;
    });
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = keyed[i].second;
    return items;
}

} // namespace fireside::jinja
