#include "engine/model/gguf_keys.h"

#include "engine/core/error.h"
#include "engine/model/config.h"

namespace fireside {

std::int64_t GgufKeys::require(const char *key, std::int64_t low, std::int64_t high) const
{
    return checked(key, m_gguf.requireUnsigned(read(key)), low, high);
}

std::int64_t GgufKeys::optional(const char *key, std::int64_t fallback, std::int64_t low,
                                std::int64_t high) const
{
    const auto value = m_gguf.findUnsigned(read(key));
    return value ? checked(key, *value, low, high) : fallback;
}

double GgufKeys::real(const char *key, double fallback, double low, double high) const
{
    const auto value = m_gguf.findFloat(read(key));
    if (!value)
        return fallback;
    if (!(*value >= low && *value <= high))
        throwBadInput(where(key) + " is " + std::to_string(*value) + ", which is out of range");
    return *value;
}

bool GgufKeys::flag(const char *key, bool fallback) const
{
    return m_gguf.findBool(read(key)).value_or(fallback);
}

std::string GgufKeys::text(const char *key) const
{
    return std::string(m_gguf.findString(read(key)).value_or(""));
}

bool GgufKeys::isArray(const char *key) const
{
    const GgufValue *value = m_gguf.find(read(key));
    return value && std::holds_alternative<GgufArray>(*value);
}

std::vector<std::int64_t> GgufKeys::perLayer(const char *key, std::int64_t count, std::int64_t low,
                                             std::int64_t high) const
{
    const auto layers = static_cast<std::size_t>(count);
    if (!has(key))
        return {};
    if (!isArray(key))
        return std::vector<std::int64_t>(layers, require(key, low, high));
    const GgufArray &list = *m_gguf.findArray(read(key));
    if (list.unsignedValues.empty() && list.signedValues.empty())
        throwBadInput(where(key) + " is no list of integers");
    if (list.size() < layers) // heads for drafting, which are not run, may follow
        throwBadInput(where(key) + " has " + std::to_string(list.size()) + " numbers for " +
                      std::to_string(layers) + " layers");
    std::vector<std::int64_t> values(layers);
    for (std::size_t i = 0; i < layers; ++i) {
        if (list.unsignedValues.empty() && list.signedValues[i] < 0)
            throwBadInput(where(key) + " holds " + std::to_string(list.signedValues[i]));
        values[i] =
            checked(key,
                    list.unsignedValues.empty() ? static_cast<std::uint64_t>(list.signedValues[i])
                                                : list.unsignedValues[i],
                    low, high);
    }
    return values;
}

std::vector<float> GgufKeys::realsOfLayers(const char *key, std::int64_t count, double low,
                                           double high) const
{
    const std::string place = m_gguf.path().string() + ": '" + key + '\'';
    const GgufValue *value = m_gguf.find(key);
    const auto *list = value ? std::get_if<GgufArray>(value) : nullptr;
    const auto *one = value ? std::get_if<double>(value) : nullptr;
    const auto layers = static_cast<std::size_t>(count);
    if (!one && (!list || list->floatValues.size() < layers))
        throwBadInput(place + " is no list of " + std::to_string(count) + " numbers");
    std::vector<float> numbers;
    for (std::size_t i = 0; i < layers; ++i) {
        const double number = one ? *one : list->floatValues[i];
        if (!(number >= low && number <= high))
            throwBadInput(place + " holds " + std::to_string(number) + ", which is out of range");
        numbers.push_back(static_cast<float>(number));
    }
    return numbers;
}

std::string GgufKeys::read(const char *key) const
{
    return *m_read.insert(m_prefix + key).first;
}

std::vector<double> GgufKeys::reals(const char *key, std::size_t count) const
{
    if (!has(key))
        return {};
    const GgufArray *list = isArray(key) ? m_gguf.findArray(read(key)) : nullptr;
    if (list == nullptr || list->floatValues.size() < count)
        throwBadInput(where(key) + " is no list of " + std::to_string(count) + " numbers");
    return {list->floatValues.begin(),
            list->floatValues.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string GgufKeys::where(const char *key) const
{
    return m_gguf.path().string() + ": '" + m_prefix + key + '\'';
}

std::int64_t GgufKeys::checked(const char *key, std::uint64_t value, std::int64_t low,
                               std::int64_t high) const
{
    if (value < static_cast<std::uint64_t>(low) || value > static_cast<std::uint64_t>(high))
        throwBadInput(where(key) + " is " + std::to_string(value) + ", expected " +
                      std::to_string(low) + " to " + std::to_string(high));
    return static_cast<std::int64_t>(value);
}

void readRopeSwitch(const GgufKeys &keys, Config &config)
{
    if (!keys.flag("rope.scaling.finetuned", true))
        for (LayerConfig &l : config.each)
            l.rope = RopeUse::None;
}

void requireGating(const GgufKeys &keys, const Config &config, Routing::Score only)
{
    if (config.experts.score != only)
        throwUnsupported(keys.where("expert_gating_func") + ": not supported by this architecture");
}

} // namespace fireside
