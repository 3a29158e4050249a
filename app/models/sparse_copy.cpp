#include "app/models/sparse_copy.h"

#include "engine/files/gguf.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtEndian>

#include <exception>

namespace fireside {
namespace {

/// Whether the header ends within what is known. A hole behind it reads as zeros.
bool isHeaderKnown(const SparseCopy::File &file, const QString &path)
{
    if (file.start.size() >= file.size)
        return true;
    if (file.name.endsWith(QLatin1String(".safetensors"))) {
        constexpr qsizetype kLength = 8;
        if (file.start.size() < kLength)
            return false;
        const auto length = qFromLittleEndian<quint64>(file.start.constData());
        return length <= static_cast<quint64>(file.start.size() - kLength);
    }
    if (!file.start.startsWith("GGUF"))
        return true; // it is none: its description will say so
    try {
        const Gguf gguf = Gguf::open(QFile::encodeName(path).toStdString());
        return gguf.dataOffset() <= static_cast<std::uint64_t>(file.start.size());
    } catch (const std::exception &) {
        return false;
    }
}

} // namespace

CopyDescription describeCopy(const SparseCopy &copy, const LoadSettings &asked,
                             const QList<DeviceStatus> &devices)
{
    CopyDescription result;
    const QTemporaryDir folder;
    for (qsizetype i = 0; i < copy.files.size(); ++i) {
        const SparseCopy::File &known = copy.files[i];
        const QString path = folder.filePath(known.name);
        QFile file(path);
        if (!folder.isValid() || !QDir().mkpath(QFileInfo(path).path()) ||
            !file.open(QIODevice::WriteOnly) || file.write(known.start) != known.start.size() ||
            !file.flush() || !file.resize(known.size)) {
            result.problem = file.errorString();
            return result;
        }
        file.close();
        if (!isHeaderKnown(known, path))
            result.tooShort.append(i);
    }
    if (!result.tooShort.isEmpty()) {
        // Where more cannot be had, this is what is said of it.
        result.entry.problem = ModelLibrary::tr("its header is damaged, or too long");
        return result;
    }
    result.entry = ModelLibrary::describe(folder.path() + copy.path, asked, devices);
    return result;
}

} // namespace fireside
