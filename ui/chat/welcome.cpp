#include "ui/chat/welcome.h"

#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

namespace {

/// The program's mark, drawn in the theme's colour.
class Mark : public QWidget
{
public:
    Mark() { setFixedSize(56, 56); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        icon(IconName::Flame, IconTint::Accent).paint(&painter, rect());
    }
};

constexpr int kGap = 12, kCompactGap = 6, kMargin = 20, kCompactMargin = 8; // px

QString modelFacts(const ModelStatus &model)
{
    const QLocale locale;
    QStringList facts;
    if (model.parameters >= 1000000000)
        facts += Welcome::tr("%1 billion parameters")
                     .arg(locale.toString(double(model.parameters) / 1e9, 'f', 1));
    else if (model.parameters > 0)
        facts += Welcome::tr("%1 million parameters")
                     .arg(locale.toString(double(model.parameters) / 1e6, 'f', 0));
    if (!model.quantisation.isEmpty())
        facts += model.quantisation;
    if (model.context > 0)
        facts += Welcome::tr("remembers %1 tokens").arg(locale.toString(model.context));
    return facts.join(QStringLiteral(" · "));
}

} // namespace

Welcome::Welcome(QWidget *parent)
    : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Welcome"));
    auto *page = new QWidget;
    m_outer = new QVBoxLayout(page);
    m_column = new QVBoxLayout;
    m_outer->addStretch(2);
    m_outer->addLayout(m_column);
    m_outer->addStretch(3);

    m_mark = new Mark;
    m_column->addWidget(m_mark, 0, Qt::AlignHCenter);
    const auto label = [this](const char *role) {
        auto *made = new QLabel;
        made->setTextFormat(Qt::PlainText); // a model's name comes from its file
        made->setAlignment(Qt::AlignHCenter);
        made->setWordWrap(true);
        made->setProperty("role", role);
        m_column->addWidget(made, 0, Qt::AlignHCenter);
        return made;
    };
    m_title = label("title");
    m_text = label("muted");
    m_tryLabel = label("muted");
    m_tryLabel->setText(tr("Try one of these"));
    for (int i = 0; i < 3; ++i) {
        auto *button = new QPushButton;
        button->setProperty("role", "card");
        connect(button, &QPushButton::clicked, this,
                [this, i] { emit exampleChosen(m_questions.value(i)); });
        m_column->addWidget(button, 0, Qt::AlignHCenter);
        m_examples += button;
    }
    m_models = new QPushButton(icon(IconName::Plus, IconTint::OnAccent), tr("Add a model"));
    m_models->setProperty("role", "primary");
    m_models->setObjectName(QStringLiteral("welcomeModels"));
    m_models->setToolTip(tr("Download one, or choose from those on this computer (Ctrl+L)"));
    connect(m_models, &QPushButton::clicked, this, &Welcome::modelsRequested);
    m_column->addWidget(m_models, 0, Qt::AlignHCenter);
    setWidget(page);
    page->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    showNoModel();
}

void Welcome::showTexts(const QString &title, const QString &text, const QStringList &examples)
{
    m_title->setText(title);
    m_text->setText(text);
    m_questions = examples;
    // The starter model knows English alone: its question marks stay at the ends.
    const bool foreign = isRightToLeft() && !examples.value(0).isRightToLeft();
    const QString end = foreign ? QString(QChar(0x200E)) : QString();
    for (qsizetype i = 0; i < m_examples.size(); ++i) {
        m_examples[i]->setVisible(i < examples.size());
        m_examples[i]->setText(examples.value(i) + end);
        m_examples[i]->setAccessibleDescription(tr("Sends this question"));
    }
    fitTexts();
}

/// A wrapping label in a centred column must be told its width and the height that goes with it.
void Welcome::fitTexts()
{
    const int width = std::clamp(viewport()->width() - 56, 200, 560);
    for (QLabel *label : {m_title, m_text, m_tryLabel}) {
        label->setFixedWidth(width);
        label->setFixedHeight(label->heightForWidth(width));
    }
    for (QPushButton *button : m_examples)
        button->setFixedWidth(std::min(width, 380));
    arrange(false);
    if (m_outer->sizeHint().height() > viewport()->height())
        arrange(true);
}

/// In a small window the examples matter more: they stand above the text, closer together.
void Welcome::arrange(bool compact)
{
    m_mark->setVisible(!compact);
    m_tryLabel->setVisible(!compact && !m_examples.first()->isHidden());
    m_column->removeWidget(m_text);
    const QWidget *above = m_title;
    if (compact)
        above = m_models;
    m_column->insertWidget(m_column->indexOf(above) + 1, m_text, 0, Qt::AlignHCenter);
    m_column->setSpacing(compact ? kCompactGap : kGap);
    const int margin = compact ? kCompactMargin : kMargin;
    m_outer->setContentsMargins(28, margin, 28, margin);
}

void Welcome::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    fitTexts();
}

void Welcome::changeEvent(QEvent *event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        QMetaObject::invokeMethod(this, &Welcome::fitTexts, Qt::QueuedConnection);
}

void Welcome::showModel(const ModelStatus &model)
{
    if (model.builtIn) {
        showTexts(
            tr("Welcome to Fireside"),
            tr("The built-in starter model (%1) is ready. It is only a demonstration, so "
               "that you can try "
               "the program at once: it knows a little about Fireside and is weak at "
               "everything else. "
               "For real work, add a bigger model. This model runs on this computer, and what "
               "you write to it stays here.")
                .arg(modelFacts(model)),
            {tr("How do I add a model?"), tr("Who are you?"), tr("Show me a table")});
        return;
    }
    showTexts(model.name, model.isElsewhere() ? model.reason : modelFacts(model),
              {tr("What can you help me with?"), tr("Explain how a rainbow forms"),
               tr("Write a Python function that reverses a string")});
}

void Welcome::showLoading(const QString &name)
{
    showTexts(tr("Loading %1…").arg(name), tr("You can write your first message meanwhile."), {});
}

void Welcome::showNoModel()
{
    showTexts(tr("No model is loaded"),
              tr("A model is one file that ends in .gguf. Choose one that is already on this "
                 "computer, or drop a file "
                 "onto this window."),
              {});
}

void Welcome::setSendable(bool sendable)
{
    for (QPushButton *button : m_examples)
        button->setEnabled(sendable);
}

} // namespace fireside
