#pragma once
#include <QFrame>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

/// Of a server's or a model's words: no markup, as long as they like.
QLabel *plainLabel(const char *role, const QString &text = {});

/// A card above the message field that asks something: the question, what belongs to it, and
/// buttons in as many rows as they need.
class QuestionBar : public QFrame
{
    Q_OBJECT
protected:
    QuestionBar(const char *name, QWidget *parent);

    void setQuestion(const QString &question);
    /// Between the question and the buttons.
    QLabel *addLabel(const char *role);
    void addContent(QWidget *content);
    QPushButton *addButton(const char *name, const QString &text = {}, const QString &help = {});

private:
    QLabel *m_question;
    QVBoxLayout *m_content;
    QWidget *m_buttons;
};

} // namespace fireside
