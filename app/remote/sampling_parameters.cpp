#include "app/remote/sampling_parameters.h"

#include "app/settings/word_bias.h"

#include <QJsonArray>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace fireside {
namespace {

/// A setting's key, and the name of its parameter.
struct ParameterName
{
    std::string_view key;
    const char *name;
};

/// OpenAI's own.
constexpr ParameterName kCommonNames[] = {{"temperature", "temperature"},
                                          {"topP", "top_p"},
                                          {"seed", "seed"},
                                          {"stopStrings", "stop"},
                                          {"frequencyPenalty", "frequency_penalty"},
                                          {"presencePenalty", "presence_penalty"}};
/// Of vLLM, SGLang and OpenRouter.
constexpr ParameterName kVllmNames[] = {
    {"topK", "top_k"}, {"minP", "min_p"}, {"repeatPenalty", "repetition_penalty"}};
constexpr ParameterName kLmStudioNames[] = {{"topK", "top_k"}, {"repeatPenalty", "repeat_penalty"}};
/// Of llama.cpp's server and of this program's.
constexpr ParameterName kLlamaNames[] = {{"topK", "top_k"},
                                         {"minP", "min_p"},
                                         {"repeatPenalty", "repeat_penalty"},
                                         {"repeatWindow", "repeat_last_n"},
                                         {"typicalP", "typical_p"},
                                         {"topNSigma", "top_n_sigma"},
                                         {"xtcProbability", "xtc_probability"},
                                         {"xtcThreshold", "xtc_threshold"},
                                         {"temperatureRange", "dynatemp_range"},
                                         {"temperatureExponent", "dynatemp_exponent"},
                                         {"mirostat", "mirostat"},
                                         {"mirostatTarget", "mirostat_tau"},
                                         {"mirostatRate", "mirostat_eta"},
                                         {"dryMultiplier", "dry_multiplier"},
                                         {"dryBase", "dry_base"},
                                         {"dryAllowedLength", "dry_allowed_length"},
                                         {"dryWindow", "dry_penalty_last_n"},
                                         {"dryBreakers", "dry_sequence_breakers"}};

std::span<const ParameterName> namesOf(ServerKind kind)
{
    switch (kind) {
    case ServerKind::Fireside:
    case ServerKind::LlamaCpp:
        return kLlamaNames;
    case ServerKind::Vllm:
    case ServerKind::Sglang:
    case ServerKind::OpenRouter:
        return kVllmNames;
    case ServerKind::LmStudio:
        return kLmStudioNames;
    case ServerKind::Ollama:
    case ServerKind::Unknown:
        break;
    }
    return {};
}

const char *nameIn(std::span<const ParameterName> names, std::string_view key)
{
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const ParameterName &one) { return one.key == key; });
    return found == names.end() ? nullptr : found->name;
}

QJsonArray toArray(const std::vector<std::string> &texts)
{
    QJsonArray array;
    for (const std::string &text : texts)
        array.append(QString::fromStdString(text));
    return array;
}

bool isDefault(std::string_view key, const SamplingSettings &sampling)
{
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table())
        if (key == setting.key)
            return setting.read(sampling) == setting.read(SamplingSettings());
    return true;
}

class ParameterWriter
{
public:
    ParameterWriter(const SamplingSettings &sampling, ServerKind kind,
                    const RefusedParameters &refused)
        : m_sampling(sampling)
        , m_kind(kind)
        , m_refused(refused)
    {}
    void putAll(qint64 seed);
    SamplingParameters take() { return std::move(m_out); }

private:
    void put(std::string_view key, const QString &name, const QJsonValue &value);
    void put(std::string_view key, const QJsonValue &value) { put(key, nameOf(key), value); }
    void putSampler(std::string_view key, bool on, const QJsonValue &value, const QJsonValue &off);
    void putDetail(std::string_view key, bool on, const QJsonValue &value);
    void putRepetition();
    void putFurther();
    void putBias();
    QString nameOf(std::string_view key) const
    {
        const char *name = nameIn(kCommonNames, key);
        return QLatin1String(name ? name : nameIn(namesOf(m_kind), key));
    }

    const SamplingSettings &m_sampling;
    const ServerKind m_kind;
    const RefusedParameters &m_refused;
    SamplingParameters m_out;
};

void ParameterWriter::put(std::string_view key, const QString &name, const QJsonValue &value)
{
    if (name.isEmpty() || m_refused.contains(name))
        m_out.unsent.append(QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size())));
    else
        m_out.json[name] = value;
}

void ParameterWriter::putSampler(std::string_view key, bool on, const QJsonValue &value,
                                 const QJsonValue &off)
{
    if (on)
        return put(key, value);
    if (const QString name = nameOf(key); !name.isEmpty() && !m_refused.contains(name))
        m_out.json[name] = off;
}

/// Counts with the sampler it belongs to.
void ParameterWriter::putDetail(std::string_view key, bool on, const QJsonValue &value)
{
    if (on && (!nameOf(key).isEmpty() || !isDefault(key, m_sampling)))
        put(key, value);
}

