#pragma once
#include <memory>

namespace fireside {

class EngineService;
struct EngineOptions;

/// For main(), before anything else: true when this process was only started to probe graphics
/// drivers, has done so and is to end.
bool serveDriverProbe(int argc, char **argv);

/// The engine of a program whose main() asks serveDriverProbe(): drivers that are not known to be
/// safe are probed in a process of their own.
std::unique_ptr<EngineService> programEngine();

/// One more, for a second model. It keeps nothing on disk: that is the first one's.
std::unique_ptr<EngineService> secondEngine();

/// What an engine keeps on disk lies in the user's cache folder.
EngineOptions usualEngineOptions();

} // namespace fireside
