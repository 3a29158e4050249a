#pragma once
#include "app/chat/call_question.h"

#include <QFrame>

#include <optional>

class QBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace fireside {

/// Asks whether a call of a tool may run.
class CallBar : public QFrame
{
    Q_OBJECT
public:
    explicit CallBar(QWidget *parent = nullptr);

    /// without: hidden. here: it is of the chat in view.
    void setQuestion(const std::optional<CallQuestion> &question, bool here);
    void focusQuestion();

signals:
    void answered(fireside::CallAnswer answer);
    void showRequested(qint64 conversation);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fitButtons();

    QLabel *m_text, *m_about;
    QPlainTextEdit *m_arguments;
    QWidget *m_buttons;
    QBoxLayout *m_row;
    QPushButton *m_show;
    std::optional<CallQuestion> m_question;
};

} // namespace fireside
