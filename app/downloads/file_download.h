#pragma once
#include "app/downloads/file_check.h"
#include "app/downloads/part_file.h"
#include "app/network/transfer.h"

#include <QFutureWatcher>
#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace fireside {

class NetworkGate;

/// One file on its way: several ranges at once where the server can, going on after cuts and after
/// restarts of the program, named only when its content is right.
class FileDownload : public QObject
{
    Q_OBJECT
public:
    enum class Phase { Idle, Receiving, Waiting, Checking, Over };

    /// `laterBytes`: what else is to find room on the disk.
    FileDownload(NetworkGate &gate, const QString &folder, const RemoteFile &file,
                 const QByteArray &token, const DownloadPolicy &policy, qint64 laterBytes = 0,
                 QObject *parent = nullptr);
    ~FileDownload() override; // as stop()

    void start();
    void stop();    // what is there stays for the next start(); no signal follows
    void discard(); // stop(), and nothing stays

    Phase phase() const { return m_phase; }
    qint64 bytesDone() const { return m_part.done().bytes(); }
    qint64 bytesTotal() const { return m_part.size(); } // −1: not known
    /// What happened on the way, as a clause: a cut that is being waited out, a new beginning.
    QString note() const { return m_note; }

signals:
    void progressed();
    /// `problem` empty: the file has its name.
    void finished(const QString &problem);

private:
    struct Stream
    {
        std::unique_ptr<Transfer> transfer;
        ByteRange range; // end −1: of unknown length
        qint64 at = 0;
        bool whole = false; // asked without a range, or answered so
        bool endIsMarked = false;
    };
    using Kind = TransferFailure::Kind;

    void check();
    void fill();
    void begin(ByteRange range, bool whole);
    void drop(Stream &stream);
    void dropAll();
    std::vector<ByteRange> unclaimed() const;

    void takeHead(Stream &stream, const ReplyHead &head);
    void takeRange(Stream &stream, const ReplyHead &head);
    void takeWhole(Stream &stream, const ReplyHead &head);
    void takeUnsatisfiable(Stream &stream, const ReplyHead &head);
    void takeData(Stream &stream, const QByteArray &data);
    void takeEnd(Stream &stream);
    void takeFailure(Stream &stream, const TransferFailure &failure);

    void beginAnew(const QString &why, bool withRanges);
    void retry(const TransferFailure &failure);
    void checkContent();
    void saveState();
    QString spaceProblem() const;
    void fail(const QString &problem);
    void end(const QString &problem);
    void enter(Phase phase);

    NetworkGate &m_gate;
    const RemoteFile m_file;
    const QByteArray m_token;
    const DownloadPolicy m_policy;
    const qint64 m_laterBytes;
    PartFile m_part;
    Phase m_phase = Phase::Idle;
    QString m_note;
    std::vector<std::unique_ptr<Stream>> m_streams;
    bool m_checksTarget = false; // a whole file that was there already
    bool m_known = false;        // the server has said what the file is
    bool m_ranges = true;        // it can send parts
    int m_failures = 0;          // since there was progress
    int m_beginnings = 0;        // because the file or the server changed
    qint64 m_sinceFailure = 0;
    QTimer m_retry, m_save;
    QFutureWatcher<QString> m_check;
    std::shared_ptr<CheckProgress> m_checking;
};

} // namespace fireside
