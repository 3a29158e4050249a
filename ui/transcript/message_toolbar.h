#pragma once
#include "app/chat/conversation.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace fireside {

/// The buttons below one message: copy, edit, regenerate, continue, branches, and the reply's
/// numbers.
class MessageToolbar : public QWidget
{
    Q_OBJECT
public:
    explicit MessageToolbar(QWidget *parent);

    struct Allowed
    {
        bool edit = false, regenerate = false, goOn = false, branches = false, stats = false,
             details = false;
    };
    void showFor(const Message &message, Allowed allowed);
    /// Where it is narrow, first the figures are left out, then what the menu has, too: buttons
    /// that are squeezed cannot be read.
    void fitInto(int room);
    void showCopied();
    /// It was moved: a button that the pointer no longer is over does not look so.
    void forgetPointer();

signals:
    void copyRequested();
    void editRequested();
    void regenerateRequested();
    void continueRequested();
    void siblingRequested(int step);
    void detailsRequested();

private:
    QToolButton *addButton(const QString &name);

    QToolButton *m_copy, *m_edit, *m_regenerate, *m_continue, *m_previous, *m_next, *m_details;
    QLabel *m_branch, *m_stats;
    bool m_goesOn = false;
    int m_room = -1;
};

/// "312 tokens · 58.2 tokens/s · Fireside starter"; empty when nothing was recorded.
QString replyStatsText(const Message &message);

} // namespace fireside
