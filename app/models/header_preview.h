#pragma once
#include "app/downloads/download_list.h"
#include "app/models/model_library.h"
#include "app/network/reply_head.h"

#include <QMetaType>
#include <QObject>

#include <memory>

namespace fireside {

class NetworkGate;
class Transfer;

/// Describes a model that is not here from the beginnings of its files, so that whether it fits,
/// or cannot be used at all, is known before gigabytes are downloaded.
class HeaderPreview : public QObject
{
    Q_OBJECT
public:
    explicit HeaderPreview(NetworkGate &gate, QObject *parent = nullptr);
    ~HeaderPreview() override;

    /// One question at a time: a newer one ends the older.
    void read(const DownloadRequest &request, const QByteArray &token, const LoadSettings &asked,
              const QList<DeviceStatus> &devices);
    void cancel(); // no signal follows

signals:
    /// As its file would be described; `problem` is set when it could not be loaded.
    void described(const fireside::ModelEntry &entry);
    void failed(const QString &problem); // its header cannot be had, as a clause

private:
    struct Piece
    {
        RemoteFile file;
        qint64 size = -1; // of the whole file
        QByteArray start;
    };
    struct Question;

    void fetch(std::size_t index, qint64 bytes);
    void takeHead(Piece &piece, const ReplyHead &head);
    void take(std::size_t index);
    void next(std::size_t index);
    void describe();
    void end(const QString &problem);

    NetworkGate &m_gate;
    std::unique_ptr<Question> m_question;
    std::unique_ptr<Transfer> m_transfer;
    quint64 m_asked = 0; // only the newest answer counts
};

} // namespace fireside
