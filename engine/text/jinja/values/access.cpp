// object.name, object[index] and slices.
#include "engine/text/jinja/values/literals.h"

#include "engine/core/quote.h"
#include "engine/text/jinja/values/methods.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"

#include <algorithm>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

/// How Jinja names an object in "… has no attribute".
std::string objectName(const Value &value)
{
    return value.isNone() ? "None" : typeName(value) + " object";
}

Value noAttribute(Runtime &rt, const Value &object, const std::string &name)
{
    return rt.heap.undefined(fireside::quoted(objectName(object)) + " has no attribute " +
                             fireside::quoted(name));
}

std::optional<Value> ownAttribute(Runtime &rt, const Value &object, const std::string &name)
{
    if (object.is(Kind::Object))
        return object.asObject().attribute(rt, name);
    if (object.is(Kind::Tuple) && object.asList().fieldNames) {
        const auto &names = *object.asList().fieldNames;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name)
                return object.asList().items[i];
        }
    }
    return findMethod(rt, object, name);
}

/// Byte offset of character number `index` of a string.
std::size_t byteOffset(Runtime &rt, const StringObject &s, std::size_t index)
{
    if (s.isAscii())
        return index;
    rt.budget.scan(s.text().size() * 4); // character by character
    std::size_t at = 0;
    while (index-- > 0)
        at = nextCharacter(s.text(), at);
    return at;
}

std::optional<Value> itemAt(Runtime &rt, const Value &object, std::int64_t index)
{
    const std::int64_t length = lengthOf(object);
    if (index < 0)
        index += length;
    if (index < 0 || index >= length)
        return {};
    if (!object.isString())
        return object.asList().items[static_cast<std::size_t>(index)];
    const StringObject &s = object.asString();
    const std::size_t begin = byteOffset(rt, s, static_cast<std::size_t>(index));
    return rt.substring(s, begin, nextCharacter(s.text(), begin));
}

struct SliceBounds
{
    std::int64_t start, stop, step;
};

/// Python's slice.indices(length).
SliceBounds sliceBounds(std::int64_t length, const Value &start, const Value &stop,
                        const Value &step)
{
    const auto part = [](const Value &value, std::int64_t fallback) {
        if (value.isNone())
            return fallback;
        requireDefined(value);
        if (!value.isInteger())
            throw TemplateError("slice indices must be integers or none, not " + typeName(value));
        return value.asInteger();
    };
    SliceBounds bounds{};
    bounds.step = part(step, 1);
    if (bounds.step == 0)
        throw TemplateError("slice step cannot be zero");
    const bool forward = bounds.step > 0;
    const std::int64_t low = forward ? 0 : -1, high = forward ? length : length - 1;
    const auto clamp = [&](std::int64_t index) {
        if (index < 0)
            index = index < -length ? low : index + length;
        return std::min(std::max(index, low), high);
    };
    bounds.start = start.isNone() ? (forward ? low : high) : clamp(part(start, 0));
    bounds.stop = stop.isNone() ? (forward ? high : low) : clamp(part(stop, 0));
    return bounds;
}

} // namespace

Value getAttribute(Runtime &rt, const Value &object, const StringObject &name)
{
    requireDefined(object);
    if (const auto own = ownAttribute(rt, object, name.text()))
        return *own;
    if (object.is(Kind::Dict)) {
        if (const Value *found = object.asDict().findText(name.text()))
            return *found;
    }
    return noAttribute(rt, object, name.text());
}

Value getItem(Runtime &rt, const Value &object, const Value &index)
{
    requireDefined(object);
    if (object.is(Kind::Dict)) {
        if (!index.is(Kind::List) && !index.is(Kind::Dict)) {
            if (const Value *found = object.asDict().find(encodeKey(rt, index)))
                return *found;
        }
    } else if (index.isInteger() && object.isIndexable()) {
        if (const auto item = itemAt(rt, object, index.asInteger()))
            return *item;
    }
    if (index.isString()) {
        if (const auto own = ownAttribute(rt, object, index.text()))
            return *own;
        return noAttribute(rt, object, index.text());
    }
    return rt.heap.undefined(objectName(object) + " has no element " + represent(rt, index).text);
}

Value getSlice(Runtime &rt, const Value &object, const Value &start, const Value &stop,
               const Value &step)
{
    requireDefined(object);
    if (!object.isIndexable())
        throw TemplateError("'" + typeName(object) + "' object is not subscriptable");
    const auto bounds = sliceBounds(lengthOf(object), start, stop, step);
    std::vector<std::size_t> picked;
    if (object.isString() && bounds.step == 1) {
        const StringObject &s = object.asString();
        const std::size_t begin = byteOffset(rt, s, static_cast<std::size_t>(bounds.start));
        const std::size_t end =
            byteOffset(rt, s, static_cast<std::size_t>(std::max(bounds.start, bounds.stop)));
        return rt.substring(s, begin, end);
    }
    for (std::int64_t i = bounds.start; bounds.step > 0 ? i < bounds.stop : i > bounds.stop;) {
        rt.budget.step();
        picked.push_back(static_cast<std::size_t>(i));
        if (__builtin_add_overflow(i, bounds.step, &i))
            break;
    }
    if (object.isString()) {
        const StringObject &s = object.asString();
        rt.budget.allocate(s.characters * sizeof(std::size_t));
        std::vector<std::size_t> offsets;
        for (std::size_t at = 0; at < s.text().size(); at = nextCharacter(s.text(), at))
            offsets.push_back(at);
        MarkedBuilder out;
        for (const std::size_t i : picked)
            out.append(s.marked, offsets[i], nextCharacter(s.text(), offsets[i]));
        return rt.stringLike(s, out.take());
    }
    std::vector<Value> items;
    for (const std::size_t i : picked)
        items.push_back(object.asList().items[i]);
    return rt.heap.sequence(object.kind(), std::move(items));
}

Value getPath(Runtime &rt, Value object, const Value &path)
{
    if (!path.isString())
        return getItem(rt, object, path);
    const std::string &text = path.text();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('.', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        const auto index = part.empty() || part[0] == '-' ? std::nullopt : parseInteger(part, 10);
        object = getItem(rt, object, index ? Value::integer(*index) : rt.string(part));
        begin = end + 1;
    }
    return object;
}

} // namespace fireside::jinja
