#pragma once
#include <QEvent>
#include <QObject>
#include <QWidget>

namespace fireside {

/// On a page that scrolls the wheel scrolls: it changes no control that happens to pass below it.
class PageWheel : public QObject
{
public:
    static void leaveToPage(QWidget *control)
    {
        control->setFocusPolicy(Qt::StrongFocus);
        control->installEventFilter(new PageWheel(control));
    }

protected:
    bool eventFilter(QObject * /*control*/, QEvent *event) override
    {
        if (event->type() != QEvent::Wheel)
            return false;
        event->ignore(); // goes on to the parent
        return true;
    }

private:
    explicit PageWheel(QWidget *control)
        : QObject(control)
    {}
};

} // namespace fireside
