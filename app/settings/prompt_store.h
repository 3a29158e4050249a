#pragma once
#include "app/settings/collection_file.h"

#include <QList>
#include <QMap>
#include <QObject>
#include <QStringList>

namespace fireside {

/// A text to be used again. {{name}} in it is asked for when it is inserted.
struct Prompt
{
    QString name, text;
    bool system = false; // for the chat's system prompt, not for a message
    bool operator==(const Prompt &) const = default;
};

/// The names between {{ and }} in a text, each once, in the order in which they come.
QStringList promptVariables(const QString &text);
/// The text with values in their places; what has none stays.
QString filledPrompt(const QString &text, const QMap<QString, QString> &values);

/// A person's prompts, stored as they change, in alphabetical order.
class PromptStore : public QObject
{
    Q_OBJECT
public:
    explicit PromptStore(QObject *parent = nullptr);

    const QList<Prompt> &prompts() const { return m_prompts; }
    /// Those whose name, or else text, has all the words; those whose name begins with the text
    /// first.
    QList<Prompt> matching(const QString &words) const;
    /// In place of the one that was called `before`; empty: a new one. A name that another one has
    /// gets a number. The name it has then.
    QString save(const QString &before, const Prompt &prompt);
    void remove(const QString &name);
    int importFrom(const QString &path); // how many; -1: problem() says why not
    bool exportTo(const QString &path);
    QString problem() const { return m_problem; }
    /// Writes what could not be written so far; true when nothing is left of that.
    bool storeAgain();

signals:
    void changed();

private:
    void take(const QJsonArray &entries);
    void store();
    QString freeName(const QString &name) const;
    QJsonArray toEntries() const;

    CollectionFile m_file;
    QList<Prompt> m_prompts;
    QString m_problem;
};

} // namespace fireside
