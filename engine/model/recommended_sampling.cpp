#include "engine/model/recommended_sampling.h"

#include "engine/core/error.h"
#include "engine/files/json_file.h"
#include "engine/files/model_file.h"

#include <cmath>
#include <functional>

namespace fireside {
namespace {

/// A number of the model's by one of its names.
using Lookup = std::function<std::optional<double>(const char *)>;

/// GGUF files hold 0.95 as the nearest of 32 bits: four digits are what was meant.
double plain(double value)
{
    constexpr double kDigits = 1e4;
    return std::round(value * kDigits) / kDigits;
}

void take(std::optional<double> &to, const std::optional<double> &value, double low, double high)
{
    if (value && *value >= low && *value <= high)
        to = plain(*value);
}

void take(std::optional<int> &to, const std::optional<double> &value, int low, int high)
{
    if (value && *value >= low && *value <= high && *value == std::floor(*value))
        to = static_cast<int>(*value);
}

constexpr int kMost = 1'000'000;

RecommendedSampling fromFolder(const Lookup &number)
{
    RecommendedSampling r;
    take(r.temperature, number("temperature"), 0, 5);
    take(r.topK, number("top_k"), 0, kMost);
    take(r.topP, number("top_p"), 0.01, 1);
    take(r.minP, number("min_p"), 0, 1);
    take(r.typicalP, number("typical_p"), 0.01, 1);
    take(r.repeatPenalty, number("repetition_penalty"), 0.5, 3);
    return r;
}

RecommendedSampling fromKeys(const Lookup &number)
{
    RecommendedSampling r;
    take(r.temperature, number("temp"), 0, 5);
    take(r.topK, number("top_k"), 0, kMost);
    take(r.topP, number("top_p"), 0.01, 1);
    take(r.minP, number("min_p"), 0, 1);
    take(r.repeatPenalty, number("penalty_repeat"), 0.5, 3);
    take(r.repeatWindow, number("penalty_last_n"), 0, kMost);
    if (number("penalty_last_n") == -1.0) // the whole context
        r.repeatWindow = kMost;
    take(r.xtcProbability, number("xtc_probability"), 0, 1);
    take(r.xtcThreshold, number("xtc_threshold"), 0, 1);
    take(r.mirostat, number("mirostat"), 0, 2);
    take(r.mirostatTarget, number("mirostat_tau"), 0, 20);
    take(r.mirostatRate, number("mirostat_eta"), 0, 1);
    return r;
}

} // namespace

RecommendedSampling recommendedSampling(const ModelFile &file)
{
    if (const Gguf *gguf = file.gguf())
        return fromKeys([&](const char *name) -> std::optional<double> {
            const std::string key = std::string("general.sampling.") + name;
            try {
                return gguf->findFloat(key);
            } catch (const Error &) { // a text, say
                return std::nullopt;
            }
        });
    constexpr std::uintmax_t kMostBytes = 1 << 20;
    const std::filesystem::path path = file.path() / "generation_config.json";
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return {};
    try {
        const nlohmann::json config = readJsonFile(path, kMostBytes);
        const auto samples = config.find("do_sample");
        if (!config.is_object() || (samples != config.end() && *samples == false))
            return {};
        return fromFolder([&](const char *name) -> std::optional<double> {
            const auto value = config.find(name);
            if (value == config.end() || !value->is_number())
                return std::nullopt;
            return value->get<double>();
        });
    } catch (const Error &) { // the tokenizer, which reads it too, says what is wrong
        return {};
    }
}

} // namespace fireside