void ParameterWriter::putAll(qint64 seed)
{
    const SamplingSettings &s = m_sampling;
    // vLLM before 0.8 and SGLang refuse 0.
    const bool minusOne = m_kind == ServerKind::Vllm || m_kind == ServerKind::Sglang;
    put("temperature", s.temperature);
    putSampler("topP", s.topP < 1, s.topP, 1);
    put("seed", seed);
    if (s.maxTokens > 0)
        put("maxTokens",
            m_refused.contains(QStringLiteral("max_tokens"))
                ? QStringLiteral("max_completion_tokens")
                : QStringLiteral("max_tokens"),
            s.maxTokens);
    if (!s.stopStrings.empty())
        put("stopStrings", toArray(s.stopStrings));
    putSampler("topK", s.topK > 0, s.topK, minusOne ? -1 : 0);
    putSampler("minP", s.minP > 0, s.minP, 0);
    putRepetition();
    putFurther();
    putBias();
}

void ParameterWriter::putRepetition()
{
    const SamplingSettings &s = m_sampling;
    const bool penalties =
        s.frequencyPenalty != 0 || s.presencePenalty != 0 || s.repeatPenalty != 1;
    putSampler("frequencyPenalty", s.frequencyPenalty != 0, s.frequencyPenalty, 0);
    putSampler("presencePenalty", s.presencePenalty != 0, s.presencePenalty, 0);
    putSampler("repeatPenalty", s.repeatPenalty != 1, s.repeatPenalty, 1);
    putDetail("repeatWindow", penalties, s.repeatWindow);
    const bool dry = s.dryMultiplier > 0;
    putSampler("dryMultiplier", dry, s.dryMultiplier, 0);
    putDetail("dryBase", dry, s.dryBase);
    putDetail("dryAllowedLength", dry, s.dryAllowedLength);
    putDetail("dryWindow", dry, s.dryWindow == 0 ? -1 : s.dryWindow); // 0 is off there
    putDetail("dryBreakers", dry, toArray(s.dryBreakers));
}

void ParameterWriter::putFurther()
{
    const SamplingSettings &s = m_sampling;
    putSampler("typicalP", s.typicalP < 1, s.typicalP, 1);
    putSampler("topNSigma", s.topNSigma > 0, s.topNSigma, -1); // 0 is greedy in older llama.cpp
    const bool xtc = s.xtcProbability > 0, range = s.temperatureRange > 0,
               mirostat = s.mirostat != "off";
    putSampler("xtcProbability", xtc, s.xtcProbability, 0);
    putDetail("xtcThreshold", xtc, s.xtcThreshold);
    putSampler("temperatureRange", range, s.temperatureRange, 0);
    putDetail("temperatureExponent", range, s.temperatureExponent);
    putSampler("mirostat", mirostat, mirostat ? s.mirostat.front() - '0' : 0, 0);
    putDetail("mirostatTarget", mirostat, s.mirostatTarget);
    putDetail("mirostatRate", mirostat, s.mirostatRate);
}

/// By tokens' numbers every server takes it, by words only those that tokenize them.
void ParameterWriter::putBias()
{
    QJsonArray pairs;
    QJsonObject numbers;
    bool words = false;
    for (const std::string &text : m_sampling.logitBias) {
        const auto bias = parseWordBias(text);
        if (!bias)
            continue;
        words = words || !bias->token;
        pairs.append(bias->token ? QJsonArray{*bias->token, bias->bias}
                                 : QJsonArray{QString::fromStdString(bias->text), bias->bias});
        if (bias->token)
            numbers[QString::number(*bias->token)] = bias->bias;
    }
    if (pairs.isEmpty())
        return;
    const bool tokenizes = m_kind == ServerKind::LlamaCpp || m_kind == ServerKind::Fireside;
    put("logitBias", words && !tokenizes ? QString() : QStringLiteral("logit_bias"),
        tokenizes ? QJsonValue(pairs) : QJsonValue(numbers));
}

} // namespace

SamplingParameters samplingParameters(const SamplingSettings &sampling, ServerKind kind,
                                      qint64 seed, const RefusedParameters &refused)
{
    ParameterWriter writer(sampling, kind, refused);
    writer.putAll(seed);
    return writer.take();
}

bool isOptionalParameter(const QString &name)
{
    static const QSet<QString> others{
        QStringLiteral("max_tokens"),     QStringLiteral("logit_bias"),
        QStringLiteral("stream_options"), QStringLiteral("chat_template_kwargs"),
        QStringLiteral("tool_choice"),    QStringLiteral("reasoning_effort")};
    const auto isNamed = [&](const ParameterName &one) { return name == QLatin1String(one.name); };
    const auto isAmong = [&](std::span<const ParameterName> names) {
        return std::any_of(names.begin(), names.end(), isNamed);
    };
    return others.contains(name) || isAmong(kCommonNames) || isAmong(kVllmNames) ||
           isAmong(kLlamaNames);
}

} // namespace fireside
