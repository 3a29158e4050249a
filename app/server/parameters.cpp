#include "app/server/parameters.h"

#include "app/server/tolerance.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fireside::server {

namespace {

constexpr std::size_t kMaxDepth = 120;
constexpr std::size_t kMaxMembers = 1000;       // of an object, which is searched one by one
constexpr std::size_t kMaxAllMembers = 200'000; // of all objects
constexpr std::size_t kMaxContainers = 100'000; // objects and lists
constexpr std::size_t kMaxValues = 2'000'000;   // prompts may be lists of token ids

/// Reads a body without keeping anything of it; throws at the first byte beyond a limit.
class BodyLimits final : public json::json_sax_t
{
public:
    bool null() override { return countValue(); }
    bool boolean(bool) override { return countValue(); }
    bool number_integer(number_integer_t) override { return countValue(); }
    bool number_unsigned(number_unsigned_t) override { return countValue(); }
    bool number_float(number_float_t, const string_t &) override { return countValue(); }
    bool string(string_t &) override { return countValue(); }
    bool binary(binary_t &) override { return countValue(); }
    bool start_object(std::size_t) override { return begin(); }
    bool start_array(std::size_t) override { return begin(); }
    bool end_object() override { return end(); }
    bool end_array() override { return end(); }
    bool key(string_t &) override
    {
        limit(++m_members.back(), kMaxMembers, "members in an object");
        return limit(++m_allMembers, kMaxAllMembers, "members");
    }
    bool parse_error(std::size_t position, const std::string &,
                     const json::exception &error) override
    {
        const bool utf8 = std::string_view(error.what()).find("UTF-8") != std::string_view::npos;
        m_problem = (utf8 ? ": invalid UTF-8 at byte " : ": byte ") +
                    std::to_string(position > 0 ? position - 1 : 0);
        return false;
    }
    const std::string &problem() const { return m_problem; }

private:
    static bool limit(std::size_t count, std::size_t most, const char *what)
    {
        if (count > most)
            throw ApiError(400, "the body has more than " + std::to_string(most) + " " + what);
        return true;
    }
    bool countValue() { return limit(++m_values, kMaxValues, "values"); }
    bool begin()
    {
        m_members.push_back(0);
        limit(m_members.size(), kMaxDepth, "levels");
        return limit(++m_containers, kMaxContainers, "objects and lists");
    }
    bool end()
    {
        m_members.pop_back();
        return true;
    }

    std::vector<std::size_t> m_members; // of the object at each level
    std::string m_problem{};
    std::size_t m_allMembers = 0, m_containers = 0, m_values = 0;
};

/// The value of \uXXXX at this place.
std::optional<unsigned> escapedUnit(std::string_view text, std::size_t at)
{
    unsigned unit = 0;
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u')
        return {};
    const char *const end = text.data() + at + 6;
    if (std::from_chars(text.data() + at + 2, end, unit, 16).ptr != end)
        return {};
    return unit;
}

std::string withoutLoneSurrogates(std::string text)
{
    const auto isHigh = [](unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; };
    const auto isLow = [](unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; };
    for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
        const auto unit = escapedUnit(text, at);
        if (!unit) {
            at += 2;
            continue;
        }
        const auto next = escapedUnit(text, at + 6);
        const bool paired = isHigh(*unit) && next && isLow(*next);
        if (!paired && (isHigh(*unit) || isLow(*unit)))
            text.replace(at + 2, 4, "fffd");
        at += paired ? 12 : 6;
    }
    return text;
}

/// A number that a client has put into a string.
std::optional<double> numberIn(const json &value)
{
    if (value.is_number())
        return value.get<double>();
    if (readsStrictly() || !value.is_string())
        return {};
    const std::string &text = value.get_ref<const std::string &>();
    double number = 0;
    const char *const end = text.data() + text.size();
    if (text.empty() || std::from_chars(text.data(), end, number).ptr != end)
        return {};
    return number;
}

} // namespace

ApiError::ApiError(int httpStatus, const std::string &text, std::string parameter,
                   std::string errorCode)
    : std::runtime_error(text)
    , status(httpStatus)
    , param(std::move(parameter))
    , code(std::move(errorCode))
{}

json errorBody(int status, const std::string &text, const std::string &param,
               const std::string &code)
{
    const char *type = status == 401   ? "authentication_error"
                       : status == 403 ? "permission_error"
                       : status == 429 ? "rate_limit_error"
                       : status >= 500 ? "server_error"
                                       : "invalid_request_error";
    return {{"error",
             {{"message", text},
              {"type", type},
              {"param", param.empty() ? json(nullptr) : json(param)},
              {"code", code.empty() ? json(nullptr) : json(code)}}}};
}

