#include "engine/text/reply/call_values.h"

#include "engine/text/unicode.h"

#include <algorithm>

namespace fireside {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kSpace = " \n\t\r";
constexpr std::string_view kGemmaQuote = "<|\"|>";

/// Bytes of the JSON object or list at the front; 0 when it does not end or is nested too deeply.
std::size_t jsonLength(std::string_view text)
{
    int depth = 0;
    bool inText = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inText) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inText = false;
        } else if (c == '"') {
            inText = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kDeepestValue)
                return 0;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

bool isDeep(std::string_view text)
{
    int depth = 0;
    bool inText = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inText && c == '\\')
            ++i;
        else if (c == '"')
            inText = !inText;
        else if (!inText && (c == '{' || c == '['))
            ++depth;
        else if (!inText && (c == '}' || c == ']'))
            --depth;
        if (depth > kDeepestValue)
            return true;
    }
    return false;
}

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

std::string_view takeWord(std::string_view &text)
{
    const auto end = std::find_if_not(text.begin(), text.end(), isNameCharacter);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

/// true, False, none, 1e3; nullopt for anything else.
std::optional<Json> constant(std::string_view word)
{
    if (word == "true" || word == "True")
        return Json(true);
    if (word == "false" || word == "False")
        return Json(false);
    if (word == "null" || word == "None")
        return Json(nullptr);
    if (word.empty() || (word.front() != '-' && (word.front() < '0' || word.front() > '9')))
        return std::nullopt;
    const Json number = Json::parse(word, nullptr, false);
    return number.is_number() ? std::optional(number) : std::nullopt;
}

std::optional<std::string> takePythonText(std::string_view &text)
{
    const char quote = text.front();
    std::string result;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == quote) {
            text.remove_prefix(i + 1);
            return isValidUtf8(result) ? std::optional(result) : std::nullopt;
        }
        if (text[i] != '\\' || i + 1 == text.size()) {
            result += text[i];
            continue;
        }
        const char escaped = text[++i];
        const std::size_t known = std::string_view("ntr0").find(escaped);
        if (known != std::string_view::npos)
            result += std::string_view("\n\t\r\0", 4)[known];
        else if (escaped == '\\' || escaped == '\'' || escaped == '"')
            result += escaped;
        else
            (result += '\\') += escaped;
    }
    return std::nullopt;
}

/// The members of a list or object up to `close`; member() takes one off the front.
template <typename Member>
bool takeMembers(std::string_view &text, char close, const Member &member)
{
    text.remove_prefix(1);
    skipSpace(text);
    while (!text.empty() && text.front() != close) {
        if (!member())
            return false;
        skipSpace(text);
        if (!text.empty() && text.front() == ',')
            text.remove_prefix(1);
        else if (text.empty() || text.front() != close)
            return false;
        skipSpace(text);
    }
    if (text.empty())
        return false;
    text.remove_prefix(1);
    return true;
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

bool take(std::string_view &text, std::string_view start)
{
    if (!text.starts_with(start))
        return false;
    text.remove_prefix(start.size());
    return true;
}

void skipSpace(std::string_view &text)
{
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
}

std::optional<std::string_view> takeUntil(std::string_view &text, std::string_view end)
{
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::string_view before = text.substr(0, at);
    text.remove_prefix(at + end.size());
    return before;
}

std::optional<Json> takeJson(std::string_view &text)
{
    if (text.empty() || (text.front() != '{' && text.front() != '['))
        return std::nullopt;
    const std::size_t length = jsonLength(text);
    Json value = Json::parse(text.substr(0, length), nullptr, false);
    if (length == 0 || value.is_discarded())
        return std::nullopt;
    text.remove_prefix(length);
    return value;
}

std::optional<Json> parseJson(std::string_view text)
{
    if (isDeep(text))
        return std::nullopt;
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

Json taggedValue(std::string_view text)
{
    const std::string_view inner = trimmed(text);
    if (const auto value = constant(inner))
        return *value;
    if (inner.starts_with('{') || inner.starts_with('['))
        if (auto value = parseJson(inner))
            return *value;
    return std::string(text);
}

std::optional<Json> takePython(std::string_view &text, int depth)
{
    if (text.empty() || depth > kDeepestValue)
        return std::nullopt;
    const char first = text.front();
    if (first == '"' || first == '\'') {
        const auto string = takePythonText(text);
        return string ? std::optional<Json>(*string) : std::nullopt;
    }
    const auto value = [&](Json &into) {
        skipSpace(text);
        auto one = takePython(text, depth + 1);
        if (one)
            into = std::move(*one);
        return one.has_value();
    };
    if (first == '[' || first == '(') {
        Json list = Json::array();
        const auto item = [&] { return value(list.emplace_back()); };
        return takeMembers(text, first == '[' ? ']' : ')', item) ? std::optional(list)
                                                                 : std::nullopt;
    }
    if (first == '{') {
        Json object = Json::object();
        const auto member = [&] {
            Json key;
            if (!value(key) || !key.is_string())
                return false;
            skipSpace(text);
            return take(text, ":") && value(object[key.get<std::string>()]);
        };
        return takeMembers(text, '}', member) ? std::optional(object) : std::nullopt;
    }
    const std::size_t end = std::min(text.find_first_of(",)]} \n\t\r"), text.size());
    const auto word = constant(text.substr(0, end));
    if (word)
        text.remove_prefix(end);
    return word;
}

std::optional<Json> takeGemma(std::string_view &text, int depth)
{
    if (text.empty() || depth > kDeepestValue)
        return std::nullopt;
    if (take(text, kGemmaQuote)) {
        const auto string = takeUntil(text, kGemmaQuote);
        return string && isValidUtf8(*string) ? std::optional<Json>(std::string(*string))
                                              : std::nullopt;
    }
    const auto value = [&](Json &into) {
        auto one = takeGemma(text, depth + 1);
        if (one)
            into = std::move(*one);
        return one.has_value();
    };
    if (text.front() == '[') {
        Json list = Json::array();
        const auto item = [&] { return value(list.emplace_back()); };
        return takeMembers(text, ']', item) ? std::optional(list) : std::nullopt;
    }
    if (text.front() == '{') {
        Json object = Json::object();
        const auto member = [&] {
            std::string key;
            if (take(text, kGemmaQuote)) {
                const auto quoted = takeUntil(text, kGemmaQuote);
                if (!quoted)
                    return false;
                key = *quoted;
            } else {
                key = takeWord(text);
            }
            return !key.empty() && isValidUtf8(key) && take(text, ":") && value(object[key]);
        };
        return takeMembers(text, '}', member) ? std::optional(object) : std::nullopt;
    }
    return constant(takeWord(text));
}

bool isToolName(std::string_view text)
{
    return !text.empty() && text.size() <= 256 && isValidUtf8(text) &&
           text.find_first_of(" \n\t\r\"'{}[]()<>") == std::string_view::npos;
}

} // namespace fireside
