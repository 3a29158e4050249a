#include "engine/text/reply/tagged_calls.h"

#include "engine/text/reply/call_values.h"

#include <algorithm>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;
using Calls = std::optional<std::vector<ToolCall>>;

constexpr std::string_view kBlanks = " \n\t\r";
constexpr std::size_t kMaxKeyBytes = 300; // looked at for a key whose tag may be text

std::string_view withoutSpaceBehind(std::string_view text)
{
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// A tag's name: bare or in quotes, without attributes behind it.
std::string_view nameIn(std::string_view text)
{
    text = trimmed(text);
    const bool quoted = !text.empty() && (text.front() == '"' || text.front() == '\'');
    const std::size_t end =
        quoted ? text.find(text.front(), 1) : std::min(text.find_first_of(" \t\r"), text.size());
    if (end == std::string_view::npos)
        return text.substr(1);
    return quoted ? text.substr(1, end - 1) : text.substr(0, end);
}

/// Whether a value begins and ends with a line break.
bool isFramed(std::string_view text)
{
    return text.size() > 1 && text.starts_with('\n') && text.ends_with('\n');
}

/// Without one line break at each end, which belongs to the tags.
std::string_view withoutTagLines(std::string_view text)
{
    take(text, "\n");
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    return text;
}

std::size_t countOf(std::string_view text, std::string_view part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++count;
    return count;
}

class TagReader
{
public:
    TagReader(std::string_view body, const CallTags &tags, const OfferedTools &tools)
        : m_rest(body)
        , m_tags(tags)
        , m_tools(tools)
    {}

    Calls read()
    {
        std::vector<ToolCall> calls;
        for (skipSpace(m_rest); !m_rest.empty(); skipSpace(m_rest)) {
            if (takeEnd())
                continue; // one too many
            if (!take(m_rest, m_tags.call))
                return std::nullopt;
            const auto call = readCall();
            if (!call)
                return std::nullopt;
            calls.push_back(*call);
        }
        return calls.empty() ? Calls() : Calls(std::move(calls));
    }

private:
    bool takeEnd()
    {
        return (!m_tags.callEnd.empty() && take(m_rest, m_tags.callEnd)) ||
               take(m_rest, m_tags.parameterEnd);
    }

    std::optional<ToolCall> readCall()
    {
        const std::size_t end = m_tags.call.empty()
                                    ? std::min(m_rest.find(m_tags.parameter), m_rest.size())
                                    : m_rest.find_first_of(">\n");
        if (end == std::string_view::npos)
            return std::nullopt;
        const std::string name(nameIn(m_rest.substr(0, end)));
        m_rest.remove_prefix(end);
        take(m_rest, ">");
        if (!m_tools.nameOf(name))
            return std::nullopt;
        m_schema = m_tools.argumentsOf(*m_tools.nameOf(name));
        m_parameters.clear();
        if (!readParameters())
            return std::nullopt;
        return makeCall(name, arguments(), m_tools);
    }

    /// Line breaks around values belong to the tags where the template writes them. Where it writes
    /// none, they do if all values of the call have them: a single value keeps its bytes.
    Json arguments() const
    {
        const bool framed = m_tags.ownLines ||
                            (m_parameters.size() > 1 &&
                             std::all_of(m_parameters.begin(), m_parameters.end(),
                                         [](const Parameter &one) { return isFramed(one.text); }));
        Json all = Json::object();
        for (const Parameter &one : m_parameters) {
            const std::string_view text = framed ? withoutTagLines(one.text) : one.text;
            all[one.key] =
                one.isString ? Json(std::string(text)) : typedText(text, m_schema.member(one.key));
        }
        return all;
    }

    bool readParameters()
    {
        for (;;) {
            skipSpace(m_rest);
            if (m_rest.empty() || (!m_tags.callEnd.empty() && take(m_rest, m_tags.callEnd)) ||
                (!m_tags.call.empty() && m_rest.starts_with(m_tags.call)))
                return true;
            if (take(m_rest, m_tags.parameterEnd))
                continue; // one too many
            if (!take(m_rest, m_tags.parameter))
                return false;
            const auto head = takeUntil(m_rest, m_tags.keyEnd);
            if (!head)
                return false;
            const std::string key(nameIn(*head));
            if (!m_tags.valueBegin.empty()) {
                skipSpace(m_rest);
                if (!take(m_rest, m_tags.valueBegin))
                    return false;
            }
            const auto value = takeValue();
            if (key.empty() || !value)
                return false;
            const bool saysString = m_schema.member(key).types() == kJsonAny &&
                                    head->find("string=\"true\"") != std::string_view::npos;
            m_parameters.push_back({key, *value, saysString});
        }
    }

    /// Up to the closing tag that stands directly before the next parameter or the call's end:
    /// others belong to the value.
    std::optional<std::string_view> takeValue()
    {
        const auto findFrom = [this](std::string_view tag, std::size_t from) {
            return tag.empty() ? std::string_view::npos : m_rest.find(tag, from);
        };
        std::size_t next = findFrom(m_tags.parameter, 0), callEnd = findFrom(m_tags.callEnd, 0);
        for (;;) {
            const std::size_t at = std::min({next, callEnd, m_rest.size()});
            const std::string_view before = m_rest.substr(0, at);
            if (const auto value = closed(before))
                return taken(*value, at);
            if (at == m_rest.size()) // nothing closes it
                return before.find(m_tags.parameterEnd) == std::string_view::npos
                           ? std::optional(taken(before, at))
                           : std::nullopt;
            if (at == next ? isForgottenClose(at) : endsCall(at))
                return taken(before, at);
            if (at == next)
                next = findFrom(m_tags.parameter, at + 1);
            else
                callEnd = findFrom(m_tags.callEnd, at + 1);
        }
    }

    /// The value before its closing tags; nullopt where it does not end with one.
    std::optional<std::string_view> closed(std::string_view text) const
    {
        std::string_view value = withoutSpaceBehind(text);
        if (!value.ends_with(m_tags.parameterEnd))
            return std::nullopt;
        value.remove_suffix(m_tags.parameterEnd.size());
        const std::string_view opening = m_tags.parameter.substr(
            0, std::min(m_tags.parameter.find_first_of(" =>"), m_tags.parameter.size()));
        for (;;) { // one too many, where the value itself holds no such element
            const std::string_view inner = withoutSpaceBehind(value);
            if (!inner.ends_with(m_tags.parameterEnd) ||
                countOf(inner, opening) >= countOf(inner, m_tags.parameterEnd))
                return value;
            value = inner.substr(0, inner.size() - m_tags.parameterEnd.size());
        }
    }

    /// Whether another parameter begins there, so that the one before was not closed.
    bool isForgottenClose(std::size_t at) const
    {
        const std::string_view before = m_rest.substr(0, at);
        const std::size_t word = before.find_last_not_of(" \t");
        if (word == std::string_view::npos || before[word] != '\n')
            return false;
        std::string_view rest = m_rest.substr(at + m_tags.parameter.size(), kMaxKeyBytes);
        const auto head = takeUntil(rest, m_tags.keyEnd);
        const std::string key(head ? nameIn(*head) : std::string_view());
        const bool isNew = std::none_of(m_parameters.begin(), m_parameters.end(),
                                        [&](const Parameter &one) { return one.key == key; });
        return isToolName(key) && isNew && (!m_schema.hasMembers() || m_schema.hasMember(key));
    }

    /// Whether the closing tag of a call at that place ends it, though the value is not closed.
    bool endsCall(std::size_t at) const
    {
        std::string_view rest = m_rest.substr(at + m_tags.callEnd.size());
        skipSpace(rest);
        return (rest.empty() || rest.starts_with(m_tags.call)) &&
               m_rest.substr(0, at).find(m_tags.parameterEnd) == std::string_view::npos;
    }

    std::string_view taken(std::string_view value, std::size_t length)
    {
        m_rest.remove_prefix(length);
        return value;
    }

    struct Parameter
    {
        std::string key;
        std::string_view text; // with line breaks that may belong to its tags
        bool isString;         // its tag says so
    };

    std::string_view m_rest;
    const CallTags &m_tags;
    const OfferedTools &m_tools;
    SchemaView m_schema{};
    std::vector<Parameter> m_parameters{};
};

/// An element of MiniMax M3's calls.
struct Element
{
    std::string name{};
    std::string text{};
    std::vector<Element> children{};
};

/// Whether all texts begin and end with a line break, as in TagReader::arguments().
bool areFramed(const std::vector<Element> &elements, std::size_t &leaves)
{
    return std::all_of(elements.begin(), elements.end(), [&](const Element &one) {
        if (!one.children.empty())
            return areFramed(one.children, leaves);
        ++leaves;
        return isFramed(one.text);
    });
}

Json valueOf(const Element &element, const SchemaView &schema, bool framed)
{
    const auto &children = element.children;
    const unsigned types = schema.types();
    if (children.empty()) {
        const bool empty = trimmed(element.text).empty();
        if (empty && (types & (kJsonString | kJsonArray)) == kJsonArray)
            return Json::array();
        if (empty && (types & (kJsonString | kJsonObject)) == kJsonObject)
            return Json::object();
        return typedText(framed ? withoutTagLines(element.text) : element.text, schema);
    }
    const bool allItems = std::all_of(children.begin(), children.end(),
                                      [](const Element &one) { return one.name == "item"; });
    if (allItems && !schema.hasMember("item")) {
        Json list = Json::array();
        for (const Element &child : children)
            list.push_back(valueOf(child, schema.items(), framed));
        return list;
    }
    Json object = Json::object();
    for (const Element &child : children)
        object[child.name] = valueOf(child, schema.member(child.name), framed);
    return object;
}

/// Builds the elements from "<name>text" and "</name>" pieces.
class ElementBuilder
{
public:
    bool add(std::string_view piece)
    {
        const bool closes = take(piece, "</");
        if (!closes && !take(piece, "<"))
            return false;
        const auto head = takeUntil(piece, ">");
        if (!head || head->empty())
            return false;
        const std::string name(nameIn(*head));
        if (closes)
            return close(name) && trimmed(piece).empty();
        if (m_open.size() >= kDeepestValue)
            return false;
        m_open.push_back({std::string(*head), std::string(piece), {}});
        const std::string end = "</" + name + ">"; // without a mark of its own
        std::string &text = m_open.back().text;
        if (withoutSpaceBehind(text).ends_with(end)) {
            text.resize(withoutSpaceBehind(text).size() - end.size());
            return close(name);
        }
        return true;
    }
    bool finish()
    {
        while (!m_open.empty())
            if (!close(std::string(nameIn(m_open.back().name))))
                return false;
        return true;
    }
    const std::vector<Element> &elements() const { return m_done; }

private:
    /// Closes the innermost of that name, and what was left open within.
    bool close(const std::string &name)
    {
        const auto isNamed = [&](const Element &one) { return nameIn(one.name) == name; };
        if (std::none_of(m_open.begin(), m_open.end(), isNamed))
            return true; // one too many
        for (bool last = false; !last;) {
            Element element = std::move(m_open.back());
            m_open.pop_back();
            last = isNamed(element);
            if (!element.children.empty() && !trimmed(element.text).empty())
                return false; // words between elements
            (m_open.empty() ? m_done : m_open.back().children).push_back(std::move(element));
        }
        return true;
    }

    std::vector<Element> m_open{}, m_done{};
};

} // namespace

