#include "app/runtime/status_values.h"

#include "app/models/model_library.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/core/quote.h"

#include <QFile>
#include <QFileInfo>

namespace fireside {
namespace {

QString text(const std::string &utf8)
{
    return QString::fromStdString(printable(utf8));
}

qint64 bytes(std::uint64_t count)
{
    return static_cast<qint64>(count);
}
qint64 bytes(const std::optional<std::uint64_t> &count)
{
    return count ? bytes(*count) : -1;
}

CheckStatus::Outcome toOutcome(DeviceCheck::Outcome outcome)
{
    switch (outcome) {
    case DeviceCheck::Outcome::Passed:
        return CheckStatus::Passed;
    case DeviceCheck::Outcome::Failed:
        return CheckStatus::Failed;
    case DeviceCheck::Outcome::NotReached:
        break;
    }
    return CheckStatus::NotReached;
}

/// What devices have allocated for a model, as it was predicted; -1: there is none.
qint64 memoryInUse(const LoadedModel *model)
{
    return model ? bytes(model->model().memoryInUse()) : -1;
}

qint64 plannedBytes(const LoadedModel &model)
{
    std::uint64_t sum = 0;
    for (const LoadedModel::DeviceUse &use : model.memory())
        sum += use.planned.total();
    return bytes(sum);
}

SpeedStatus toStatus(const std::optional<Speed> &speed)
{
    return speed ? SpeedStatus{speed->generate, speed->prompt} : SpeedStatus{};
}

DeviceUseStatus toStatus(const LoadedModel::DeviceUse &use)
{
    DeviceUseStatus status;
    status.id = text(use.report.id);
    status.name = text(use.report.name);
    status.driver = bytes(use.now.driver);
    for (const MemoryPurpose purpose : kMemoryPurposes)
        status.shares.append({text(std::string(toString(purpose))), bytes(use.planned.at(purpose)),
                              bytes(use.now.use.at(purpose))});
    return status;
}

bool isStarter(const QString &path)
{
    const QString starter = ModelLibrary::starterModelPath();
    return !starter.isEmpty() &&
           QFileInfo(path).canonicalFilePath() == QFileInfo(starter).canonicalFilePath();
}

ThinkingOffer offerOf(const LoadedModel &model)
{
    const ThinkingSwitches &switches = model.thinkingSwitches();
    return {!switches.onOff.empty(), !switches.effort.empty(),
            model.replyFormat().reasons || !switches.budget.empty()};
}

} // namespace

DeviceStatus toStatus(const DeviceReport &report)
{
    DeviceStatus status;
    status.id = text(report.id);
    status.kind = QString::fromLatin1(toString(report.kind));
    status.name = text(report.name);
    status.reason = text(report.reason);
    status.available = report.available;
    status.software = report.software;
    status.unifiedMemory = report.unifiedMemory;
    status.memoryTotal = bytes(report.memoryTotal);
    status.memoryFree = bytes(report.memoryFree);
    for (const DeviceCheck &check : report.checks)
        status.checks.append({text(check.name), text(check.detail), text(check.rawError),
                              text(check.advice), toOutcome(check.outcome)});
    for (const auto &[key, value] : report.properties)
        status.properties.append({text(key), text(value)});
    return status;
}

DeviceReport toReport(const DeviceStatus &status)
{
    const auto known = [](qint64 count) {
        return count < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(count));
    };
    DeviceReport report;
    report.kind = parseBackendKind(status.kind.toStdString());
    report.id = status.id.toStdString();
    report.name = status.name.toStdString();
    report.reason = status.reason.toStdString();
    report.available = status.available;
    report.software = status.software;
    report.unifiedMemory = status.unifiedMemory;
    report.memoryTotal = known(status.memoryTotal);
    report.memoryFree = known(status.memoryFree);
    for (const auto &[name, value] : status.properties)
        report.properties.emplace_back(name.toStdString(), value.toStdString());
    return report;
}

std::vector<DeviceReport> reportsNow(const QList<DeviceStatus> &devices)
{
    const MemoryInfo memory = queryMemory();
    std::vector<DeviceReport> reports;
    for (const DeviceStatus &device : devices) {
        reports.push_back(toReport(device));
        if (reports.back().kind != BackendKind::Cpu)
            continue;
        reports.back().memoryTotal = memory.total;
        reports.back().memoryFree = memory.available;
    }
    return reports;
}

