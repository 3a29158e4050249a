#include "app/settings/engine_requests.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/quantize/recipe.h"

#include <algorithm>
#include <cctype>
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
    request.maxTokens = settings.maxTokens;
    request.stopStrings = settings.stopStrings;
    request.thinkingBudget = settings.thinkingBudget;
    return request;
}

} // namespace fireside
