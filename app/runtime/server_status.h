#pragma once
#include <QDateTime>
#include <QList>
#include <QString>

namespace fireside {

/// What the window's server does, and for whom.
struct ServerStatus
{
    struct Client
    {
        QString address, program;
        int running = 0; // requests
        qint64 requests = 0, promptTokens = 0, generatedTokens = 0;
        QDateTime last;
    };
    bool running = false;
    QString address; // "http://127.0.0.1:8080/v1"
    QString problem; // why it does not run
    QString model;   // as programs call it; empty: none is loaded
    int requestsRunning = 0, requestsWaiting = 0;
    double tokensPerSecond = 0; // of all replies together, the window's too, lately
    QList<Client> clients;      // the latest first
    int activeClients() const
    {
        int count = 0;
        for (const Client &client : clients)
            count += client.running > 0;
        return count;
    }
};

} // namespace fireside
