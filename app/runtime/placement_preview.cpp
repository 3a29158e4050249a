#include "app/runtime/placement_preview.h"

#include "app/runtime/status_values.h"
#include "app/settings/engine_requests.h"
#include "engine/core/quote.h"
#include "engine/engine.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <new>
#include <utility>

namespace fireside {

namespace {

/// Of a model's share of a device what it has not taken yet. Weights in RAM are mapped from files,
/// whose pages the system counts as free.
void claim(std::vector<DeviceReport> &reports, const ModelStatus &model)
{
    for (const DeviceUseStatus &use : model.devices) {
        for (DeviceReport &report : reports) {
            if (QString::fromStdString(report.id) != use.id || !report.memoryFree)
                continue;
            qint64 open = 0;
            for (const DeviceUseStatus::Share &share : use.shares) {
                const bool mapped =
                    report.kind == BackendKind::Cpu && share.purpose == QLatin1String("weights");
                open += mapped ? share.planned : std::max<qint64>(0, share.planned - share.taken);
            }
            const auto claimed = static_cast<std::uint64_t>(std::max<qint64>(0, open));
            *report.memoryFree -= std::min(*report.memoryFree, claimed);
        }
    }
}

} // namespace

PlacementStatus previewPlacement(const QString &path, const LoadSettings &settings,
                                 const QList<DeviceStatus> &devices,
                                 const std::filesystem::path &cacheFolder,
                                 const ModelStatus *beside)
{
    PlacementStatus failed;
    try {
        std::vector<DeviceReport> reports = reportsNow(devices);
        if (beside != nullptr)
            claim(reports, *beside);
        return toStatus(Engine::preview(QFile::encodeName(path).toStdString(),
                                        toLoadOptions(settings), std::move(reports), cacheFolder));
    } catch (const std::bad_alloc &) {
        failed.reason =
            QCoreApplication::translate("fireside::PlacementPreview", "there is not enough memory");
    } catch (const std::exception &error) {
        failed.reason = withoutPath(QString::fromStdString(printable(error.what())), path);
    }
    return failed;
}

} // namespace fireside
