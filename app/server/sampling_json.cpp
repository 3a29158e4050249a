#include "app/server/sampling_json.h"

#include <limits>

namespace fireside::server {

std::vector<std::string> stopsOf(Parameters &parameters, const char *name)
{
    constexpr std::size_t kMostStops = 16;
    const json *value = parameters.find(name);
    if (value == nullptr)
        return {};
    const json list = value->is_string() ? json::array({*value}) : *value;
    if (!list.is_array() || list.size() > kMostStops)
        parameters.refuse(name, "a string or a list of up to " + std::to_string(kMostStops));
    std::vector<std::string> stops;
    for (const json &entry : list) {
        if (!entry.is_string() || entry.get_ref<const std::string &>().empty())
            parameters.refuse(name, "made of strings that are not empty");
        stops.push_back(entry.get<std::string>());
    }
    return stops;
}

GenerateRequest samplingOf(Parameters &p, const ServedModel &served)
{
    GenerateRequest request = toRequest(served.sampling, seedOf(served.sampling));
    SamplerSettings &s = request.sampler;
    const auto set = [&](float &to, const char *name, double low, double high) {
        if (const auto value = p.number(name, low, high))
            to = static_cast<float>(*value);
    };
    set(s.temperature, "temperature", 0, 100);
    set(s.topP, "top_p", 0, 1);
    set(s.minP, "min_p", 0, 1);
    set(s.repeatPenalty, "repetition_penalty", 0.01, 100);
    s.topK = static_cast<int>(p.integer("top_k", 0, 1 << 30).value_or(s.topK));
    if (const auto seed = p.integer("seed", std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()))
        s.seed = static_cast<std::uint64_t>(*seed);
    return request;
}

} // namespace fireside::server