QList<PlacementOptionStatus> toStatus(const Selection &selection)
{
    QList<PlacementOptionStatus> options;
    for (std::size_t i = 0; i < selection.options.size(); ++i) {
        const PlacementOption &option = selection.options[i];
        options.append({text(option.name), text(sentenceOf(selection, i)),
                        toStatus(option.predicted), toStatus(option.measured),
                        i == selection.chosen, option.possible()});
    }
    return options;
}

PlacementStatus toStatus(const Engine::Choice &choice)
{
    return {text(choice.summary.name),   text(choice.selection.reason),
            choice.selection.possible(), toStatus(choice.selection),
            choice.selection.context,    choice.summary.contextTrained};
}

ModelStatus toStatus(const LoadedModel &model, const LoadSettings &asked, double loadSeconds)
{
    const ModelSummary &summary = model.summary();
    const MemoryPlan &plan = model.plan();
    ModelStatus status;
    status.path = QFile::decodeName(summary.path.c_str());
    status.name = text(summary.name);
    if (status.name == QFileInfo(status.path).completeBaseName()) // the file does not say
        status.name = ModelLibrary::displayName(status.path);
    status.architecture = text(summary.architecture);
    status.quantisation = text(summary.quantisation);
    status.quantisedTo = text(summary.quantisedTo);
    status.license = text(summary.license);
    status.description = text(summary.description);
    status.fileBytes = bytes(summary.fileBytes);
    status.parameters = bytes(summary.parameters);
    status.context = model.context();
    status.contextTrained = summary.contextTrained;
    status.backend = QString::fromLatin1(toString(model.selection().kind));
    status.device = text(model.device().name);
    status.reason = text(model.selection().reason);
    status.placement = text(model.placementText());
    status.weightBytes = bytes(plan.weights());
    status.kvBytes = bytes(plan.kv());
    status.plannedBytes = plannedBytes(model);
    status.residentBytes = memoryInUse(&model);
    for (const LoadedModel::DeviceUse &use : model.memory())
        status.devices.append(toStatus(use));
    status.options = toStatus(model.selection());
    status.loadSeconds = loadSeconds;
    status.builtIn = isStarter(status.path);
    status.hasTemplate = model.chatTemplate() != nullptr;
    status.thinking = offerOf(model);
    for (const std::string &remark : summary.remarks)
        status.remarks.append(text(remark));
    status.fingerprint = text(summary.fingerprint);
    status.recommended = recommendedValues(summary.recommended);
    status.asked = asked;
    return status;
}

ReplyStats toStats(const GenerateStats &stats, const LoadedModel *model, qint64 seed)
{
    const int contextTotal = model ? model->context() : 0;
    ReplyStats result;
    result.promptTokens = stats.promptTokens;
    result.reusedTokens = stats.reusedTokens;
    result.generatedTokens = stats.generatedTokens;
    result.thoughtTokens = stats.thoughtTokens;
    result.promptSeconds = stats.promptSeconds;
    result.generateSeconds = stats.generateSeconds;
    result.contextUsed = stats.promptTokens + stats.generatedTokens;
    result.contextTotal = contextTotal;
    result.seed = seed;
    result.residentBytes = memoryInUse(model);
    return result;
}

ReplyStats toStats(const GenerateResult &result, const LoadedModel *model, qint64 seed)
{
    ReplyStats stats = toStats(result.stats, model, seed);
    stats.finish = QString::fromLatin1(toString(result.finish));
    stats.tokens = QList<int>(result.tokens.begin(), result.tokens.end());
    return stats;
}

QString withoutPath(const QString &message, const QString &path)
{
    const QString written = text(QFile::encodeName(path).toStdString());
    const QString lead = written + QStringLiteral(": ");
    QString rest = message.startsWith(lead) ? message.mid(lead.size()) : message;
    return written.isEmpty() ? rest : rest.replace(written, QFileInfo(path).fileName());
}

std::vector<ChatMessage> toMessages(const QList<TurnMessage> &messages)
{
    std::vector<ChatMessage> result;
    result.reserve(static_cast<std::size_t>(messages.size()));
    for (const TurnMessage &message : messages) {
        result.push_back({message.role.toStdString(), message.text.toStdString(),
                          message.reasoning.toStdString()});
        for (const TurnCall &call : message.calls)
            result.back().calls.push_back(
                {call.name.toStdString(), call.arguments.toStdString(), call.id.toStdString()});
    }
    return result;
}

} // namespace fireside
