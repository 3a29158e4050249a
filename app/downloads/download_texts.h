#pragma once
#include <QCoreApplication>
#include <QLocale>

namespace fireside {

/// tr() for what the parts of a download say.
struct DownloadTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Download)
};

/// "1.2 GB"
inline QString sizeText(qint64 bytes)
{
    return QLocale().formattedDataSize(bytes, 1, QLocale::DataSizeSIFormat);
}

} // namespace fireside
