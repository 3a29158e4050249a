#pragma once
#include "app/chat/call_question.h"
#include "ui/tools/question_bar.h"

#include <optional>

class QPlainTextEdit;

namespace fireside {

/// Asks whether a call of a tool may run.
class CallBar : public QuestionBar
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

private:
    QLabel *m_about;
    QPlainTextEdit *m_arguments;
    QList<QPushButton *> m_answers;
    QPushButton *m_show;
    std::optional<CallQuestion> m_question;
};

} // namespace fireside
