#pragma once
#include "engine/text/jinja/values/operation.h"
#include "engine/text/jinja/values/runtime.h"

#include <compare>
#include <string>
#include <vector>

namespace fireside::jinja {

// Python's rules for operators, truth, comparison and iteration on template values.

std::string typeName(const Value &value); // "str", "dict" … as Python's messages name them
[[noreturn]] void throwUndefined(const Value &value);
/// Throws the undefined value's own reason when it is one.
inline void requireDefined(const Value &value)
{
    if (value.isUndefined())
        throwUndefined(value);
}

bool isTrue(const Value &value);
bool areEqual(Runtime &rt, const Value &a, const Value &b);
/// a <=> b for numbers, strings, lists and tuples; `op` is named in the error for other types.
std::partial_ordering order(Runtime &rt, const Value &a, const Value &b, const char *op = "<");
bool contains(Runtime &rt, const Value &container, const Value &item);
bool compare(Runtime &rt, CompareOp op, const Value &a, const Value &b);
Value applyBinary(Runtime &rt, BinaryOp op, const Value &a, const Value &b);
Value negate(const Value &value);

/// What a for loop sees: list items, dict keys, characters. Marks a generator as used up.
std::vector<Value> iterate(Runtime &rt, const Value &value);
bool isIterable(const Value &value);
/// len(): throws for values without length.
std::int64_t lengthOf(const Value &value);

/// The map key of a hashable value; throws for lists and dicts.
std::string encodeKey(Runtime &rt, const Value &key);
void setItem(Runtime &rt, DictObject &dict, const Value &key, const Value &value);

/// object.name: methods and attributes first, then items.
Value getAttribute(Runtime &rt, const Value &object, const StringObject &name);
/// object[index]: items first, then attributes.
Value getItem(Runtime &rt, const Value &object, const Value &index);
/// object[start:stop:step]; absent parts are none.
Value getSlice(Runtime &rt, const Value &object, const Value &start, const Value &stop,
               const Value &step);
/// "a.b.0" of attribute= arguments.
Value getPath(Runtime &rt, Value object, const Value &path);

} // namespace fireside::jinja
