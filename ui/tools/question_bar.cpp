#include "ui/tools/question_bar.h"

#include "ui/style/wrap_layout.h"

#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kBetween = 6;

} // namespace

QLabel *plainLabel(const char *role, const QString &text)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    // By the window, not by each text: some are in other letters.
    const bool fromRight = QGuiApplication::isRightToLeft();
    label->setAlignment(Qt::AlignAbsolute | Qt::AlignVCenter |
                        (fromRight ? Qt::AlignRight : Qt::AlignLeft));
    label->setProperty("role", role);
    return label;
}

QuestionBar::QuestionBar(const char *name, QWidget *parent)
    : QFrame(parent)
    , m_question(plainLabel("heading"))
    , m_content(new QVBoxLayout)
    , m_buttons(new QWidget(this))
{
    setProperty("role", "card");
    setObjectName(QLatin1String(name));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(6);
    column->addWidget(m_question);
    m_content->setSpacing(6);
    column->addLayout(m_content);
    new WrapLayout(m_buttons); // the German ones take two rows of a small window
    m_buttons->layout()->setContentsMargins(0, 0, 0, 0);
    m_buttons->layout()->setSpacing(kBetween);
    column->addWidget(m_buttons);
    hide();
}

void QuestionBar::setQuestion(const QString &question)
{
    m_question->setText(question);
    setAccessibleName(question);
}

QLabel *QuestionBar::addLabel(const char *role)
{
    QLabel *const label = plainLabel(role);
    m_content->addWidget(label);
    return label;
}

void QuestionBar::addContent(QWidget *content)
{
    m_content->addWidget(content);
}

QPushButton *QuestionBar::addButton(const char *name, const QString &text, const QString &help)
{
    auto *button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(help);
    button->setAccessibleDescription(help);
    m_buttons->layout()->addWidget(button);
    return button;
}

} // namespace fireside
