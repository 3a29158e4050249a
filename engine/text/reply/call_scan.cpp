#include "engine/text/reply/call_scan.h"

#include "engine/text/reply/call_values.h"

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

struct Ends
{
    std::string_view parameter, parameterEnd, callEnd;
};

std::optional<Ends> endsOf(CallBody kind)
{
    switch (kind) {
    case CallBody::FunctionTags:
        return Ends{"<parameter=", "</parameter>", "</function>"};
    case CallBody::BareFunctionTags: // </function> closes it
        return Ends{"<parameter=", "</parameter>", {}};
    case CallBody::InvokeTags:
        return Ends{"<parameter name=", "</parameter>", "</invoke>"};
    case CallBody::DsmlTags:
        return Ends{"<｜DSML｜parameter name=", "</｜DSML｜parameter>", "</｜DSML｜invoke>"};
    case CallBody::GlmTags:
        return Ends{"<arg_key>", "</arg_value>", {}};
    default:
        return std::nullopt;
    }
}

/// Whether {"name": "NAME" at the front may name an offered tool.
bool mayNameTool(std::string_view body, const OfferedTools &tools)
{
    take(body, "[");
    skipSpace(body);
    take(body, "{");
    skipSpace(body);
    if (!take(body, "\"name\""))
        return true;
    skipSpace(body);
    take(body, ":");
    skipSpace(body);
    if (!take(body, "\""))
        return body.empty();
    const std::size_t end = body.find('"');
    return end == std::string_view::npos ? tools.mayBegin(body)
                                         : tools.nameOf(body.substr(0, end)).has_value();
}

/// NAME and what may follow it.
bool mayBeNamed(std::string_view body, std::string_view next, const OfferedTools &tools)
{
    const std::string_view name = body.substr(0, body.find_first_of(" \n\t\r<>[{("));
    if (name.size() == body.size())
        return tools.mayBegin(name);
    std::string_view rest = body.substr(name.size());
    skipSpace(rest);
    return tools.nameOf(name) && agree(rest, next);
}

} // namespace

bool CallSyntax::mayBegin(std::string_view text, const OfferedTools &tools) const
{
    skipSpace(text);
    if (tools.areNone())
        return false;
    if (text.empty() || starts.empty())
        return true;
    for (std::string_view rest = starts; !rest.empty();) {
        std::string_view one = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        if (take(one, "NAME") ? mayBeNamed(text, one, tools) : agree(text, one))
            return body != CallBody::Json || mayNameTool(text, tools);
    }
    return false;
}

/// Quotes count where a value or a key may begin: an apostrophe within words is none.
bool CallScan::opensQuote(char c) const
{
    if (c == '"' && m_kind == CallBody::Json)
        return true;
    return (c == '"' || c == '\'') &&
           std::string_view("{[(,:=").find(m_before) != std::string_view::npos;
}

void CallScan::step(std::string_view body)
{
    const char c = body[m_at];
    if (!m_quote.empty()) {
        if (c == '\\' && m_quote.size() == 1) {
            m_at += 2;
        } else if (body.substr(m_at).starts_with(m_quote)) {
            m_at += m_quote.size();
            m_quote = {};
        } else {
            ++m_at;
        }
        return;
    }
    if (m_kind == CallBody::Gemma && body.substr(m_at).starts_with(kGemmaQuote)) {
        m_quote = kGemmaQuote;
        m_at += kGemmaQuote.size();
        return;
    }
    if (opensQuote(c))
        m_quote = c == '"' ? "\"" : "'";
    else if (c == '{' || (c == '[' && (m_depth > 0 || m_before == 0)))
        ++m_depth;
    else if ((c == '}' || c == ']') && m_depth > 0 && --m_depth == 0) {
        m_balanced = m_at + 1;
        m_first = m_first.value_or(m_at + 1);
    }
    if (std::string_view(" \n\t\r").find(c) == std::string_view::npos)
        m_before = c;
    ++m_at;
}

void CallScan::follow(std::string_view body, bool oneByOne)
{
    if (m_kind != CallBody::Json && m_kind != CallBody::Gemma && m_kind != CallBody::Python)
        return;
    while (m_at < body.size()) {
        const bool undecided = m_kind == CallBody::Gemma &&
                               body.size() - m_at < kGemmaQuote.size() &&
                               kGemmaQuote.starts_with(body.substr(m_at));
        if (undecided)
            return;
        step(body);
        if (oneByOne && isBalanced())
            return;
    }
}

CallScan::State CallScan::state(std::string_view body) const
{
    const auto ends = endsOf(m_kind);
    if (!ends)
        return m_quote.empty() ? State::Ended : State::Open;
    body = trimmed(body);
    if ((!ends->callEnd.empty() && body.ends_with(ends->callEnd)) ||
        body.find(ends->parameter) == std::string_view::npos)
        return State::Ended;
    if (!body.ends_with(ends->parameterEnd))
        return State::Open;
    return ends->callEnd.empty() ? State::Ended : State::Broken;
}

bool CallScan::isComplete(std::string_view body) const
{
    body = trimmed(body);
    if (m_kind == CallBody::Plain)
        return true;
    if (m_kind == CallBody::Elements)
        return body.ends_with("</invoke>");
    const auto ends = endsOf(m_kind);
    if (!ends)
        return m_quote.empty() && m_depth == 0 && m_balanced;
    return body.ends_with(ends->callEnd.empty() ? ends->parameterEnd : ends->callEnd);
}

} // namespace fireside
