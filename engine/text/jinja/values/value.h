#pragma once
#include "engine/text/jinja/values/budget.h"
#include "engine/text/marked_text.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::jinja {

class Heap;
class Object;
class Value;

/// Immutable text with its origin marks. `characters` is its length as templates see it. `isMarkup`
/// is set by the filters safe and escape: text joined to it with + or % is HTML-escaped first,
/// which some models' prompts were trained with.
struct StringObject
{
    StringObject() = default;
    explicit StringObject(MarkedText text, bool markup = false);
    MarkedText marked;
    std::size_t characters = 0;
    bool isMarkup = false;

    const std::string &text() const { return marked.text; }
    bool isAscii() const { return characters == marked.text.size(); }
};

struct ListObject;
struct DictObject;

/// One template value: a tag and a word. Copies are cheap and share the object behind; objects live
/// in the rendering's Heap, string literals in the Program.
class Value
{
public:
    enum class Kind : std::uint8_t {
        Undefined, // the string says why, for the error when it is used
        None,
        Bool,
        Int,
        Float,
        String,
        List,
        Tuple,
        Generator, // what map, select … give: iterable once, not subscriptable
        Dict,
        Object, // macros, bound methods, namespace, loop …
    };

    Value() = default; // None
    static Value none() { return {}; }
    static Value boolean(bool b) { return {Kind::Bool, {.b = b}}; }
    static Value integer(std::int64_t i) { return {Kind::Int, {.i = i}}; }
    static Value number(double d) { return {Kind::Float, {.d = d}}; }
    static Value string(const StringObject *s) { return {Kind::String, {.s = s}}; }
    static Value undefined(const StringObject *reason) { return {Kind::Undefined, {.s = reason}}; }
    static Value sequence(Kind kind, ListObject *l) { return {kind, {.l = l}}; }
    static Value dict(DictObject *d) { return {Kind::Dict, {.dict = d}}; }
    static Value object(Object *o) { return {Kind::Object, {.o = o}}; }

    Kind kind() const { return m_kind; }
    bool is(Kind k) const { return m_kind == k; }
    bool isUndefined() const { return m_kind == Kind::Undefined; }
    bool isNone() const { return m_kind == Kind::None; }
    bool isString() const { return m_kind == Kind::String; }
    bool isInteger() const { return m_kind == Kind::Int || m_kind == Kind::Bool; }
    bool isNumber() const { return isInteger() || m_kind == Kind::Float; }
    bool isSequence() const
    {
        return m_kind == Kind::List || m_kind == Kind::Tuple || m_kind == Kind::Generator;
    }

    bool isIndexable() const { return isString() || m_kind == Kind::List || m_kind == Kind::Tuple; }

    // Only for the kinds they belong to.
    bool asBool() const { return m_word.b; }
    std::int64_t asInteger() const { return m_kind == Kind::Bool ? m_word.b : m_word.i; }
    double asFloat() const
    {
        return m_kind == Kind::Float ? m_word.d : static_cast<double>(asInteger());
    }
    const StringObject &asString() const { return *m_word.s; }
    const std::string &text() const { return m_word.s->text(); }
    ListObject &asList() const { return *m_word.l; }
    DictObject &asDict() const { return *m_word.dict; }
    Object &asObject() const { return *m_word.o; }

private:
    union Word {
        bool b;
        std::int64_t i;
        double d;
        const StringObject *s;
        ListObject *l;
        DictObject *dict;
        Object *o;
    };
    Value(Kind kind, Word word)
        : m_kind(kind)
        , m_word(word)
    {}

    Kind m_kind = Kind::None;
    Word m_word{};
};

struct ListObject
{
    std::vector<Value> items;
    bool consumed = false;                                // a generator that was iterated
    const std::vector<std::string> *fieldNames = nullptr; // named tuple (groupby)
};

/// Keeps insertion order. Keys are found by an encoding in which 1, 1.0 and true are the same key.
struct DictObject
{
    struct Entry
    {
        Value key, value;
    };
    std::vector<Entry> entries;

    const Value *find(const std::string &encodedKey) const;
    const Value *findText(std::string_view key) const;
    void set(Value key, std::string encodedKey, Value value);
    void erase(const std::string &encodedKey);
    void clear();

private:
    std::map<std::string, std::size_t> m_index;
};

struct Arguments
{
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
};

class Runtime;

/// Anything with behaviour: callables, namespaces, loop variables.
class Object
{
public:
    virtual ~Object() = default;
    virtual std::string typeName() const = 0; // as in "'… object' has no attribute"
    virtual bool isCallable() const { return false; }
    virtual Value call(Runtime &runtime, const Arguments &args);
    virtual std::optional<Value> attribute(Runtime &runtime, const std::string &name);
    virtual std::string describe() const { return "<" + typeName() + ">"; }
};

/// Owns every value of one rendering and frees them together: no reference cycles to leak, no deep
/// destructors.
class Heap
{
public:
    explicit Heap(Budget &budget)
        : m_budget(budget)
    {}

    Value string(MarkedText text, bool isMarkup = false);
    Value string(std::string trustedText)
    {
        return string(MarkedText::trusted(std::move(trustedText)));
    }
    Value undefined(std::string reason);
    Value list(std::vector<Value> items) { return sequence(Value::Kind::List, std::move(items)); }
    Value tuple(std::vector<Value> items) { return sequence(Value::Kind::Tuple, std::move(items)); }
    Value generator(std::vector<Value> items)
    {
        return sequence(Value::Kind::Generator, std::move(items));
    }
    Value dict();
    template <typename T, typename... Args>
    T &make(Args &&...args)
    {
        m_budget.allocate(sizeof(T) + 64);
        auto object = std::make_unique<T>(std::forward<Args>(args)...);
        T &result = *object;
        m_objects.push_back(std::move(object));
        return result;
    }

    Value sequence(Value::Kind kind, std::vector<Value> items);

    /// Charges for an element added to an existing list or dict.
    void grow() { m_budget.allocate(sizeof(Value)); }

private:
    Budget &m_budget;
    std::deque<StringObject> m_strings;
    std::deque<ListObject> m_lists;
    std::deque<DictObject> m_dicts;
    std::deque<std::unique_ptr<Object>> m_objects;
};

} // namespace fireside::jinja
