#include "app/chat/sampling_json.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

double within(double value, double low, double high, double fallback)
{
    return std::isnan(value) ? fallback : std::clamp(value, low, high);
}

} // namespace

QJsonObject toJson(const SamplingSettings &sampling)
{
    return {{QStringLiteral("temperature"), sampling.temperature},
            {QStringLiteral("topK"), sampling.topK},
            {QStringLiteral("topP"), sampling.topP},
            {QStringLiteral("minP"), sampling.minP},
            {QStringLiteral("repeatPenalty"), sampling.repeatPenalty},
            {QStringLiteral("seed"), sampling.seed},
            {QStringLiteral("maxTokens"), sampling.maxTokens},
            {QStringLiteral("stopStrings"), QJsonArray::fromStringList(sampling.stopStrings)},
            {QStringLiteral("systemPrompt"), sampling.systemPrompt}};
}

SamplingSettings samplingFromJson(const QJsonObject &json, const SamplingSettings &fallback)
{
    SamplingSettings result = fallback;
    result.temperature = json[QLatin1String("temperature")].toDouble(fallback.temperature);
    result.topK = json[QLatin1String("topK")].toInt(fallback.topK);
    result.topP = json[QLatin1String("topP")].toDouble(fallback.topP);
    result.minP = json[QLatin1String("minP")].toDouble(fallback.minP);
    result.repeatPenalty = json[QLatin1String("repeatPenalty")].toDouble(fallback.repeatPenalty);
    result.seed = json[QLatin1String("seed")].toInteger(fallback.seed);
    result.maxTokens = json[QLatin1String("maxTokens")].toInt(fallback.maxTokens);
    result.systemPrompt = json[QLatin1String("systemPrompt")].toString(fallback.systemPrompt);
    if (const QJsonValue stops = json[QLatin1String("stopStrings")]; stops.isArray()) {
        result.stopStrings.clear();
        for (const QJsonValue &stop : stops.toArray())
            result.stopStrings.append(stop.toString());
    }
    return clamped(result);
}

SamplingSettings clamped(const SamplingSettings &sampling)
{
    const SamplingSettings defaults;
    SamplingSettings result = sampling;
    result.temperature = within(sampling.temperature, 0, 5, defaults.temperature);
    result.topK = std::clamp(sampling.topK, 0, 1'000'000);
    result.topP = within(sampling.topP, 0.01, 1, defaults.topP);
    result.minP = within(sampling.minP, 0, 1, defaults.minP);
    result.repeatPenalty = within(sampling.repeatPenalty, 0.5, 3, defaults.repeatPenalty);
    result.seed = std::max<qint64>(-1, sampling.seed);
    result.maxTokens = std::clamp(sampling.maxTokens, 0, 10'000'000);
    result.stopStrings.removeAll(QString());
    return result;
}

} // namespace fireside
