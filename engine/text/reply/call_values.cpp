#include "engine/text/reply/call_values.h"

#include "engine/text/unicode.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace fireside {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kSpace = " \n\t\r";

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
    const bool rounded = // more digits than a number can hold
        number.is_number_float() && word.find_first_of(".eE") == std::string_view::npos;
    return number.is_number() && !rounded ? std::optional(number) : std::nullopt;
}

std::optional<std::uint32_t> hexNumber(std::string_view digits, std::size_t count)
{
    std::uint32_t number = 0;
    if (digits.size() < count)
        return std::nullopt;
    const char *const end = digits.data() + count;
    const auto [stop, error] = std::from_chars(digits.data(), end, number, 16);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The character of \xAB or \uABCD, at whose letter the text begins, is added; false for others.
bool addNumbered(std::string_view &text, std::string &result)
{
    const std::size_t digits = text.front() == 'x' ? 2 : text.front() == 'u' ? 4 : 0;
    auto code = digits == 0 ? std::nullopt : hexNumber(text.substr(1), digits);
    if (!code)
        return false;
    text.remove_prefix(digits); // its letter goes with the last digit
    const bool high = *code >= 0xD800 && *code < 0xDC00;
    if (high && text.substr(1).starts_with("\\u"))
        if (const auto low = hexNumber(text.substr(3), 4); low && *low >= 0xDC00 && *low < 0xE000) {
            code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
            text.remove_prefix(6);
        }
    const bool alone = *code >= 0xD800 && *code < 0xE000;
    appendUtf8(result, static_cast<char32_t>(alone ? 0xFFFD : *code));
    return true;
}

std::optional<std::string> takePythonText(std::string_view &text)
{
    const char quote = text.front();
    std::string result;
    std::string_view rest = text.substr(1);
    for (; !rest.empty(); rest.remove_prefix(1)) {
        if (rest.front() == quote) {
            text = rest.substr(1);
            return isValidUtf8(result) ? std::optional(result) : std::nullopt;
        }
        if (rest.front() != '\\' || rest.size() == 1) {
            result += rest.front();
            continue;
        }
        rest.remove_prefix(1);
        const char escaped = rest.front();
        const std::size_t known = std::string_view("ntrbf0").find(escaped);
        if (known != std::string_view::npos)
            result += std::string_view("\n\t\r\b\f\0", 6)[known];
        else if (std::string_view("\\'\"/").find(escaped) != std::string_view::npos)
            result += escaped;
        else if (!addNumbered(rest, result))
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

bool agree(std::string_view a, std::string_view b)
{
    const std::size_t length = std::min(a.size(), b.size());
    return a.substr(0, length) == b.substr(0, length);
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

std::optional<Json> readValue(std::string_view text)
{
    if (auto value = constant(text))
        return value;
    if (text.empty() || (text.front() != '{' && text.front() != '[' && text.front() != '"'))
        return std::nullopt;
    if (auto value = parseJson(text))
        return value;
    auto value = takePython(text);
    return trimmed(text).empty() ? value : std::nullopt;
}

std::optional<Json> takeStructure(std::string_view &text)
{
    if (auto value = takeJson(text))
        return value;
    if (text.empty() || (text.front() != '{' && text.front() != '['))
        return std::nullopt;
    std::string_view rest = text;
    auto value = takePython(rest);
    if (value)
        text = rest;
    return value;
}

std::optional<Json> readStructure(std::string_view text)
{
    text = trimmed(text);
    if (std::string_view rest = text; auto value = takeStructure(rest)) {
        const bool ends = rest.find_first_not_of(" \n\t\r}]") == std::string_view::npos;
        return ends ? value : std::nullopt;
    }
    std::string open; // brackets that nothing closes
    for (std::size_t i = 0, quote = std::string_view::npos; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != std::string_view::npos && c == '\\')
            ++i;
        else if (c == '"')
            quote = quote == std::string_view::npos ? i : std::string_view::npos;
        else if (quote == std::string_view::npos && (c == '{' || c == '['))
            open += c == '{' ? '}' : ']';
        else if (quote == std::string_view::npos && !open.empty() && c == open.back())
            open.pop_back();
    }
    if (open.empty() || open.size() > kDeepestValue)
        return std::nullopt;
    std::reverse(open.begin(), open.end());
    return readValue(std::string(text) + open);
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

namespace {

/// What stands in quotes at the front: Gemma's, or usual ones.
std::optional<std::string> takeGemmaQuoted(std::string_view &text)
{
    if (!take(text, kGemmaQuote))
        return takePythonText(text);
    const auto inner = takeUntil(text, kGemmaQuote);
    return inner && isValidUtf8(*inner) ? std::optional<std::string>(*inner) : std::nullopt;
}

bool beginsQuoted(std::string_view text)
{
    return text.starts_with(kGemmaQuote) || text.starts_with('"') || text.starts_with('\'');
}

/// Words without quotes, up to what ends the value: in an object a comma does if a key follows.
std::string_view takeBareWords(std::string_view &text, char close)
{
    const auto beginsMember = [](std::string_view rest) {
        skipSpace(rest);
        if (beginsQuoted(rest))
            return true;
        takeWord(rest);
        skipSpace(rest);
        return rest.starts_with(':');
    };
    std::size_t end = 0;
    while (end < text.size() && text[end] != close &&
           (text[end] != ',' || (close == '}' && !beginsMember(text.substr(end + 1)))))
        ++end;
    const std::string_view words = trimmed(text.substr(0, end));
    text.remove_prefix(end);
    return words;
}

std::optional<Json> takeGemmaValue(std::string_view &text, const SchemaView &schema, char close,
                                   int depth)
{
    skipSpace(text);
    if (text.empty() || depth > kDeepestValue)
        return std::nullopt;
    if (beginsQuoted(text)) {
        const auto string = takeGemmaQuoted(text);
        if (!string)
            return std::nullopt;
        Json value = *string;
        fitToSchema(value, schema);
        return value;
    }
    if (text.front() == '[') {
        Json list = Json::array();
        const auto item = [&] {
            auto one = takeGemmaValue(text, schema.items(), ']', depth + 1);
            if (one)
                list.push_back(std::move(*one));
            return one.has_value();
        };
        return takeMembers(text, ']', item) ? std::optional(list) : std::nullopt;
    }
    if (text.front() == '{') {
        Json object = Json::object();
        const auto member = [&] {
            const auto key =
                beginsQuoted(text) ? takeGemmaQuoted(text) : std::string(takeWord(text));
            skipSpace(text);
            if (!key || key->empty() || !take(text, ":"))
                return false;
            auto one = takeGemmaValue(text, schema.member(*key), '}', depth + 1);
            if (one)
                object[*key] = std::move(*one);
            return one.has_value();
        };
        return takeMembers(text, '}', member) ? std::optional(object) : std::nullopt;
    }
    const std::string_view words = takeBareWords(text, close);
    return words.empty() || !isValidUtf8(words) ? std::nullopt
                                                : std::optional(typedText(words, schema));
}

} // namespace

std::optional<Json> takeGemma(std::string_view &text, const SchemaView &schema)
{
    return takeGemmaValue(text, schema, '}', 0);
}

bool isToolName(std::string_view text)
{
    return !text.empty() && text.size() <= 256 && isValidUtf8(text) &&
           text.find_first_of(" \n\t\r\"'{}[]()<>") == std::string_view::npos;
}

} // namespace fireside
