#pragma once
#include "engine/text/jinja/values/runtime.h"

namespace fireside::jinja {

/// How sort, unique, groupby, min and max compare items.
struct SortOptions
{
    Value attribute; // none: the item itself; several attributes are separated by commas
    std::optional<Value> fallback; // for items without the attribute
    bool caseSensitive = false;
    bool reverse = false;
};

Value sortKey(Runtime &rt, const Value &item, const SortOptions &options);
/// Stable; throws for items that cannot be compared.
std::vector<Value> sorted(Runtime &rt, std::vector<Value> items, const SortOptions &options);

} // namespace fireside::jinja
