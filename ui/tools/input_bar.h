#pragma once
#include "app/tools/input_queue.h"
#include "ui/tools/question_bar.h"

class QScrollArea;

namespace fireside {

class InputForm;

/// What a server of tools asks of the user: a form, or a page that is opened only after a click.
class InputBar : public QuestionBar
{
    Q_OBJECT
public:
    explicit InputBar(QWidget *parent = nullptr);

    /// Nothing: hidden. True: it is another question than before.
    bool setEntry(const std::optional<InputQueue::Entry> &entry);
    void focusQuestion();

signals:
    void answered(qint64 id, const fireside::InputAnswer &answer);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void showRequest(const InputRequest &request);
    void accept();
    void fitHeight();

    qint64 m_id = 0;
    InputRequest m_request;
    QLabel *m_message, *m_page, *m_about;
    QScrollArea *m_scroll;
    QVBoxLayout *m_inside;
    InputForm *m_form = nullptr;
    QPushButton *m_accept, *m_decline, *m_cancel;
};

} // namespace fireside
