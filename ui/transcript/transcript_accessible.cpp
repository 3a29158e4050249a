#include "ui/transcript/transcript_accessible.h"

#include "ui/transcript/transcript_view.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>

namespace fireside {

namespace {

QString spokenCall(const Message &message)
{
    const MessageItem item(message);
    return TranscriptView::tr("Tool %1, %2").arg(item.callTitle(), item.callState());
}

QString spokenName(const Message &message)
{
    QString who = message.role == QLatin1String("user") ? TranscriptView::tr("You")
                                                        : TranscriptView::tr("Reply");
    switch (message.state) {
    case Message::State::Streaming:
        who = TranscriptView::tr("Reply in progress");
        break;
    case Message::State::Stopped:
        who = TranscriptView::tr("Stopped reply");
        break;
    case Message::State::Interrupted:
        who = TranscriptView::tr("Interrupted reply");
        break;
    case Message::State::Failed:
        who = TranscriptView::tr("Failed reply: %1").arg(message.error);
        break;
    case Message::State::Complete:
        break;
    }
    if (isCall(message))
        who = spokenCall(message);
    constexpr qsizetype kSpoken = 20000; // no screen reader wants megabytes at once
    return TranscriptView::tr("%1: %2").arg(who, message.text.left(kSpoken));
}

/// What was last announced, as a notification that appears: screen readers read these, and Qt has
/// no announcements before 6.8.
class AccessibleNotification : public QAccessibleInterface
{
public:
    explicit AccessibleNotification(TranscriptView *view)
        : m_view(view)
    {}

    void setText(const QString &text) { m_text = text; }

    bool isValid() const override { return true; }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_view);
    }
    QAccessibleInterface *child(int) const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name ? m_text : QString();
    }
    void setText(QAccessible::Text, const QString &) override {}
    QRect rect() const override { return {}; }
    QAccessible::Role role() const override { return QAccessible::Notification; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.readOnly = true;
        return state;
    }

private:
    TranscriptView *m_view;
    QString m_text;
};

class AccessibleTranscript;

class AccessibleMessage : public QAccessibleInterface
{
public:
    AccessibleMessage(TranscriptView *view, int index)
        : m_view(view)
        , m_index(index)
    {}

    bool isValid() const override { return m_view && m_index < m_view->count(); }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_view);
    }
    QAccessibleInterface *child(int) const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        return isValid() && kind == QAccessible::Name ? spokenName(m_view->messageAt(m_index))
                                                      : QString();
    }
    void setText(QAccessible::Text, const QString &) override {}
    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRect rect = m_view->messageRect(m_index);
        return QRect(m_view->viewport()->mapToGlobal(rect.topLeft()), rect.size());
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.readOnly = state.focusable = state.selectable = true;
        if (isValid()) {
            state.focused = m_view->hasFocus() && m_view->focusedMessage() == m_index;
            state.busy = m_view->messageAt(m_index).state == Message::State::Streaming;
            state.offscreen = !m_view->viewport()->rect().intersects(m_view->messageRect(m_index));
        } else {
            state.invalid = true;
        }
        return state;
    }
    int index() const { return m_index; }

private:
    TranscriptView *m_view;
    int m_index;
};

class AccessibleTranscript : public QAccessibleWidget
{
public:
    explicit AccessibleTranscript(TranscriptView *view)
        : QAccessibleWidget(view, QAccessible::List)
    {}
    ~AccessibleTranscript() override
    {
        for (const QAccessible::Id id : std::as_const(m_children))
            QAccessible::deleteAccessibleInterface(id);
        if (m_notification)
            QAccessible::deleteAccessibleInterface(m_notificationId);
    }

    int childCount() const override { return view()->count(); }

    QAccessibleInterface *child(int index) const override
    {
        if (index < 0 || index >= view()->count())
            return nullptr;
        if (const auto known = m_children.constFind(index); known != m_children.constEnd())
            return QAccessible::accessibleInterface(*known);
        auto *made = new AccessibleMessage(view(), index); // the registry owns it
        m_children.insert(index, QAccessible::registerAccessibleInterface(made));
        return made;
    }

    QAccessibleInterface *childAt(int x, int y) const override
    {
        const QPoint point = view()->viewport()->mapFromGlobal(QPoint(x, y));
        for (int i = 0; i < view()->count(); ++i) {
            const QRect rect = view()->messageRect(i);
            if (rect.top() > view()->viewport()->height())
                break;
            if (rect.contains(point))
                return child(i);
        }
        return nullptr;
    }

    int indexOfChild(const QAccessibleInterface *child) const override
    {
        for (auto it = m_children.cbegin(); it != m_children.cend(); ++it) {
            if (QAccessible::accessibleInterface(*it) == child)
                return it.key();
        }
        return -1;
    }

    QAccessibleInterface *focusChild() const override
    {
        return view()->hasFocus() ? child(view()->focusedMessage()) : nullptr;
    }

    /// Not among the children: it comes with its event, and is no message.
    void notify(const QString &text)
    {
        if (!m_notification) {
            m_notification = new AccessibleNotification(view()); // the registry owns it
            m_notificationId = QAccessible::registerAccessibleInterface(m_notification);
        }
        m_notification->setText(text);
        QAccessibleEvent event(m_notification, QAccessible::ObjectShow);
        QAccessible::updateAccessibility(&event);
    }

private:
    TranscriptView *view() const { return static_cast<TranscriptView *>(widget()); }

    AccessibleNotification *m_notification = nullptr;
    QAccessible::Id m_notificationId = 0;
    mutable QHash<int, QAccessible::Id> m_children; // made when asked for
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    if (auto *view = qobject_cast<TranscriptView *>(object))
        return new AccessibleTranscript(view);
    return nullptr;
}

} // namespace

void installTranscriptAccessibility()
{
    static const bool installed = (QAccessible::installFactory(makeInterface), true);
    Q_UNUSED(installed)
}

void notifyMessageFocus(TranscriptView *view, int index)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleEvent event(view, QAccessible::Focus);
    event.setChild(index);
    QAccessible::updateAccessibility(&event);
}

void announce(TranscriptView *view, const QString &text)
{
    if (!QAccessible::isActive() || text.isEmpty())
        return;
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
    QAccessibleAnnouncementEvent event(view, text);
    QAccessible::updateAccessibility(&event);
#else
    if (auto *list =
            dynamic_cast<AccessibleTranscript *>(QAccessible::queryAccessibleInterface(view)))
        list->notify(text);
#endif
}

} // namespace fireside
