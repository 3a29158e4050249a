#include "app/models/model_files.h"

#include "app/models/library_texts.h"

#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>

namespace fireside {
namespace {

struct Split
{
    int count = 0;
    QMap<int, FolderFiles::File> parts;
};

const QRegularExpression &splitName()
{
    static const QRegularExpression name(QStringLiteral("^(.*)-(\\d{5})-of-(\\d{5})\\.gguf$"),
                                         QRegularExpression::CaseInsensitiveOption);
    return name;
}

QString partName(const QString &stem, int part, int count)
{
    return QStringLiteral("%1-%2-of-%3.gguf")
        .arg(stem)
        .arg(part, 5, 10, QLatin1Char('0'))
        .arg(count, 5, 10, QLatin1Char('0'));
}

/// What was seen of the file that a model opens first.
void remember(const FolderFiles &folder, const FolderFiles::File &file, FoundModel &model)
{
    model.path = fromPath(file.path);
    model.stamp = file.stamp;
    if (!file.isLink && !folder.canonical.isEmpty())
        model.canonical = folder.canonical + QLatin1Char('/') + fromPath(file.path.filename());
}

FoundModel fromSplit(const QString &stem, const FolderFiles &folder, const Split &split)
{
    constexpr int kNamed = 3; // of the missing parts
    FoundModel model;
    QStringList missing;
    for (int part = 1; part <= split.count; ++part) {
        const auto file = split.parts.constFind(part);
        if (file == split.parts.constEnd()) {
            missing.append(partName(stem, part, split.count));
            continue;
        }
        model.shards.append(fromPath(file->path));
        model.bytes += file->bytes;
    }
    remember(folder, split.parts.first(), model);
    if (!missing.isEmpty()) {
        const QString names = missing.mid(0, kNamed).join(QLatin1String(", "));
        model.problem = missing.size() > kNamed
                            ? LibraryTexts::tr("%1 of %2 parts are missing: %3 …")
                                  .arg(missing.size())
                                  .arg(split.count)
                                  .arg(names)
                            : LibraryTexts::tr("%1 of %2 parts are missing: %3")
                                  .arg(missing.size())
                                  .arg(split.count)
                                  .arg(names);
    }
    return model;
}

} // namespace

QStringList partsOf(const QString &path)
{
    const QFileInfo first(path);
    const QRegularExpressionMatch match = splitName().match(first.fileName());
    const int count = match.captured(3).toInt();
    if (!match.hasMatch() || count < 2)
        return {path};
    QStringList parts;
    for (int part = 1; part <= count; ++part) {
        const QString name =
            first.absolutePath() + QLatin1Char('/') + partName(match.captured(1), part, count);
        if (QFileInfo(name).isFile())
            parts.append(name);
    }
    return parts;
}

bool isSidecar(const QString &fileName)
{
    return fileName.contains(QLatin1String("mmproj"), Qt::CaseInsensitive) ||
           fileName.startsWith(QLatin1String("mtp-"), Qt::CaseInsensitive);
}

QList<FoundModel> modelsIn(const FolderFiles &folder)
{
    QList<FoundModel> models;
    QMap<QString, Split> splits;
    bool hasConfig = false;
    qint64 safetensors = 0;
    for (const FolderFiles::File &file : folder.files) {
        const QString name = fromPath(file.path.filename());
        if (name == QLatin1String("config.json"))
            hasConfig = true;
        if (name.endsWith(QLatin1String(".safetensors")))
            safetensors += file.bytes;
        if (!name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) || isSidecar(name))
            continue;
        const QRegularExpressionMatch match = splitName().match(name);
        const int part = match.captured(2).toInt(), count = match.captured(3).toInt();
        if (match.hasMatch() && part >= 1 && part <= count && count > 1) {
            Split &split = splits[match.captured(1) + QLatin1Char('/') + match.captured(3)];
            split.count = count;
            split.parts.insert(part, file);
            continue;
        }
        FoundModel model;
        remember(folder, file, model);
        model.bytes = file.bytes;
        models.append(model);
    }
    for (auto split = splits.constBegin(); split != splits.constEnd(); ++split)
        models.append(fromSplit(split.key().section(QLatin1Char('/'), 0, 0), folder, *split));
    if (hasConfig && safetensors > 0) {
        FoundModel model;
        model.path = fromPath(folder.folder);
        model.bytes = safetensors;
        model.name = fromPath(folder.folder.filename());
        models.append(model);
    }
    return models;
}

} // namespace fireside
