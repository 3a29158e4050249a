#include "app/hub/hub_files.h"

#include "app/downloads/download_texts.h"
#include "app/downloads/safe_name.h"

#include <QMap>
#include <QRegularExpression>

#include <algorithm>

namespace fireside {
namespace {

QString folderOf(const QString &path)
{
    return path.left(path.lastIndexOf(QLatin1Char('/')) + 1);
}

QString nameOf(const QString &path)
{
    return path.mid(path.lastIndexOf(QLatin1Char('/')) + 1);
}

bool isGguf(const QString &name)
{
    return name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
}

bool isProjector(const QString &name)
{
    return isGguf(name) && name.contains(QLatin1String("mmproj"), Qt::CaseInsensitive);
}

/// What a folder of safetensors is read from.
bool belongsToFolder(const QString &name)
{
    if (name.endsWith(QLatin1String(".safetensors")))
        return !name.startsWith(QLatin1String("consolidated")); // the same weights once more
    for (const char *end : {".json", ".jinja", "tokenizer.model", "merges.txt", "vocab.txt"}) {
        if (name.endsWith(QLatin1String(end)))
            return true;
    }
    return false;
}

using Folders = QMap<QString, QList<HubFile>>;

void addFolders(const Folders &folders, QList<HubModel> &models)
{
    for (auto folder = folders.begin(); folder != folders.end(); ++folder) {
        HubModel model;
        model.folder = true;
        model.name = folder.key().chopped(folder.key().isEmpty() ? 0 : 1);
        std::optional<HubFile> config;
        bool weights = false;
        for (const HubFile &file : *folder) {
            const QString name = nameOf(file.path);
            weights = weights || name.endsWith(QLatin1String(".safetensors"));
            if (name == QLatin1String("config.json"))
                config = file;
            else
                model.files.append(file);
        }
        if (!config || !weights)
            continue;
        model.files.append(*config); // last: without it the folder counts as no model yet
        models.append(model);
    }
}

struct Split
{
    int count = 0;
    QMap<int, HubFile> parts;
};

void addSplits(const QMap<QString, Split> &splits, QList<HubModel> &models)
{
    for (const Split &split : splits) {
        HubModel model;
        model.name = split.parts.first().path;
        model.files = split.parts.values();
        if (split.parts.size() != split.count)
            model.problem = DownloadTexts::tr("%1 of its %2 parts are missing in the repository")
                                .arg(split.count - split.parts.size())
                                .arg(split.count);
        models.append(model);
    }
}

/// The one in 16 bits where there are several.
const HubFile *projectorFor(const QString &folder, const QList<HubFile> &projectors)
{
    const HubFile *best = nullptr;
    for (const HubFile &each : projectors) {
        if (folderOf(each.path) != folder)
            continue;
        if (!best || nameOf(each.path).contains(QLatin1String("f16"), Qt::CaseInsensitive))
            best = &each;
    }
    return best;
}

} // namespace

qint64 HubModel::bytes() const
{
    qint64 sum = 0;
    for (const HubFile &file : files)
        sum += file.bytes;
    return sum;
}

QList<HubModel> modelsAmong(const QList<HubFile> &files)
{
    static const QRegularExpression part(QStringLiteral("^(.*)-(\\d{5})-of-(\\d{5})\\.gguf$"),
                                         QRegularExpression::CaseInsensitiveOption);
    QList<HubModel> models;
    QList<HubFile> projectors;
    QMap<QString, Split> splits;
    Folders folders;
    for (const HubFile &file : files) {
        const QString name = nameOf(file.path);
        if (!isSafeName(file.path))
            continue;
        const QRegularExpressionMatch split = part.match(file.path);
        const int number = split.captured(2).toInt(), count = split.captured(3).toInt();
        if (isProjector(name)) {
            projectors.append(file);
        } else if (split.hasMatch() && number >= 1 && number <= count) {
            Split &all = splits[split.captured(1) + split.captured(3)];
            all.count = count;
            all.parts.insert(number, file);
        } else if (isGguf(name) && !name.startsWith(QLatin1String("mtp-"))) {
            models.append({file.path, {file}, {}, false, {}});
        } else if (belongsToFolder(name)) {
            folders[folderOf(file.path)].append(file);
        }
    }
    addSplits(splits, models);
    for (HubModel &model : models) {
        if (const HubFile *projector = projectorFor(folderOf(model.name), projectors))
            model.projector = *projector;
    }
    addFolders(folders, models);
    std::stable_sort(models.begin(), models.end(),
                     [](const HubModel &a, const HubModel &b) { return a.bytes() < b.bytes(); });
    return models;
}

int chosenModel(const QList<HubModel> &models, const QString &wish)
{
    if (wish.isEmpty())
        return models.size() == 1 ? 0 : models.isEmpty() ? -1 : -2;
    int found = -1;
    for (int i = 0; i < models.size(); ++i) {
        const QString &name = models[i].name;
        if (name.compare(wish, Qt::CaseInsensitive) == 0 ||
            nameOf(name).compare(wish, Qt::CaseInsensitive) == 0)
            return i;
        // A whole word: Q4_K is not Q4_K_M.
        const QRegularExpression word(QStringLiteral("(^|[^A-Za-z0-9_])%1($|[^A-Za-z0-9_])")
                                          .arg(QRegularExpression::escape(wish)),
                                      QRegularExpression::CaseInsensitiveOption);
        if (word.match(name).hasMatch())
            found = found == -1 ? i : -2;
    }
    return found;
}

} // namespace fireside
