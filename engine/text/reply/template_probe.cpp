#include "engine/text/reply/template_probe.h"

#include "engine/core/error.h"
#include "engine/text/reply/call_values.h"
#include "engine/text/tokenizers/vocabulary.h"

#include <algorithm>

namespace fireside {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kQuestion = "What is asked here";
constexpr std::string_view kPlainAnswer = "A plain answer";

/// A tool, as every template knows them.
Json someTool()
{
    return Json::parse(R"({"type": "function", "function": {"name": "look_up",
        "description": "Looks up a word.", "parameters": {"type": "object", "properties":
        {"word": {"type": "string", "description": "The word"}}, "required": ["word"]}}})");
}

/// What the two begin with in common, but not half of a marker.
std::size_t commonLength(std::string_view a, std::string_view b)
{
    auto length = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    const std::string_view common = a.substr(0, length);
    const std::size_t bracket = common.find_last_of("<[");
    if (bracket != std::string_view::npos &&
        common.find_first_of(">]", bracket) == std::string_view::npos)
        length = bracket;
    return length;
}

/// Where other things stand before the header in the prompt: without a header that both have.
std::string_view withoutHeader(std::string_view answer, std::string_view prompt,
                               std::string_view opening)
{
    if (!answer.starts_with('<') || (!opening.empty() && answer.starts_with(opening)))
        return answer;
    for (std::size_t length = std::min<std::size_t>(answer.size(), 200); length > 2; --length)
        if (prompt.ends_with(answer.substr(0, length)))
            return answer.substr(length);
    return answer;
}

} // namespace

TemplateProbe::TemplateProbe(const ChatTemplate &chatTemplate, std::string bosText,
                             std::string eosText)
    : m_template(chatTemplate)
    , m_bos(std::move(bosText))
    , m_eos(std::move(eosText))
{}

std::optional<std::string> TemplateProbe::render(Json messages, bool addPrompt,
                                                 const Json &variables) const
{
    Json context{{"messages", std::move(messages)},
                 {"add_generation_prompt", addPrompt},
                 {"tools", Json::array({someTool()})},
                 {"functions", someTool()["function"].dump()},
                 {"datetime", "2026-01-01"},
                 {"bos_token", m_bos},
                 {"eos_token", m_eos}};
    for (const auto &[key, value] : variables.items())
        context[key] = value;
    for (const bool withTools : {true, false}) {
        if (!withTools)
            context.erase("tools");
        try {
            return m_template.render(context, "2026-01-01T00:00:00").text;
        } catch (const Error &) {
            continue;
        }
    }
    return std::nullopt;
}

std::optional<std::string> TemplateProbe::prompt(const Json &variables) const
{
    return render(Json::array({Json{{"role", "user"}, {"content", kQuestion}}}), true, variables);
}

std::string TemplateProbe::withoutEnd(std::string text, const Json &variables) const
{
    const Json plain = Json::array({Json{{"role", "user"}, {"content", kQuestion}},
                                    Json{{"role", "assistant"}, {"content", kPlainAnswer}}});
    const std::string written = render(plain, false, variables).value_or("");
    const std::size_t answer = written.rfind(kPlainAnswer);
    const std::string end =
        answer == std::string::npos ? std::string() : written.substr(answer + kPlainAnswer.size());
    const auto common = std::mismatch(end.rbegin(), end.rend(), text.rbegin(), text.rend());
    const auto shared = static_cast<std::size_t>(common.first - end.rbegin());
    // Where only the last markers are the same, none of them is cut.
    const std::size_t cut =
        shared == end.size() ? text.size() - shared : text.find('<', text.size() - shared);
    text.resize(std::min(cut, text.size()));
    // Calls may end a turn with a marker of their own.
    for (;;) {
        const std::string_view rest = trimmed(text);
        const std::size_t marker = rest.rfind('<');
        const bool ends = marker != std::string_view::npos &&
                          (isEndMarkerText(rest.substr(marker)) || rest.substr(marker) == m_eos);
        if (!ends)
            return text;
        text.resize(static_cast<std::size_t>(rest.data() - text.data()) + marker);
    }
}

std::optional<std::string> TemplateProbe::answer(const Json &message, const Json &variables,
                                                 const std::string &opening) const
{
    const Json question{{"role", "user"}, {"content", kQuestion}};
    const auto asked = prompt(variables);
    auto whole = render(Json::array({question, message}), false, variables);
    if (!asked || !whole)
        return std::nullopt;
    const std::size_t from = whole->rfind(kQuestion), askedFrom = asked->rfind(kQuestion);
    if (from == std::string::npos || askedFrom == std::string::npos)
        return std::nullopt;
    const std::string_view before = std::string_view(*asked).substr(askedFrom);
    const std::string_view after = std::string_view(*whole).substr(from);
    std::size_t length = commonLength(before, after);
    const std::size_t opened =
        opening.empty() ? std::string_view::npos : after.substr(0, length).rfind(opening);
    if (opened != std::string_view::npos)
        length = opened;
    return withoutEnd(std::string(withoutHeader(after.substr(length), before, opening)), variables);
}

} // namespace fireside
