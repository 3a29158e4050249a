#pragma once
#include "app/chat/reply_replay.h"

#include <QDialog>
#include <QList>
#include <QPair>

class QLabel;
class QPushButton;

namespace fireside {

/// How a reply was made, in rows of a name and a value, as its record tells.
QList<QPair<QString, QString>> replyDetails(const Message &reply);
/// "The same: all words, as then.", or where and why not.
QString replayText(const ReplayResult &result);

/// How one reply was made, and a button that computes it once more with the same seed and settings.
class ReplyDetailsDialog : public QDialog
{
    Q_OBJECT
public:
    /// `path`: from the first message to the reply.
    ReplyDetailsDialog(EngineService &engine, const QList<Message> &path,
                       QWidget *parent = nullptr);

private:
    void updateButton();

    EngineService &m_engine;
    const QList<Message> m_path;
    ReplyReplay m_replay;
    QPushButton *m_button;
    QLabel *m_result;
};

} // namespace fireside
