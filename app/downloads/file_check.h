#pragma once
#include "app/downloads/remote_file.h"

#include <QString>

#include <atomic>

namespace fireside {

/// What a check that runs elsewhere tells and is told.
struct CheckProgress
{
    std::atomic<qint64> bytes = 0;
    std::atomic<bool> cancelled = false;
};

/// Reads the whole file: why its content is not what was expected, as a clause; empty: it is. Where
/// no digest is known, a file that is called a GGUF file must begin like one. For any thread.
QString contentProblem(const QString &path, const RemoteFile &expected, CheckProgress &progress);

} // namespace fireside
