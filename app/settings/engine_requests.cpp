#include "app/settings/engine_requests.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/quantize/recipe.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <random>

namespace fireside {
namespace {

bool sameWord(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

std::uint64_t bytes(double gigabytes)
{
    return static_cast<std::uint64_t>(gigabytes * 1e9);
}

DeviceWish toDeviceWish(const std::string &text)
{
    const std::optional<DeviceChoice> choice = parseDeviceChoice(text);
    if (!choice)
        throwBadInput(fireside::quoted(text) + " is no choice of a device like vulkan:0=8-0.5");
    DeviceWish wish{.id = choice->id};
    if (choice->limit)
        wish.limit = bytes(*choice->limit);
    wish.reserve = bytes(choice->reserve);
    return wish;
}

} // namespace

DType parseCacheType(std::string_view word)
{
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0}) {
        if (sameWord(word, name(type)))
            return type;
    }
    throwBadInput("unsupported cache type " + quoted(word) + " (f32, f16 or q8_0)");
}

const Recipe *parseQuantize(std::string_view word)
{
    return sameWord(word, "keep") ? nullptr : findRecipe(word);
}

LoadOptions toLoadOptions(const LoadSettings &settings)
{
    LoadOptions options;
    options.backend = parseBackendKind(settings.backend);
    options.context = settings.context;
    options.kvType = parseCacheType(settings.kvType);
    options.threads = settings.threads;
    options.quantize = parseQuantize(settings.quantize);
    const PlacementSettings &placement = settings.placement;
    for (const std::string &device : placement.devices)
        options.devices.push_back(toDeviceWish(device));
    options.fastest = placement.fastest;
    options.cardLayers = placement.cardLayers;
    options.expertLayers = placement.expertLayers;
    options.smallerCache = placement.smallerCache;
    options.leastContext = placement.leastContext;
    options.strict = placement.strict;
    return options;
}

std::uint64_t seedOf(const SamplingSettings &settings)
{
    if (settings.seed >= 0)
        return static_cast<std::uint64_t>(settings.seed);
    std::random_device device;
    const std::uint64_t bits = (std::uint64_t{device()} << 32) | device();
    return bits >> 11;
}

ThinkingChoice toThinking(const SamplingSettings &settings)
{
    ThinkingChoice choice;
    if (settings.thinking != "auto")
        choice.thinking = settings.thinking == "on" ? Thinking::On : Thinking::Off;
    if (settings.reasoningEffort != "auto")
        choice.effort = settings.reasoningEffort;
    choice.budget = settings.thinkingBudget;
    return choice;
}

std::vector<std::pair<TokenId, float>> biasOf(const SamplingSettings &settings,
                                              const Tokenizer &tokenizer)
{
    std::vector<std::pair<TokenId, float>> biases;
    for (const std::string &text : settings.logitBias) {
        const std::optional<WordBias> word = parseWordBias(text);
        if (!word)
            throwBadInput(fireside::quoted(text) + " is no bias like word=-5 or #1234=2");
        const auto add = [&](TokenId id) {
            if (static_cast<std::size_t>(id) >= tokenizer.size())
                throwBadInput("the bias " + fireside::quoted(text) +
                              " is of no token: the model has " + std::to_string(tokenizer.size()));
            const bool known = std::any_of(biases.begin(), biases.end(),
                                           [&](const auto &one) { return one.first == id; });
            if (!known)
                biases.emplace_back(id, static_cast<float>(word->bias));
        };
        if (word->token)
            add(*word->token);
        else // as words begin in a text, and as they stand alone
            for (const std::string &form : {" " + word->text, word->text})
                for (const TokenId id : tokenizer.encode(MarkedText::fromUser(form), false))
                    add(id);
    }
    return biases;
}

GenerateRequest toRequest(const SamplingSettings &settings, std::uint64_t seed)
{
    GenerateRequest request;
    request.sampler.temperature = static_cast<float>(settings.temperature);
    request.sampler.topK = settings.topK;
    request.sampler.topP = static_cast<float>(settings.topP);
    request.sampler.minP = static_cast<float>(settings.minP);
    request.sampler.repeatPenalty = static_cast<float>(settings.repeatPenalty);
    request.sampler.repeatWindow = settings.repeatWindow;
    request.sampler.seed = seed;
    request.sampler.frequencyPenalty = static_cast<float>(settings.frequencyPenalty);
    request.sampler.presencePenalty = static_cast<float>(settings.presencePenalty);
    request.sampler.dryMultiplier = static_cast<float>(settings.dryMultiplier);
    request.sampler.dryBase = static_cast<float>(settings.dryBase);
    request.sampler.dryAllowedLength = settings.dryAllowedLength;
    request.sampler.dryWindow = settings.dryWindow;
    request.sampler.dryBreakers = settings.dryBreakers;
    request.sampler.topNSigma = static_cast<float>(settings.topNSigma);
    request.sampler.typicalP = static_cast<float>(settings.typicalP);
    request.sampler.xtcProbability = static_cast<float>(settings.xtcProbability);
    request.sampler.xtcThreshold = static_cast<float>(settings.xtcThreshold);
    request.sampler.temperatureRange = static_cast<float>(settings.temperatureRange);
    request.sampler.temperatureExponent = static_cast<float>(settings.temperatureExponent);
    request.sampler.mirostat = settings.mirostat == "1" ? 1 : settings.mirostat == "2" ? 2 : 0;
    request.sampler.mirostatTarget = static_cast<float>(settings.mirostatTarget);
    request.sampler.mirostatRate = static_cast<float>(settings.mirostatRate);
    request.maxTokens = settings.maxTokens;
    request.stopStrings = settings.stopStrings;
    request.thinkingBudget = settings.thinkingBudget;
    return request;
}

} // namespace fireside
