#pragma once
#include <QCoreApplication>

namespace fireside {

/// tr() for what the parts of a download say.
struct DownloadTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Download)
};

} // namespace fireside
