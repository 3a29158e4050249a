#include "app/server/sampling_json.h"

#include "app/server/tolerance.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace fireside::server {

std::vector<std::string> stopsOf(Parameters &parameters, const char *name)
{
    constexpr std::size_t kMostStops = 16;
    const json *value = parameters.find(name);
    if (value == nullptr)
        return {};
    json list = value->is_string() ? json::array({*value}) : *value;
    if (list.is_array() && !readsStrictly()) {
        const auto removed = std::remove_if(
            list.begin(), list.end(), [](const json &one) { return one == "" || one.is_null(); });
        list.erase(removed, list.end());
        if (list.size() > kMostStops) {
            noteIgnored(parameters.full(name));
            list.erase(list.begin() + kMostStops, list.end());
        }
    }
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

namespace {

/// {"15043": -100}, or llama.cpp's list of pairs of a token, or a text made of tokens, and a number
/// or false: never.
void readBias(Parameters &p, const ServedModel &served, SamplerSettings &s)
{
    constexpr std::size_t kMost = 1024;
    constexpr double kLargest = 100; // decides any draw
    const char *const name = "logit_bias";
    const json *const value = p.find(name);
    if (value == nullptr)
        return;
    if (!value->is_structured() || value->size() > kMost)
        p.refuse(name, "an object of up to " + std::to_string(kMost) + " tokens' numbers");
    s.logitBias.clear();
    const Tokenizer &tokenizer = served.model.tokenizer();
    const auto add = [&](std::int64_t id, const json &bias) {
        const bool never = bias.is_boolean() && !bias.get<bool>();
        if (id < 0 || static_cast<std::uint64_t>(id) >= tokenizer.size())
            p.refuse(name, "of tokens from 0 to " + std::to_string(tokenizer.size() - 1) +
                               ", not " + std::to_string(id));
        if (!never && !bias.is_number())
            p.refuse(name, "made of numbers");
        const double number = never ? -kLargest : bias.get<double>();
        if (!(number >= -kLargest && number <= kLargest))
            p.refuse(name, "made of numbers from -100 to 100");
        s.logitBias.emplace_back(static_cast<TokenId>(id), static_cast<float>(number));
    };
    for (const auto &[key, bias] : value->items()) {
        if (value->is_object()) {
            std::int64_t id = -1;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
            if (error != std::errc{} || end != key.data() + key.size())
                p.refuse(name, "an object of tokens' numbers");
            add(id, bias);
            continue;
        }
        if (!bias.is_array() || bias.size() != 2 ||
            !(bias[0].is_number_integer() || bias[0].is_string()))
            p.refuse(name, "a list of pairs of a token and a number");
        if (bias[0].is_number_integer())
            add(bias[0].get<std::int64_t>(), bias[1]);
        else
            for (const TokenId id :
                 tokenizer.encode(MarkedText::fromUser(bias[0].get<std::string>()), false))
                add(id, bias[1]);
    }
}

void readRepetition(Parameters &p, SamplerSettings &s)
{
    const auto set = [&](float &to, const char *name, double low, double high) {
        if (const auto value = p.number(name, low, high))
            to = static_cast<float>(*value);
    };
    const auto window = [&](int &to, const char *name) { // -1: all
        if (const auto value = p.integer(name, -1, 1 << 30))
            to = *value < 0 ? 1 << 30 : static_cast<int>(*value);
    };
    for (const char *name : {"repetition_penalty", "repeat_penalty"}) {
        const json *const value = p.find(name);
        if (!readsStrictly() && value != nullptr && *value == 0)
            s.repeatPenalty = 1; // 0: off
        else
            set(s.repeatPenalty, name, 0.01, 100);
    }
    set(s.frequencyPenalty, "frequency_penalty", -2, 2);
    set(s.presencePenalty, "presence_penalty", -2, 2);
    window(s.repeatWindow, "repeat_last_n");
    set(s.dryMultiplier, "dry_multiplier", 0, 100);
    set(s.dryBase, "dry_base", 1, 100);
    s.dryAllowedLength =
        static_cast<int>(p.integer("dry_allowed_length", 1, 1 << 30).value_or(s.dryAllowedLength));
    window(s.dryWindow, "dry_penalty_last_n");
    if (p.find("dry_sequence_breakers") != nullptr)
        s.dryBreakers = stopsOf(p, "dry_sequence_breakers");
}

} // namespace

GenerateRequest samplingOf(Parameters &p, const ServedModel &served)
{
    GenerateRequest request = toRequest(served.sampling, seedOf(served.sampling));
    SamplerSettings &s = request.sampler;
    s.logitBias = biasOf(served.sampling, served.model.tokenizer());
    const auto set = [&](float &to, const char *name, double low, double high) {
        if (const auto value = p.number(name, low, high))
            to = static_cast<float>(*value);
    };
    set(s.temperature, "temperature", 0, 100);
    set(s.topP, "top_p", 0, 1);
    set(s.minP, "min_p", 0, 1);
    const std::int64_t leastTopK = readsStrictly() ? 0 : -1; // -1: off, as 0
    s.topK = static_cast<int>(
        std::max<std::int64_t>(p.integer("top_k", leastTopK, 1 << 30).value_or(s.topK), 0));
    set(s.typicalP, "typical_p", 0, 1);
    set(s.topNSigma, "top_n_sigma", -1, 1000);
    s.topNSigma = std::max(s.topNSigma, 0.0f); // llama.cpp's -1 is off
    set(s.xtcProbability, "xtc_probability", 0, 1);
    set(s.xtcThreshold, "xtc_threshold", 0, 1);
    set(s.temperatureRange, "dynatemp_range", 0, 100);
    set(s.temperatureExponent, "dynatemp_exponent", 0.01, 100);
    s.mirostat = static_cast<int>(p.integer("mirostat", 0, 2).value_or(s.mirostat));
    set(s.mirostatTarget, "mirostat_tau", 0, 100);
    set(s.mirostatRate, "mirostat_eta", 0, 10);
    readRepetition(p, s);
    readBias(p, served, s);
    const json *const given = p.find("seed");
    if (!readsStrictly() && given != nullptr && given->is_number_unsigned())
        s.seed = given->get<std::uint64_t>(); // also above 2^63
    else if (const auto seed = p.integer("seed", std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::int64_t>::max()))
        if (*seed != -1 || readsStrictly()) // -1: a new one
            s.seed = static_cast<std::uint64_t>(*seed);
    return request;
}

void readMaxTokens(Parameters &p, GenerateRequest &request,
                   std::initializer_list<const char *> names)
{
    bool known = false;
    for (const char *name : names) {
        const json *const value = p.find(name);
        if (value == nullptr || known)
            continue;
        known = true;
        if (!readsStrictly() && value->is_number()) { // also -1 and 2^53
            const double asked = value->get<double>();
            const double most = asked < 0
                                    ? static_cast<double>(kMostTokens)
                                    : std::clamp(asked, 1.0, static_cast<double>(kMostTokens));
            request.maxTokens = static_cast<int>(most);
            if (asked == 0)
                noteIgnored(p.full(name));
            continue;
        }
        request.maxTokens = static_cast<int>(p.integer(name, 1, kMostTokens).value());
    }
}

} // namespace fireside::server
