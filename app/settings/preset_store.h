#pragma once
#include "app/settings/collection_file.h"
#include "app/settings/sampling_layers.h"

#include <QList>
#include <QObject>

namespace fireside {

struct Preset
{
    QString name; // of the built-in ones in the window's language
    SettingValues values;
    bool builtIn = false;
};

/// Named settings of replies: a few that come with the program, and a person's own, stored as they
/// change. Names are unique, whatever their case.
class PresetStore : public QObject
{
    Q_OBJECT
public:
    explicit PresetStore(QObject *parent = nullptr);

    QList<Preset> presets() const;                 // the built-in ones first, the others by name
    const Preset *find(const QString &name) const; // nullptr: none
    /// A sentence that says why not, or nothing.
    QString refusalOf(const QString &name) const;
    /// An own one of this name is replaced.
    void save(const QString &name, const SettingValues &values);
    void rename(const QString &from, const QString &to);
    void remove(const QString &name);
    /// How many were taken; names that exist get a number. -1 and problem() where it is no such
    /// file.
    int importFrom(const QString &path);
    bool exportTo(const QString &path); // the own ones
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
    QList<Preset> m_builtIn, m_own;
    QString m_problem;
};

} // namespace fireside
