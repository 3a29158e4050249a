#include "engine/text/jinja/values/value.h"

#include "engine/text/jinja/values/text_tools.h"

namespace fireside::jinja {

StringObject::StringObject(MarkedText text, bool markup)
    : marked(std::move(text))
    , characters(countCharacters(marked.text))
    , isMarkup(markup)
{}

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

void DictObject::erase(const std::string &encodedKey)
{
    const auto found = m_index.find(encodedKey);
    if (found == m_index.end())
        return;
    const std::size_t at = found->second;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
    m_index.erase(found);
    for (auto &[key, place] : m_index)
        place -= place > at ? 1 : 0;
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
