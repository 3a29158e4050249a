#include "engine/model/json_keys.h"

#include "engine/core/error.h"

namespace fireside {
namespace {

using nlohmann::json;

/// A value for an error text, cut short.
std::string shown(const json &value)
{
    constexpr std::size_t kLongest = 60;
    if (value.is_array())
        return "a list of " + std::to_string(value.size());
    if (value.is_object())
        return "an object";
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kLongest)
        text = text.substr(0, kLongest) + "…";
    return text;
}

std::string number(double value)
{
    return json(value).dump();
}

} // namespace

std::string JsonKeys::where(const char *key) const
{
    return m_file.string() + ": '" + m_path + key + '\'';
}

void JsonKeys::fail(const char *key, const std::string &expected) const
{
    throwBadInput(where(key) + " is " + shown(*find(key)) + ", expected " + expected);
}

void JsonKeys::missing(const char *key) const
{
    throwBadInput(m_file.string() + ": lacks the key '" + m_path + key + '\'');
}

const json *JsonKeys::find(const char *key) const
{
    m_read->insert(m_path + key);
    const auto it = m_object.find(key);
    return it == m_object.end() || it->is_null() ? nullptr : &*it;
}

std::int64_t JsonKeys::optional(const char *key, std::int64_t fallback, std::int64_t low,
                                std::int64_t high) const
{
    const json *value = find(key);
    if (!value)
        return fallback;
    const std::string expected =
        "an integer from " + std::to_string(low) + " to " + std::to_string(high);
    if (value->is_number_unsigned()) {
        const auto n = value->get<std::uint64_t>();
        if (n > static_cast<std::uint64_t>(high) || static_cast<std::int64_t>(n) < low)
            fail(key, expected);
        return static_cast<std::int64_t>(n);
    }
    if (!value->is_number_integer() || value->get<std::int64_t>() < low ||
        value->get<std::int64_t>() > high)
        fail(key, expected);
    return value->get<std::int64_t>();
}

std::int64_t JsonKeys::require(const char *key, std::int64_t low, std::int64_t high) const
{
    if (!has(key))
        missing(key);
    return optional(key, low, low, high);
}

double JsonKeys::real(const char *key, double fallback, double low, double high) const
{
    const json *value = find(key);
    if (!value)
        return fallback;
    if (!value->is_number() || !(value->get<double>() >= low && value->get<double>() <= high))
        fail(key, "a number from " + number(low) + " to " + number(high));
    return value->get<double>();
}

double JsonKeys::requireReal(const char *key, double low, double high) const
{
    if (!has(key))
        missing(key);
    return real(key, low, low, high);
}

bool JsonKeys::flag(const char *key, bool fallback) const
{
    const json *value = find(key);
    if (!value)
        return fallback;
    if (!value->is_boolean())
        fail(key, "true or false");
    return value->get<bool>();
}

std::string JsonKeys::text(const char *key, const char *fallback) const
{
    const json *value = find(key);
    if (!value)
        return fallback;
    if (!value->is_string())
        fail(key, "a text");
    return value->get<std::string>();
}

std::vector<double> JsonKeys::reals(const char *key, std::size_t size, double low,
                                    double high) const
{
    const json *value = find(key);
    if (!value)
        missing(key);
    if (!value->is_array() || value->size() != size)
        fail(key, "a list of " + std::to_string(size) + " numbers");
    std::vector<double> numbers;
    for (const json &entry : *value) {
        if (!entry.is_number() || !(entry.get<double>() >= low && entry.get<double>() <= high))
            throwBadInput(where(key) + " holds " + shown(entry) + ", expected numbers from " +
                          number(low) + " to " + number(high));
        numbers.push_back(entry.get<double>());
    }
    return numbers;
}

JsonKeys JsonKeys::inside(const char *key) const
{
    const json *value = find(key);
    if (!value)
        missing(key);
    if (!value->is_object())
        fail(key, "an object");
    JsonKeys part(m_file, *value, m_path + key + '.');
    part.m_read = m_read;
    return part;
}

} // namespace fireside
