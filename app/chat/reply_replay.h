#pragma once
#include "app/chat/conversation.h"
#include "app/runtime/engine_types.h"

#include <QObject>

#include <optional>

namespace fireside {

class EngineService;

/// What became of computing a reply once more.
struct ReplayResult
{
    enum Kind { Same, Different, Failed };
    Kind kind = Failed;
    qsizetype at = 0;      // Different: where in the text, UTF-16 units
    QString then{}, now{}; // Different: the words at this place
    QStringList reasons{}; // of a difference: what is not as it was, a clause each
    QString problem{};     // Failed
};

/// Why a reply cannot be computed once more, in a sentence; empty: it can.
QString replayRefusal(const Message &reply);

/// What differs between the record of a reply and the model that is loaded now: "the model is …,
/// it was …". Empty: nothing that is recorded.
QStringList replayDifferences(const QJsonObject &record, const ModelStatus &now,
                              const QString &version);

/// The job that computes the last message of `path`, a reply, with the seed and the settings in its
/// record; its id is left open.
ReplyJob replayJob(const QList<Message> &path);

/// Computes a stored reply once more, with its own seed and settings, and compares the words.
/// Nothing is stored.
class ReplyReplay : public QObject
{
    Q_OBJECT
public:
    explicit ReplyReplay(EngineService &engine, QObject *parent = nullptr);
    ~ReplyReplay() override; // stops it

    /// `path`: from the first message to the reply. finished() tells, also when it cannot begin.
    void start(const QList<Message> &path);
    bool running() const { return m_job != 0; }

signals:
    void progressed(int tokens, int of);
    void finished(const fireside::ReplayResult &result);

private:
    void finish(const ReplyStats &stats);
    void fail(const QString &problem);

    EngineService &m_engine;
    qint64 m_job = 0; // 0: none runs
    Message m_reply;
    QString m_text;
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::ReplayResult)
