#pragma once
#include "app/tools/input_request.h"

#include <QList>
#include <QObject>
#include <QPointer>

namespace fireside {

namespace mcp {
class Client;
}

/// What servers ask of the user, one after the other.
class InputQueue : public QObject
{
    Q_OBJECT
public:
    struct Entry
    {
        qint64 id = 0;
        InputRequest request;
    };

    using QObject::QObject;

    /// Its questions come here from now on. Before it is started.
    void follow(mcp::Client &client);
    /// The one to be answered now; nothing: nobody asks.
    std::optional<Entry> first() const;
    int count() const { return static_cast<int>(m_entries.size()); }
    /// A page that is accepted is opened; where its errand is waited for, a second Accept says that
    /// it is done.
    void answer(qint64 id, const InputAnswer &answer);

signals:
    void changed();
    void browserWanted(const QUrl &address);

private:
    struct Kept : Entry
    {
        QPointer<mcp::Client> client;
        qint64 clientsId = 0;
    };
    void drop(const QObject *client);
    qsizetype indexOf(const mcp::Client *client, qint64 clientsId) const;

    QList<Kept> m_entries;
    qint64 m_lastId = 0;
};

} // namespace fireside
