#include "app/settings/collection_file.h"

#include "app/files/write_file.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace fireside {
namespace {

struct CollectionTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::CollectionFile)
};

constexpr int kCollectionVersion = 1;

} // namespace

CollectionFile::CollectionFile(const QString &name, const QString &format)
    : m_path(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
             QStringLiteral("/fireside/") + name)
    , m_format(format)
{
    if (!QFile::exists(m_path))
        return;
    if (const auto entries = read(m_path, m_format, &m_problem)) {
        m_entries = *entries;
        return;
    }
    const QString aside = m_path + QStringLiteral(".bak-") +
                          QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    if (QFile::rename(m_path, aside))
        m_problem += QLatin1Char(' ') + CollectionTexts::tr("It was kept as %1.").arg(aside);
}

bool CollectionFile::store(const QJsonArray &entries)
{
    m_entries = entries; // for this run, whatever the disk says
    m_problem = write(m_path, m_format, entries);
    m_unsaved = !m_problem.isEmpty();
    return !m_unsaved;
}

std::optional<QJsonArray> CollectionFile::read(const QString &path, const QString &format,
                                               QString *problem)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        *problem = CollectionTexts::tr("%1 cannot be read: %2.").arg(path, file.errorString());
        return std::nullopt;
    }
    if (file.size() > kMostBytes) {
        *problem = CollectionTexts::tr("%1 has %2 bytes, more than the %3 that are read.")
                       .arg(path)
                       .arg(file.size())
                       .arg(kMostBytes);
        return std::nullopt;
    }
    QJsonParseError error;
    const QJsonObject json = QJsonDocument::fromJson(file.readAll(), &error).object();
    if (json[QLatin1String("format")].toString() != format ||
        !json[QLatin1String("entries")].isArray()) {
        *problem =
            error.error != QJsonParseError::NoError
                ? CollectionTexts::tr("%1 is no valid JSON: %2.").arg(path, error.errorString())
                : CollectionTexts::tr("%1 is no file of this kind (“format” is not “%2”).")
                      .arg(path, format);
        return std::nullopt;
    }
    return json[QLatin1String("entries")].toArray();
}

QString CollectionFile::write(const QString &path, const QString &format, const QJsonArray &entries)
{
    const QJsonObject json{{QStringLiteral("format"), format},
                           {QStringLiteral("version"), kCollectionVersion},
                           {QStringLiteral("entries"), entries}};
    const QString problem = writeFile(path, QJsonDocument(json).toJson());
    return problem.isEmpty() ? problem
                             : CollectionTexts::tr("%1 cannot be written: %2.").arg(path, problem);
}

} // namespace fireside
