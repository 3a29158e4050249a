#pragma once
#include "app/settings/appearance_settings.h"
#include "app/settings/cache_settings.h"
#include "app/settings/chat_settings.h"
#include "app/settings/load_settings.h"
#include "app/settings/sampling_layers.h"
#include "app/settings/server_settings.h"

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace fireside {

class PresetStore;
class PromptStore;

/// A window beside the first one, as it comes back.
struct OtherWindow
{
    qint64 conversation = 0; // 0: a new one
    QByteArray geometry{};   // empty: wherever there is room
    bool operator==(const OtherWindow &) const = default;
};

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
    /// Tries again to store what the disk has refused. What is then still only in memory, by name:
    /// "settings", "presets", "prompts", in the window's language.
    QStringList unsaved();
    /// Copies of all three in another folder; empty, or why they could not be written.
    QString writeCopies(const QString &folder);

    // Each group that is set is brought into range first.
    LoadSettings load() const; // defaults for every model
    void setLoad(const LoadSettings &settings);
    /// What a model was last loaded with, where that differed from the settings of every model.
    LoadSettings loadOf(const QString &model) const;
    void setLoadOf(const QString &model, const LoadSettings &settings);
    /// Without what a model recommends.
    SamplingSettings sampling() const;
    /// What was decided for all chats.
    SamplingChoice samplingChoice() const;
    void setSampling(const SamplingChoice &choice);
    PresetStore &presets();
    PromptStore &prompts();

    ChatSettings chat() const;
    void setChat(const ChatSettings &settings);
    CacheSettings cache() const;
    void setCache(const CacheSettings &settings);
    ServerSettings server() const;
    void setServer(const ServerSettings &settings);
    AppearanceSettings appearance() const;
    void setAppearance(const AppearanceSettings &settings);

    QString lastModel() const; // path; empty: the starter model
    void setLastModel(const QString &path);
    qint64 lastConversation() const; // of the first window; 0: none, or a new one
    void setLastConversation(qint64 id);
    QList<OtherWindow> otherWindows() const; // besides the first
    void setOtherWindows(const QList<OtherWindow> &windows);
    QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray &geometry);
    QByteArray splitterState() const;
    void setSplitterState(const QByteArray &state);
    QStringList closedFolders() const; // of the list of chats
    void setClosedFolders(const QStringList &folders);
    bool listShown() const; // the list of chats
    void setListShown(bool shown);

signals:
    void loadChanged();
    void samplingChanged();
    void chatChanged();
    void cacheChanged();
    void serverChanged();
    void appearanceChanged();
    /// Changes cannot be stored; empty: they are now.
    void problemChanged(const QString &problem);

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace fireside
