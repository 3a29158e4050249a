#include "app/runtime/program_engine.h"

#include "app/runtime/engine_service.h"
#include "engine/engine.h"
#include "engine/probe_apart.h"

#include <QFile>
#include <QStandardPaths>

namespace fireside {

bool serveDriverProbe(int argc, char **argv)
{
    return serveProbe(argc, argv);
}

EngineOptions usualEngineOptions()
{
    const QString cache = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
    return {.cacheFolder = QFile::encodeName(cache).toStdString()};
}

std::unique_ptr<EngineService> secondEngine()
{
    EngineOptions options;
    options.probe = [folder = usualEngineOptions().cacheFolder] {
        return probeDevices({.cacheFolder = folder});
    };
    return std::make_unique<EngineService>(std::move(options));
}

std::unique_ptr<EngineService> programEngine()
{
    EngineOptions options = usualEngineOptions();
    options.probe = [folder = options.cacheFolder] {
        return probeDevices({.cacheFolder = folder});
    };
    return std::make_unique<EngineService>(std::move(options));
}

} // namespace fireside
