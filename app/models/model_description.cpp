#include "app/models/model_description.h"

#include "app/runtime/status_values.h"
#include "app/settings/engine_requests.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/text/remarks.h"

#include <QFile>
#include <QFileInfo>

#include <new>

namespace fireside {
namespace {

/// Words of a file as a line of a list or a label can show them.
QString fromUtf8(const std::string &utf8)
{
    constexpr std::size_t kLongest = 1000;
    return QString::fromStdString(printable(utf8, kLongest));
}

/// Where nothing is known of devices yet.
void judgeCpu(const MemoryPlan &plan, const MemoryInfo &memory, ModelEntry &entry)
{
    const FitVerdict verdict = judgeCpuFit(plan, memory.total, memory.available);
    entry.fit = verdict.fit == Fit::Fits     ? ModelEntry::Fits
                : verdict.fit == Fit::TooBig ? ModelEntry::TooBig
                                             : ModelEntry::Unknown;
    entry.fitText = QStringLiteral("CPU: ") + fromUtf8(verdict.sentence);
    entry.onCpu = true;
}

} // namespace

FitQuestion fitQuestion(const LoadSettings &settings, const QList<DeviceStatus> &devices)
{
    FitQuestion asked;
    asked.context = settings.context;
    const LoadOptions options = toLoadOptions(settings);
    asked.kvType = options.kvType;
    asked.where = requestOf(options);
    asked.quantize = options.quantize;
    asked.devices = reportsNow(devices);
    asked.memory = queryMemory();
    return asked;
}

void judge(const MemoryPlan &plan, const FitQuestion &asked, ModelEntry &entry)
{
    entry.neededBytes = static_cast<qint64>(plan.total() - plan.reserve); // as its sentence says
    entry.onCpu = false;
    if (asked.devices.empty())
        return judgeCpu(plan, asked.memory, entry);
    try {
        const Selection selection = select(asked.where, asked.devices, plan);
        const bool cpu = selection.kind == BackendKind::Cpu;
        const DeviceReport &device = asked.devices[static_cast<std::size_t>(selection.device)];
        entry.onCpu = cpu;
        entry.fit = cpu && !device.memoryTotal ? ModelEntry::Unknown : ModelEntry::Fits;
        entry.fitText = (cpu ? QStringLiteral("CPU: ") : QStringLiteral("Vulkan: ")) +
                        fromUtf8(selection.numbers);
    } catch (const Error &error) {
        entry.fit = ModelEntry::TooBig;
        entry.fitText = fromUtf8(error.what());
    }
}

namespace {

void apply(const ModelSummary &summary, const FoundModel &found, const FitQuestion &asked,
           ModelEntry &entry)
{
    if (found.name.isEmpty())
        entry.name = fromUtf8(summary.name);
    entry.architecture = fromUtf8(summary.architecture);
    entry.quantisation = fromUtf8(summary.quantisation);
    entry.quantisationHint = fromUtf8(summary.quantisationHint);
    entry.license = fromUtf8(summary.license);
    entry.parameters = static_cast<qint64>(summary.parameters);
    entry.activeParameters = static_cast<qint64>(summary.activeParameters);
    entry.contextTrained = summary.contextTrained;
    if (found.shards.isEmpty())
        entry.fileBytes = static_cast<qint64>(summary.fileBytes);
    if (summary.problem && entry.problem.isEmpty())
        entry.problem = fromUtf8(*summary.problem);
    else if (summary.encoder && entry.problem.isEmpty())
        entry.problem = ModelLibrary::tr("embedding model: cannot chat");
    for (const std::string &remark : summary.remarks)
        entry.remarks.append(fromUtf8(remark));
    if (summary.plan)
        judge(*summary.plan, asked, entry);
}

ModelSummary describeCached(const FoundModel &found, const FitQuestion &asked,
                            DescriptionCache *cache)
{
    const QString &path = found.path;
    const DescriptionCache::Key key{found.stamp.known() ? identityOf(path, found.stamp)
                                                        : identityOf(path, found.bytes),
                                    asked.context, asked.kvType, asked.quantize};
    if (cache) {
        if (const std::optional<ModelSummary> known = cache->find(key))
            return *known;
    }
    const ModelFile file = ModelFile::open(QFile::encodeName(path).toStdString());
    ModelSummary summary = describeModel(file, asked.context, asked.kvType, asked.quantize);
    // A chat needs its tokenizer: "Fits" is said of what can be loaded only.
    if (!summary.problem)
        summary.problem = textProblemOf(file, static_cast<std::size_t>(summary.vocabulary));
    if (summary.problem)
        summary.plan.reset();
    if (cache)
        cache->insert(key, summary);
    return summary;
}

} // namespace

ModelEntry describeFound(const FoundModel &found, const FitQuestion &asked, DescriptionCache *cache)
{
    ModelEntry entry;
    entry.path = found.path;
    entry.source = found.source;
    entry.name =
        fromUtf8((found.name.isEmpty() ? QFileInfo(found.path).completeBaseName() : found.name)
                     .toStdString());
    entry.fileBytes = found.bytes;
    entry.copies = found.copies;
    entry.problem = found.problem;
    const QFileInfo file(found.path);
    if (!found.stamp.known() && !file.isFile() && !file.isDir()) {
        if (entry.problem.isEmpty())
            entry.problem = file.exists() ? ModelLibrary::tr("not a model file")
                                          : ModelLibrary::tr("the file does not exist");
        return entry;
    }
    try {
        apply(describeCached(found, asked, cache), found, asked, entry);
    } catch (const std::bad_alloc &) {
        entry.problem = ModelLibrary::tr("not enough memory to read it");
    } catch (const std::exception &error) {
        if (entry.problem.isEmpty())
            entry.problem = withoutPath(fromUtf8(error.what()), found.path);
    }
    return entry;
}

} // namespace fireside
