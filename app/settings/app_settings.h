#pragma once
#include "app/runtime/engine_types.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace fireside {

/// The program's settings, stored as they change in $XDG_CONFIG_HOME/fireside/fireside.ini. Values
/// out of range fall back to defaults; a corrupt or newer file is set aside as
/// fireside.ini.bak-<time> and problem() says so.
class AppSettings : public QObject
{
    Q_OBJECT
public:
    explicit AppSettings(QObject *parent = nullptr);
    ~AppSettings() override;

    QString problem() const; // one sentence, empty when all is well

    LoadSettings load() const; // defaults for every model
    void setLoad(const LoadSettings &settings);
    SamplingSettings sampling() const;
    void setSampling(const SamplingSettings &settings);

    enum class Theme { System, Light, Dark };
    Theme theme() const;
    void setTheme(Theme theme);
    int fontSize() const; // points, 0: the system's
    void setFontSize(int points);

    QString lastModel() const; // path; empty: the starter model
    void setLastModel(const QString &path);
    QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray &geometry);
    QByteArray splitterState() const;
    void setSplitterState(const QByteArray &state);
    bool listShown() const; // the list of chats
    void setListShown(bool shown);
    bool welcomeSeen() const;
    void setWelcomeSeen(bool seen);
    bool dropOldest() const; // standing choice when a chat outgrows the context
    void setDropOldest(bool drop);

signals:
    void loadChanged();
    void samplingChanged();
    void appearanceChanged();
    void dropOldestChanged();
    void problemChanged(const QString &problem); // a change could not be stored

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace fireside
