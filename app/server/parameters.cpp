#include "app/server/parameters.h"

#include "engine/core/quote.h"

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
    bool parse_error(std::size_t, const std::string &, const json::exception &) override
    {
        return false;
    }

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
    std::size_t m_allMembers = 0, m_containers = 0, m_values = 0;
};

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

json parsedBody(const std::string &body)
{
    // The library's parser with a callback looks at all entries of a list behind each of them: the
    // time would grow with their square.
    BodyLimits limits;
    const bool valid = json::sax_parse(body, &limits);
    json value = valid ? json::parse(body, nullptr, false) : json(json::value_t::discarded);
    if (value.is_discarded())
        throw ApiError(400, "the body is no valid JSON");
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
    const double number = value->is_number() ? value->get<double>() : NAN;
    if (!(number >= low && number <= high))
        refuse(name, "a number from " + json(low).dump() + " to " + json(high).dump());
    return number;
}

std::optional<std::int64_t> Parameters::integer(const std::string &name, std::int64_t low,
                                                std::int64_t high)
{
    const json *value = find(name);
    if (value == nullptr)
        return {};
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
    if (!value->is_boolean())
        refuse(name, "true or false");
    return value->get<bool>();
}

std::optional<std::string> Parameters::text(const std::string &name)
{
    const json *value = find(name);
    if (value == nullptr)
        return {};
    if (!value->is_string())
        refuse(name, "a string");
    return value->get<std::string>();
}

void Parameters::onlyAs(const std::string &name, const std::vector<json> &values)
{
    const json *value = find(name);
    if (value == nullptr)
        return;
    for (const json &allowed : values)
        if (*value == allowed)
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
        if (m_known.count(name) == 0)
            throw ApiError(400, "unknown parameter: " + fireside::quoted(full(name)),
                           printable(full(name), kLongestQuote), "unknown_parameter");
}

} // namespace fireside::server
