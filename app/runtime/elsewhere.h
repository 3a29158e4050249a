#pragma once
#include "app/runtime/aside_answer.h"
#include "app/runtime/engine_types.h"

#include <QObject>

namespace fireside {

/// Models that something else than this program's engine runs. EngineService asks it in place of
/// its worker when the path of a model is one of these. GUI thread; nothing blocks.
class Elsewhere : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual bool owns(const QString &path) const = 0;
    /// What a model is called, and what to say where others have a placement.
    virtual QString nameOf(const QString &path) const = 0;
    virtual QString placeOf(const QString &path) const = 0;
    /// Answered by loaded() or loadFailed(), unless another model is asked for before.
    virtual void load(const QString &path) = 0;
    /// Ends a load, a reply and a question without a signal.
    virtual void leave() = 0;
    /// To the model that is loaded, several at a time; ends a question.
    virtual void reply(const ReplyJob &job) = 0;
    virtual void stopReply(qint64 jobId) = 0; // 0: all; replyFinished("stopped") follows
    virtual void askAside(const ReplyJob &job) = 0;

signals:
    void loaded(const fireside::ModelStatus &model);
    /// unreachable: nobody answered, so that it may be there later. `model` is what is known of it.
    void loadFailed(const fireside::ModelStatus &model, const QString &message, bool unreachable);
    /// Another reason (it waits to be served, or is served again), or the server runs another
    /// model.
    void changed(const fireside::ModelStatus &model);
    void replyWaits(qint64 jobId); // for the end of another one
    void textAdded(qint64 jobId, const QString &text, const fireside::ReplyStats &stats);
    void partsChanged(qint64 jobId, const QList<fireside::MessagePart> &parts);
    void contextTrimmed(qint64 jobId, int firstSeenMessage);
    void contextFull(qint64 jobId, const fireside::ContextShortage &shortage);
    void replyFinished(qint64 jobId, const fireside::ReplyStats &stats);
    /// unreachable: and nothing was written.
    void replyFailed(qint64 jobId, const QString &message, bool unreachable);
    void asideAnswered(qint64 jobId, const fireside::AsideAnswer &answer);
};

} // namespace fireside
