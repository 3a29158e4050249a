#include "app/models/model_scan.h"

#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QThreadPool>
#include <QtConcurrent>

#include <algorithm>
#include <utility>

#include <sys/stat.h>

namespace fireside {
namespace {

constexpr qint64 kEnd = 4096;                      // bytes: of a file's beginning and end
constexpr qint64 kPiece = 64 * 1024, kPieces = 16; // of its samples
constexpr qsizetype kDigest = 32;

/// A digest of so many pieces of a file, spread evenly from its beginning to its end. Empty when it
/// cannot be read.
QByteArray digestOf(const QString &path, qint64 pieces, qint64 length)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return {};
    QCryptographicHash digest(QCryptographicHash::Sha256);
    for (qint64 i = 0; i < pieces; ++i) {
        const qint64 at = std::max<qint64>(0, file.size() - length) / (pieces - 1) * i;
        if (!file.seek(i + 1 < pieces ? at : std::max<qint64>(0, file.size() - length)))
            return {};
        const QByteArray piece = file.read(length);
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

void ModelScan::abort(const char *why)
{
    problem({}, QString::fromStdString(printable(why)));
    tell([&] { m_events.finished(m_folders); });
}

/// A digest of a file's ends: where it is alone with these, nothing else needs to be read.
QByteArray ModelScan::endsOf(const FoundModel &model) const
{
    const FileIdentity file = identity(model);
    QByteArray known = m_request.cache ? m_request.cache->findContent(file) : QByteArray();
    if (known.isEmpty()) {
        known = digestOf(model.path, 2, kEnd);
        if (m_request.cache && !known.isEmpty())
            m_request.cache->insertContent(file, known);
    }
    return known.left(kDigest);
}

/// What tells a file of many gigabytes from others of its size and with its ends without reading
/// all of it: pieces spread over it.
QByteArray ModelScan::samplesOf(const FoundModel &model, const QByteArray &ends) const
{
    const FileIdentity file = identity(model);
    QByteArray known = m_request.cache ? m_request.cache->findContent(file) : QByteArray();
    if (known.size() < 2 * kDigest) {
        const QByteArray samples = digestOf(model.path, kPieces, kPiece);
        if (samples.isEmpty())
            return {};
        known = ends + samples;
        if (m_request.cache)
            m_request.cache->insertContent(file, known);
    }
    return known;
}

FileIdentity ModelScan::identity(const FoundModel &model)
{
    return model.stamp.known() ? identityOf(model.path, model.stamp) : identityOf(model.path);
}

void ModelScan::walkSources()
{
    if (!m_request.starter.isEmpty()) {
        FoundModel starter;
        starter.path = m_request.starter;
        starter.source = QStringLiteral("Starter (built in)");
        starter.bytes = QFileInfo(starter.path).size();
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

/// Files of the same size and content are one model, where it was found first. What lacks parts
/// cannot stand for a complete one.
void ModelScan::joinCopies()
{
    QHash<qint64, int> withSize;
    for (const FoundModel &model : std::as_const(m_found))
        ++withSize[model.bytes];
    QList<QByteArray> endsOfAll;
    for (const FoundModel &model : std::as_const(m_found)) {
        const bool alone =
            model.bytes <= 0 || !model.problem.isEmpty() || withSize.value(model.bytes) < 2;
        endsOfAll.append(alone || cancelled() ? QByteArray() : endsOf(model));
    }
    QHash<QByteArray, int> withEnds;
    for (const QByteArray &one : endsOfAll)
        ++withEnds[one];
    QHash<QByteArray, qsizetype> first; // by content
    QList<FoundModel> kept;
    for (qsizetype i = 0; i < m_found.size(); ++i) {
        const QByteArray &own = endsOfAll[i];
        QByteArray content = !own.isEmpty() && withEnds[own] > 1 && !cancelled()
                                 ? samplesOf(m_found[i], own)
                                 : QByteArray();
        if (!content.isEmpty()) // of the first part only
            content += QByteArray::number(m_found[i].bytes);
        const auto known = first.constFind(content);
        if (content.isEmpty() || known == first.constEnd()) {
            if (!content.isEmpty())
                first.insert(content, kept.size());
            kept.append(std::move(m_found[i]));
            continue;
        }
        kept[*known].copies.append({m_found[i].source, m_found[i].path, m_found[i].name});
    }
    m_found = std::move(kept);
}

/// Some at a time by all processors, in their order. By threads of its own: this runs on one of the
/// program's pool, and waiting there for others of the same pool may have no end.
void ModelScan::describeAll()
{
    constexpr qint64 kTellEvery = 40; // ms: more than that nobody sees
    constexpr int kAtOnce = 16;
    const std::function<ModelEntry(const FoundModel &)> described = [&](const FoundModel &model) {
        if (cancelled())
            return ModelEntry();
        ModelEntry entry;
        entry.path = model.path;
        containExceptions(
            "library.describe",
            [&] { entry = describeFound(model, m_request.asked, m_request.cache.get()); },
            [&](const Error &error) {
                entry.problem = QString::fromStdString(printable(error.what()));
            });
        entry.builtIn = model.path == m_request.starter;
        return entry;
    };
    const int count = static_cast<int>(m_found.size());
    QThreadPool threads;
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
            &threads, first, first + std::min(kAtOnce, count - done), described);
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
