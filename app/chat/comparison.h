#pragma once
#include "app/chat/chat_controller.h"
#include "app/remote/remote_models.h"
#include "app/runtime/engine_service.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace fireside {

class AppSettings;
class Connections;

/// The questions of a chat go to a second model, too: its replies are other versions of the same
/// chat's. It has an engine of its own. Both answer at once where neither is in the other's way;
/// where both compute on one device, or do not fit into memory together, one after the other.
class Comparison : public QObject
{
    Q_OBJECT
public:
    /// All must outlive this. engine: the second model's, not started yet.
    Comparison(ChatController &first, EngineService &firstEngine, Connections &connections,
               std::unique_ptr<EngineService> engine, QObject *parent = nullptr);
    ~Comparison() override; // shuts the second engine down

    ChatController &second() { return *m_second; }
    EngineService &secondEngine() { return *m_engine; }
    RemoteModels &secondServers() { return m_servers; }

    /// What the second model is. Looks first whether both fit into memory.
    void load(const QString &path, const LoadSettings &settings);
    /// Both replies end; a message that the second has not answered yet stands in its column with
    /// an empty reply.
    void stop();
    /// Why they answer one after the other, a sentence; empty: at once.
    QString turnsReason() const;
    /// … of two models that fit into memory together.
    static QString turnsReason(const ModelStatus &one, const ModelStatus &other);
    /// The second has not answered what the first was asked.
    bool waiting() const { return m_asked.has_value(); }
    /// No message can be sent yet.
    bool busy() const { return waiting() || m_second->replying() || m_makingRoom; }
    /// The first's branch is in view when the chat is opened again.
    void keepFirst();
    /// So is the second's, in the first's place. Returns the model it was written by.
    std::optional<ModelStatus> keepSecond();

signals:
    void changed();

private:
    struct Asked
    {
        qint64 message = 0, parent = 0;
        QString text;
    };
    void connectFirst();
    void connectSecond();
    void useSampling();
    void follow();
    void look(int index);
    void next();
    void askSecond();
    bool isShared(const Asked &asked) const;
    void skipSecond(const QString &problem);
    void afterSecond();
    void makeRoom(EngineService &engine);

    ChatController &m_first;
    EngineService &m_firstEngine;
    RemoteModels m_servers;
    std::unique_ptr<EngineService> m_engine;
    std::unique_ptr<ChatController> m_second;
    QString m_path; // of the second model; empty: none was chosen
    LoadSettings m_settings;
    QString m_short;           // why both do not fit, with numbers; empty: they do
    bool m_looking = false;    // whether they fit
    bool m_makingRoom = false; // a model is being unloaded for the other
    quint64 m_looks = 0;
    qint64 m_conversation = 0;
    std::optional<Asked> m_asked;
};

} // namespace fireside
