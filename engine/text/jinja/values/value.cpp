#include "engine/text/jinja/values/value.h"

#include "engine/text/jinja/values/text_tools.h"

namespace fireside::jinja {

StringObject::StringObject(MarkedText text, bool markup)
    : marked(std::move(text))
    , characters(countCharacters(marked.text))
    , isMarkup(markup)
{}

Value Value::boolean(bool b)
{
    Value v;
    v.m_kind = Kind::Bool;
    v.m_word.b = b;
    return v;
}

Value Value::integer(std::int64_t i)
{
    Value v;
    v.m_kind = Kind::Int;
    v.m_word.i = i;
    return v;
}

Value Value::number(double d)
{
    Value v;
    v.m_kind = Kind::Float;
    v.m_word.d = d;
    return v;
}

Value Value::string(const StringObject *s)
{
    Value v;
    v.m_kind = Kind::String;
    v.m_word.s = s;
    return v;
}

Value Value::undefined(const StringObject *reason)
{
    Value v;
    v.m_kind = Kind::Undefined;
    v.m_word.s = reason;
    return v;
}

Value Value::sequence(Kind kind, ListObject *l)
{
    Value v;
    v.m_kind = kind;
    v.m_word.l = l;
    return v;
}

Value Value::dict(DictObject *d)
{
    Value v;
    v.m_kind = Kind::Dict;
    v.m_word.dict = d;
    return v;
}

Value Value::object(Object *o)
{
    Value v;
    v.m_kind = Kind::Object;
    v.m_word.o = o;
    return v;
}

const Value *DictObject::find(const std::string &encodedKey) const
{
    const auto found = m_index.find(encodedKey);
    return found == m_index.end() ? nullptr : &entries[found->second].value;
}

const Value *DictObject::findText(std::string_view key) const
{
    return find("s" + std::string(key));
}

void DictObject::set(Value key, std::string encodedKey, Value value)
{
    const auto [place, isNew] = m_index.try_emplace(std::move(encodedKey), entries.size());
    if (isNew)
        entries.push_back({key, value});
    else
        entries[place->second].value = value;
}

bool DictObject::erase(const std::string &encodedKey)
{
    const auto found = m_index.find(encodedKey);
    if (found == m_index.end())
        return false;
    const std::size_t at = found->second;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
    m_index.erase(found);
    for (auto &[key, place] : m_index)
        place -= place > at ? 1 : 0;
    return true;
}

void DictObject::clear()
{
    entries.clear();
    m_index.clear();
}

Value Object::call(Runtime &, const Arguments &)
{
    throw TemplateError("'" + typeName() + "' object is not callable");
}

std::optional<Value> Object::attribute(Runtime &, const std::string &)
{
    return {};
}

Value Heap::string(MarkedText text, bool isMarkup)
{
    m_budget.checkText(text.text.size());
    m_budget.allocate(sizeof(StringObject) + text.text.size() +
                      text.untrusted.size() * sizeof(MarkedText::Range));
    return Value::string(&m_strings.emplace_back(std::move(text), isMarkup));
}

Value Heap::undefined(std::string reason)
{
    m_budget.allocate(sizeof(StringObject) + reason.size());
    return Value::undefined(&m_strings.emplace_back(MarkedText::trusted(std::move(reason))));
}

Value Heap::sequence(Value::Kind kind, std::vector<Value> items)
{
    m_budget.allocate(sizeof(ListObject) + items.size() * sizeof(Value));
    ListObject &list = m_lists.emplace_back();
    list.items = std::move(items);
    return Value::sequence(kind, &list);
}

Value Heap::dict()
{
    m_budget.allocate(sizeof(DictObject));
    return Value::dict(&m_dicts.emplace_back());
}

} // namespace fireside::jinja
