#include "app/models/model_estimate.h"

#include "app/models/model_description.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

struct TypeBits
{
    const char *name;
    double bits;
};
// With scales, as files have them on average.
constexpr TypeBits kTypeBits[] = {
    {"IQ1", 1.75}, {"TQ1", 1.7}, {"TQ2", 2.1},   {"IQ2", 2.4},   {"Q2", 2.9},
    {"IQ3", 3.4},  {"Q3", 3.8},  {"IQ4", 4.4},   {"Q4", 4.8},    {"Q5", 5.6},
    {"Q6", 6.6},   {"Q8", 8.5},  {"F16", 16},    {"BF16", 16},   {"FP16", 16},
    {"F32", 32},   {"FP32", 32}, {"MXFP4", 4.4}, {"NVFP4", 4.6},
};

double bitsOf(const QString &quantisation)
{
    for (const TypeBits &type : kTypeBits) {
        if (quantisation.startsWith(QLatin1String(type.name), Qt::CaseInsensitive))
            return type.bits;
    }
    return 0;
}

/// Context memory of a token in F16: 40 kB of usual models of a billion weights, 128 kB of 8
/// billion, 320 kB of 70 billion.
double cacheBytesPerToken(double parameters)
{
    return 40e3 * std::sqrt(std::max(parameters / 1e9, 0.05));
}

MemoryPlan roughPlan(double bytes, double parameters, const FitQuestion &asked, int trained)
{
    constexpr std::size_t kLayers = 32;
    constexpr std::uint64_t kScratch = 300'000'000, kReserve = 150'000'000;
    int context = asked.context > 0 ? asked.context : kDefaultContextLimit;
    if (trained > 0)
        context = std::min(context, trained);
    const double share = asked.kvType == DType::F32    ? 2.0
                         : asked.kvType == DType::Q8_0 ? 34.0 / 64
                                                       : 1.0;
    MemoryPlan plan;
    plan.layerWeights.assign(kLayers, static_cast<std::uint64_t>(bytes * 0.9 / kLayers));
    plan.embeddingWeights = plan.outputWeights = static_cast<std::uint64_t>(bytes * 0.05);
    plan.layerCaches.assign(kLayers, static_cast<std::uint64_t>(cacheBytesPerToken(parameters) *
                                                                share * context / kLayers));
    plan.scratch = kScratch;
    plan.reserve = kReserve;
    plan.context = context;
    plan.kvType = asked.kvType;
    return plan;
}

} // namespace

QString quantisationInName(const QString &name)
{
    static const QRegularExpression type(
        QStringLiteral(
            "(?<![A-Za-z0-9])((?:I?Q|TQ)[1-8](?:_[A-Z0-9]+)*|MXFP4(?:_MOE)?|NVFP4|B?F16|F"
            "32|FP16|FP32)(?![A-Za-z0-9])"),
        QRegularExpression::CaseInsensitiveOption);
    QString found;
    for (auto match = type.globalMatch(name); match.hasNext();)
        found = match.next().captured(1).toUpper(); // the last one: names of makers come first
    return found;
}

ModelEntry estimateModel(const RemoteModelFacts &facts, const LoadSettings &asked,
                         const QList<DeviceStatus> &devices)
{
    ModelEntry entry;
    entry.name = facts.name;
    entry.fileBytes = std::max<qint64>(0, facts.bytes);
    entry.architecture = facts.architecture;
    entry.license = facts.license;
    entry.contextTrained = facts.contextTrained;
    entry.quantisation = quantisationInName(facts.name.mid(facts.name.lastIndexOf(u'/') + 1));
    if (entry.quantisation.isEmpty())
        entry.quantisation = quantisationInName(facts.name);
    double bits = bitsOf(entry.quantisation);
    entry.parameters = facts.parameters;
    if (facts.bytes <= 0)
        return entry;
    const auto bytes = static_cast<double>(facts.bytes);
    if (facts.parameters > 0) {
        // Where a repository has several models, its number is that of one of them.
        constexpr double kUnlike = 1.6;
        const double counted = 8 * bytes / static_cast<double>(facts.parameters);
        if (bits > 0 && (counted > bits * kUnlike || counted < bits / kUnlike))
            entry.parameters = 0;
        else
            bits = counted;
    }
    if (entry.parameters == 0 && bits > 0)
        entry.parameters = std::llround(8 * bytes / bits);
    if (bits > 0)
        entry.quantisationHint = QString::fromStdString(quantisationHint(bits));
    const double parameters =
        entry.parameters > 0 ? static_cast<double>(entry.parameters) : 8 * bytes / 4.8;
    const FitQuestion question = fitQuestion(asked, devices);
    judge(roughPlan(bytes, parameters, question, facts.contextTrained), question, entry);
    return entry;
}

} // namespace fireside