std::optional<ToolCall> makeCall(std::string_view name, Json arguments, const OfferedTools &tools)
{
    const auto offered = tools.nameOf(name);
    if (!offered || !arguments.is_object())
        return std::nullopt;
    fitToSchema(arguments, tools.argumentsOf(*offered));
    return ToolCall{*offered, arguments.dump(-1, ' ', false, Json::error_handler_t::replace), {}};
}

Calls readTagged(std::string_view body, const CallTags &tags, const OfferedTools &tools)
{
    return TagReader(body, tags, tools).read();
}

Calls readMiniMax3(std::string_view body, const OfferedTools &tools)
{
    ElementBuilder builder;
    while (!body.empty()) {
        const std::size_t end = std::min(body.find(kMiniMaxMark), body.size());
        const std::string_view piece = body.substr(0, end);
        body.remove_prefix(end);
        take(body, kMiniMaxMark);
        if (!trimmed(piece).empty() && !builder.add(piece))
            return std::nullopt;
    }
    if (!builder.finish())
        return std::nullopt;
    std::vector<ToolCall> calls;
    for (const Element &element : builder.elements()) {
        std::string_view name = element.name;
        if (!take(name, "invoke") || !trimmed(name).starts_with("name="))
            return std::nullopt;
        name = nameIn(trimmed(name).substr(5));
        const auto offered = tools.nameOf(name);
        if (!offered || !trimmed(element.text).empty())
            return std::nullopt;
        Json arguments = Json::object();
        const SchemaView schema = tools.argumentsOf(*offered);
        std::size_t leaves = 0;
        const bool framed = areFramed(element.children, leaves) && leaves > 1;
        for (const Element &child : element.children)
            arguments[child.name] = valueOf(child, schema.member(child.name), framed);
        calls.push_back(*makeCall(*offered, std::move(arguments), tools));
    }
    return calls.empty() ? Calls() : Calls(std::move(calls));
}

} // namespace fireside