std::string dumped(const json &value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json parsedBody(const std::string &sent)
{
    const std::string body = readsStrictly() ? sent : withoutLoneSurrogates(sent);
    // The library's parser with a callback looks at all entries of a list behind each of them: the
    // time would grow with their square.
    BodyLimits limits;
    const bool valid = json::sax_parse(body, &limits);
    json value = valid ? json::parse(body, nullptr, false) : json(json::value_t::discarded);
    if (value.is_discarded())
        throw ApiError(400, "the body is no valid JSON" + limits.problem());
    if (!value.is_object())
        throw ApiError(400, "the body is no JSON object");
    return value;
}

Parameters::Parameters(const json &object, std::string of)
    : m_object(object)
    , m_of(std::move(of))
{
    if (!object.is_object())
        throw ApiError(400, m_of + " must be an object", m_of);
}

std::string Parameters::full(const std::string &name) const
{
    return m_of.empty() ? name : m_of + "." + name;
}

void Parameters::refuse(const std::string &name, const std::string &expected) const
{
    throw ApiError(400, full(name) + " must be " + expected, full(name));
}

const json *Parameters::find(const std::string &name)
{
    m_known.insert(name);
    const auto it = m_object.find(name);
    return it == m_object.end() || it->is_null() ? nullptr : &*it;
}

const json &Parameters::require(const std::string &name)
{
    const json *value = find(name);
    if (value == nullptr)
        throw ApiError(400, full(name) + " is missing", full(name), "missing_required_parameter");
    return *value;
}

std::optional<double> Parameters::number(const std::string &name, double low, double high)
{
    const json *value = find(name);
    if (value == nullptr)
        return {};
    const double number = numberIn(*value).value_or(NAN);
    if (number >= low && number <= high)
        return number;
    if (std::isnan(number) || readsStrictly())
        refuse(name, "a number from " + json(low).dump() + " to " + json(high).dump());
    noteIgnored(full(name));
    return number < low ? low : high;
}

std::optional<std::int64_t> Parameters::integer(const std::string &name, std::int64_t low,
                                                std::int64_t high)
{
    const json *value = find(name);
    if (value == nullptr)
        return {};
    if (!value->is_number_integer() && !readsStrictly()) {
        constexpr double kExact = 9007199254740992.0; // 2^53
        const double number = numberIn(*value).value_or(NAN);
        if (std::abs(number) <= kExact && number == std::floor(number) &&
            number >= static_cast<double>(low) && number <= static_cast<double>(high))
            return static_cast<std::int64_t>(number);
    }
    const bool fits = value->is_number_integer() &&
                      (!value->is_number_unsigned() ||
                       value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    if (!fits || value->get<std::int64_t>() < low || value->get<std::int64_t>() > high)
        refuse(name, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return value->get<std::int64_t>();
}

std::optional<bool> Parameters::boolean(const std::string &name)
{
    const json *value = find(name);
    if (value == nullptr)
        return {};
    if (!value->is_boolean() && !readsStrictly()) {
        if (*value == "true" || *value == 1)
            return true;
        if (*value == "false" || *value == 0)
            return false;
    }
    if (!value->is_boolean())
        refuse(name, "true or false");
    return value->get<bool>();
}

std::optional<std::string> Parameters::text(const std::string &name)
{
    const json *value = find(name);
    if (value == nullptr)
        return {};
    if (value->is_number() && !readsStrictly())
        return value->dump();
    if (!value->is_string())
        refuse(name, "a string");
    return value->get<std::string>();
}

void Parameters::onlyAs(const std::string &name, const std::vector<json> &values)
{
    const json *const value = find(name);
    const bool changes =
        value != nullptr && std::find(values.begin(), values.end(), *value) == values.end();
    if (changes && !readsStrictly())
        noteIgnored(full(name));
    else
        requireAs(name, values);
}

void Parameters::requireAs(const std::string &name, const std::vector<json> &values)
{
    const json *value = find(name);
    if (value == nullptr || std::find(values.begin(), values.end(), *value) != values.end())
        return;
    throw ApiError(400, full(name) + " is not supported by this server", full(name),
                   "unsupported_parameter");
}

void Parameters::limitCount(const std::string &name, std::size_t count, std::size_t most) const
{
    if (count > most)
        throw ApiError(400,
                       full(name) + " has " + std::to_string(count) + " entries; " +
                           std::to_string(most) + " are the most",
                       full(name));
}

void Parameters::finish() const
{
    for (const auto &[name, value] : m_object.items())
        if (m_known.count(name) != 0)
            continue;
        else if (!readsStrictly() && !value.is_null())
            noteIgnored(full(name));
        else if (readsStrictly())
            throw ApiError(400, "unknown parameter: " + fireside::quoted(full(name)),
                           printable(full(name), kLongestQuote), "unknown_parameter");
}

} // namespace fireside::server
