#include "engine/text/jinja/values/methods.h"
#include "engine/text/jinja/values/operators.h"

#include <algorithm>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;
using Self = const Value &;

// ---- lists and tuples -------------------------------------------------------------------------

Value append(Runtime &rt, Self self, Args args)
{
    const Parameters p("append", args, {"object"}, 1);
    rt.heap.grow();
    self.asList().items.push_back(p[0]);
    return {};
}

Value extend(Runtime &rt, Self self, Args args)
{
    const Parameters p("extend", args, {"iterable"}, 1);
    const std::vector<Value> items = iterate(rt, p[0]);
    for (const Value &item : items) {
        rt.heap.grow();
        self.asList().items.push_back(item);
    }
    return {};
}

Value insert(Runtime &rt, Self self, Args args)
{
    const Parameters p("insert", args, {"index", "object"}, 2);
    auto &items = self.asList().items;
    const auto length = static_cast<std::int64_t>(items.size());
    std::int64_t index = p.integer(0, 0);
    index = index < -length ? 0 : index < 0 ? index + length : std::min(index, length);
    rt.budget.step(items.size() / 16 + 1);
    rt.heap.grow();
    items.insert(items.begin() + index, p[1]);
    return {};
}

Value popItem(Runtime &rt, Self self, Args args)
{
    const Parameters p("pop", args, {"index"});
    auto &items = self.asList().items;
    const auto length = static_cast<std::int64_t>(items.size());
    std::int64_t index = p.integer(0, -1);
    if (index < -length || index >= length)
        throw TemplateError("pop index out of range");
    index += index < 0 ? length : 0;
    rt.budget.step(items.size() / 16 + 1);
    const Value item = items[static_cast<std::size_t>(index)];
    items.erase(items.begin() + index);
    return item;
}

Value remove(Runtime &rt, Self self, Args args)
{
    const Parameters p("remove", args, {"value"}, 1);
    auto &items = self.asList().items;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (areEqual(rt, items[i], p[0])) {
            rt.budget.step(items.size() / 16 + 1);
            items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
            return {};
        }
    }
    throw TemplateError("list.remove(x): x not in list");
}

Value reverseList(Runtime &rt, Self self, Args args)
{
    const Parameters p("reverse", args, {});
    auto &items = self.asList().items;
    rt.budget.step(items.size());
    std::reverse(items.begin(), items.end());
    return {};
}

Value copyList(Runtime &rt, Self self, Args args)
{
    const Parameters p("copy", args, {});
    return rt.heap.list(self.asList().items);
}

Value clearList(Runtime &, Self self, Args args)
{
    const Parameters p("clear", args, {});
    self.asList().items.clear();
    return {};
}

Value indexOf(Runtime &rt, Self self, Args args)
{
    const Parameters p("index", args, {"value", "start"}, 1);
    const auto &items = self.asList().items;
    for (std::int64_t i = std::max<std::int64_t>(0, p.integer(1, 0));
         i < static_cast<std::int64_t>(items.size()); ++i) {
        if (areEqual(rt, items[static_cast<std::size_t>(i)], p[0]))
            return Value::integer(i);
    }
    throw TemplateError("value is not in the " + typeName(self));
}

Value countOf(Runtime &rt, Self self, Args args)
{
    const Parameters p("count", args, {"value"}, 1);
    const auto &items = self.asList().items;
    return Value::integer(std::count_if(
        items.begin(), items.end(), [&](const Value &item) { return areEqual(rt, item, p[0]); }));
}

// ---- dicts ------------------------------------------------------------------------------------

Value keys(Runtime &rt, Self self, Args args)
{
    const Parameters p("keys", args, {});
    return rt.heap.list(iterate(rt, self));
}

Value values(Runtime &rt, Self self, Args args)
{
    const Parameters p("values", args, {});
    std::vector<Value> result;
    for (const auto &entry : self.asDict().entries)
        result.push_back(entry.value);
    return rt.heap.list(std::move(result));
}

Value items(Runtime &rt, Self self, Args args)
{
    const Parameters p("items", args, {});
    std::vector<Value> result;
    for (const auto &entry : self.asDict().entries)
        result.push_back(rt.heap.tuple({entry.key, entry.value}));
    return rt.heap.list(std::move(result));
}

Value get(Runtime &rt, Self self, Args args)
{
    const Parameters p("get", args, {"key", "default"}, 1);
    const Value *found = self.asDict().find(encodeKey(rt, p[0]));
    return found ? *found : p[1];
}

Value popKey(Runtime &rt, Self self, Args args)
{
    const Parameters p("pop", args, {"key", "default"}, 1);
    const std::string code = encodeKey(rt, p[0]);
    const Value *found = self.asDict().find(code);
    if (!found) {
        if (p.has(1))
            return p[1];
        throw TemplateError("the key to pop is not in the dict");
    }
    const Value value = *found;
    rt.budget.step(self.asDict().entries.size());
    self.asDict().erase(code);
    return value;
}

Value setdefault(Runtime &rt, Self self, Args args)
{
    const Parameters p("setdefault", args, {"key", "default"}, 1);
    if (const Value *found = self.asDict().find(encodeKey(rt, p[0])))
        return *found;
    setItem(rt, self.asDict(), p[0], p[1]);
    return p[1];
}

Value update(Runtime &rt, Self self, Args args)
{
    DictObject &dict = self.asDict();
    for (const Value &source : args.positional) {
        requireDefined(source);
        if (!source.is(Kind::Dict))
            throw TemplateError("update() takes a dict, not " + typeName(source));
        const auto entries = source.asDict().entries; // a copy: source may be this dict
        for (const auto &entry : entries)
            setItem(rt, dict, entry.key, entry.value);
    }
    for (const auto &[name, value] : args.named)
        setItem(rt, dict, rt.string(name), value);
    return {};
}

Value copyDict(Runtime &rt, Self self, Args args)
{
    const Parameters p("copy", args, {});
    const Value copy = rt.heap.dict();
    for (const auto &entry : self.asDict().entries)
        setItem(rt, copy.asDict(), entry.key, entry.value);
    return copy;
}

Value clearDict(Runtime &, Self self, Args args)
{
    const Parameters p("clear", args, {});
    self.asDict().clear();
    return {};
}

} // namespace

std::optional<Value> findMethod(Runtime &rt, const Value &object, const std::string &name)
{
    static const BuiltinTable ListMethods = {
        {"append", append}, {"extend", extend},       {"insert", insert}, {"pop", popItem},
        {"remove", remove}, {"reverse", reverseList}, {"copy", copyList}, {"clear", clearList},
        {"index", indexOf}, {"count", countOf},
    };
    static const BuiltinTable TupleMethods = {{"index", indexOf}, {"count", countOf}};
    static const BuiltinTable DictMethods = {
        {"keys", keys},     {"values", values}, {"items", items},
        {"get", get},       {"pop", popKey},    {"setdefault", setdefault},
        {"update", update}, {"copy", copyDict}, {"clear", clearDict},
    };
    static const BuiltinTable NoMethods;
    const BuiltinTable &methods = object.isString()        ? stringMethods()
                                  : object.is(Kind::List)  ? ListMethods
                                  : object.is(Kind::Tuple) ? TupleMethods
                                  : object.is(Kind::Dict)  ? DictMethods
                                                           : NoMethods;
    const auto found = methods.find(name);
    if (found == methods.end())
        return {};
    return builtin(rt, name, found->second, object);
}

} // namespace fireside::jinja
