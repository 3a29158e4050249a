#include "app/runtime/placement_preview.h"

#include "app/runtime/status_values.h"
#include "app/settings/engine_requests.h"
#include "engine/core/quote.h"
#include "engine/engine.h"

#include <QCoreApplication>
#include <QFile>

#include <new>

namespace fireside {

PlacementStatus previewPlacement(const QString &path, const LoadSettings &settings,
                                 const QList<DeviceStatus> &devices,
                                 const std::filesystem::path &cacheFolder)
{
    PlacementStatus failed;
    try {
        return toStatus(Engine::preview(QFile::encodeName(path).toStdString(),
                                        toLoadOptions(settings), reportsNow(devices), cacheFolder));
    } catch (const std::bad_alloc &) {
        failed.reason =
            QCoreApplication::translate("fireside::PlacementPreview", "there is not enough memory");
    } catch (const std::exception &error) {
        failed.reason = withoutPath(QString::fromStdString(printable(error.what())), path);
    }
    return failed;
}

} // namespace fireside
