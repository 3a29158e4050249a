#include "app/models/model_scan.h"

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QtConcurrent>

#include <algorithm>
#include <utility>

#include <sys/stat.h>

namespace fireside {
namespace {

/// What tells a file of many gigabytes from others of its size without reading all of it: a digest
/// of its beginning, which has the metadata and names every tensor, and of pieces spread over the
/// rest. Empty when it cannot be read.
QByteArray digestOf(const QString &path)
{
    constexpr qint64 kPiece = 64 * 1024, kPieces = 16;
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return {};
    QCryptographicHash digest(QCryptographicHash::Sha256);
    for (qint64 i = 0; i < kPieces; ++i) {
        const qint64 at = std::max<qint64>(0, file.size() - kPiece) / (kPieces - 1) * i;
        if (!file.seek(at))
            return {};
        const QByteArray piece = file.read(kPiece);
        if (piece.isEmpty())
            return {};
        digest.addData(piece);
    }
    digest.addData(QByteArray::number(file.size()));
    return digest.result();
}

} // namespace

ModelScan::ModelScan(Request request, Events events)
    : m_request(std::move(request))
    , m_events(std::move(events))
{}

template <typename Send>
void ModelScan::tell(Send send)
{
    const std::lock_guard lock(m_talking);
    if (!cancelled())
        send();
}

void ModelScan::cancel()
{
    m_cancelled = true;
    const std::lock_guard lock(m_talking); // waits for an event that is being told
}

void ModelScan::run()
{
    if (m_request.cache)
        m_request.cache->load();
    walkSources();
    joinCopies();
    describeAll();
    if (m_request.cache && !cancelled()) {
        QSet<QString> paths;
        for (const FoundModel &model : std::as_const(m_found)) {
            paths.insert(model.path);
            for (const ModelCopy &copy : model.copies)
                paths.insert(copy.path);
        }
        m_request.cache->save(paths);
    }
    tell([&] { m_events.finished(m_folders); });
}

QByteArray ModelScan::contentOf(const FoundModel &model) const
{
    const QString &path = model.path;
    if (!m_request.cache)
        return digestOf(path);
    const FileIdentity file =
        model.stamp.known() ? identityOf(path, model.stamp) : identityOf(path);
    QByteArray digest = m_request.cache->findContent(file);
    if (digest.isEmpty()) {
        digest = digestOf(path);
        if (!digest.isEmpty())
            m_request.cache->insertContent(file, digest);
    }
    return digest;
}

void ModelScan::walkSources()
{
    if (!m_request.starter.isEmpty()) {
        FoundModel starter;
        starter.path = m_request.starter;
        starter.source = QStringLiteral("Starter (built in)");
        found(starter);
    }
    scanFolder(m_request.firesideFolder, QStringLiteral("Fireside"), *this);
    scanHuggingFace(*this);
    scanLmStudio(*this);
    scanOllama(*this);
    scanJan(*this);
    for (const QString &folder : m_request.addedFolders) {
        if (!cancelled() && !QFileInfo::exists(folder))
            problem(folder, ModelLibrary::tr("the folder does not exist"));
        scanFolder(folder, QStringLiteral("Added folder"), *this);
    }
}

/// Files of the same size and content are one model, where it was found first.
void ModelScan::joinCopies()
{
    QHash<qint64, int> withSize;
    for (const FoundModel &model : std::as_const(m_found))
        ++withSize[model.bytes];
    QHash<QByteArray, qsizetype> first; // by content
    QList<FoundModel> kept;
    for (FoundModel &model : m_found) {
        const QByteArray content = model.bytes > 0 && withSize[model.bytes] > 1 && !cancelled()
                                       ? contentOf(model)
                                       : QByteArray();
        const auto known = first.constFind(content);
        if (content.isEmpty() || known == first.constEnd()) {
            if (!content.isEmpty())
                first.insert(content, kept.size());
            kept.append(std::move(model));
            continue;
        }
        kept[*known].copies.append({model.source, model.path});
    }
    m_found = std::move(kept);
}

/// Some at a time by all processors, in their order.
void ModelScan::describeAll()
{
    constexpr qint64 kTellEvery = 40; // ms: more than that nobody sees
    constexpr int kAtOnce = 16;
    const std::function<ModelEntry(const FoundModel &)> described = [&](const FoundModel &model) {
        if (cancelled())
            return ModelEntry();
        ModelEntry entry = describeFound(model, m_request.asked, m_request.cache.get());
        entry.builtIn = model.path == m_request.starter;
        return entry;
    };
    const int count = static_cast<int>(m_found.size());
    QList<ModelEntry> untold;
    QElapsedTimer sinceTold;
    for (int done = 0; done < count && !cancelled(); done += kAtOnce) {
        if (!sinceTold.isValid() || sinceTold.elapsed() >= kTellEvery) {
            const QString folder = QFileInfo(m_found[done].path).absolutePath();
            tell([&] { m_events.entries(std::exchange(untold, {})); });
            tell([&] { m_events.progress(done, count, folder); });
            sinceTold.start();
        }
        const auto first = m_found.cbegin() + done;
        untold += QtConcurrent::blockingMapped<QList<ModelEntry>>(
            first, first + std::min(kAtOnce, count - done), described);
    }
    tell([&] { m_events.entries(untold); });
    tell([&] { m_events.progress(count, count, {}); });
}

void ModelScan::visiting(const QString &folder)
{
    m_folders.append(folder);
    tell([&] { m_events.progress(0, static_cast<int>(m_found.size()), folder); });
}

void ModelScan::problem(const QString &folder, const QString &message)
{
    tell([&] { m_events.problem(folder, message); });
}

bool ModelScan::isNew(const FoundModel &model)
{
    const QString canonical =
        model.canonical.isEmpty() ? QFileInfo(model.path).canonicalFilePath() : model.canonical;
    if (canonical.isEmpty()) // missing: shown with its problem, once per path
        return !std::exchange(m_paths, m_paths + QSet{model.path}).contains(model.path);
    if (m_request.hidden.contains(canonical) || m_paths.contains(canonical))
        return false;
    m_paths.insert(canonical);
    if (model.stamp.known())
        return m_identities.insert(model.stamp.which()).second;
    struct stat info
    {};
    if (::stat(QFile::encodeName(canonical).constData(), &info) != 0)
        return true;
    return m_identities.emplace(info.st_dev, info.st_ino).second;
}

void ModelScan::found(const FoundModel &model)
{
    if (isNew(model))
        m_found.append(model);
}

} // namespace fireside
