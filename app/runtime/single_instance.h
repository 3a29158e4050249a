#pragma once
#include <QLocalServer>
#include <QLockFile>
#include <QObject>
#include <QString>

#include <memory>

namespace fireside {

/// One running program per user and data folder, so that the conversations have one writer. A lock
/// file in the folder decides who is first; a second program hands its request to the first and
/// ends.
class SingleInstance : public QObject
{
    Q_OBJECT
public:
    explicit SingleInstance(const QString &dataFolder, QObject *parent = nullptr);
    ~SingleInstance() override;

    /// True: this is the first, raiseRequested() will tell of others. False: the first one was
    /// asked to come to the front and to load `modelPath` (empty: nothing).
    bool claim(const QString &modelPath);
    /// After claim() gave false: whether the first one took the request. If not, it hangs, or is
    /// another user's.
    bool firstAnswered() const { return m_answered; }

signals:
    void raiseRequested(const QString &modelPath);

private:
    bool tellFirst(const QString &modelPath);
    void listen();
    void readRequests();

    QString m_folder, m_socket;
    bool m_answered = false;
    std::unique_ptr<QLockFile> m_lock;
    QLocalServer m_server;
};

} // namespace fireside
