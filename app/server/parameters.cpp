#include "app/server/parameters.h"

#include "engine/core/quote.h"

#include <cmath>

namespace fireside::server {

namespace {

constexpr int kDeepest = 120;              // levels
constexpr std::size_t kMostMembers = 1000; // of an object, which is searched one by one

/// Throws where an object becomes too large or anything too deep, before it is made.
class BodyLimits
{
public:
    bool operator()(int depth, json::parse_event_t event, const json &)
    {
        using Event = json::parse_event_t;
        const auto level = static_cast<std::size_t>(depth);
        if (depth > kDeepest)
            throw ApiError(400, "the body is nested more than " + std::to_string(kDeepest) +
                                    " levels deep");
        if (m_members.size() < level + 2)
            m_members.resize(level + 2);
        if (event == Event::object_start)
            m_members[level + 1] = 0;
        if (event == Event::key && ++m_members[level] > kMostMembers)
            throw ApiError(400, "an object of the body has more than " +
                                    std::to_string(kMostMembers) + " members");
        return true;
    }

private:
    std::vector<std::size_t> m_members; // of the object at each level
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
    json value = json::parse(body, BodyLimits(), false);
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

void Parameters::finish() const
{
    for (const auto &[name, value] : m_object.items())
        if (m_known.count(name) == 0)
            throw ApiError(400, "unknown parameter: " + fireside::quoted(full(name)),
                           printable(full(name), kLongestQuote), "unknown_parameter");
}

} // namespace fireside::server
