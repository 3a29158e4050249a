#pragma once
#include <QJsonArray>
#include <QString>

#include <optional>

namespace fireside {

/// A list that a person collects, in a JSON file of the program's settings folder:
/// {"format": …, "version": 1, "entries": […]}. The same form is exported and imported.
class CollectionFile
{
public:
    static constexpr qint64 kMostBytes = 16 << 20;

    /// name: "presets.json". A file that cannot be read is set aside under another name.
    CollectionFile(const QString &name, const QString &format);

    const QJsonArray &entries() const { return m_entries; }
    bool store(const QJsonArray &entries); // false: problem() says why
    /// Writes what could not be written so far; true when nothing is left of that.
    bool storeAgain() { return !m_unsaved || store(m_entries); }
    const QString &problem() const { return m_problem; }

    /// The entries of a file of this form; nullopt and a sentence where it is none. For any thread.
    static std::optional<QJsonArray> read(const QString &path, const QString &format,
                                          QString *problem);
    /// Empty, or why it could not be written.
    static QString write(const QString &path, const QString &format, const QJsonArray &entries);

private:
    const QString m_path, m_format;
    QJsonArray m_entries;
    QString m_problem;
    bool m_unsaved = false;
};

} // namespace fireside
