#include "ui/compare/column_header.h"

#include "app/chat/chat_controller.h"
#include "app/runtime/engine_service.h"
#include "ui/backend/elided_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kLeastName = 16, kLeastNameNarrow = 7; // letters
constexpr int kWordPadding = 30;                     // of a button beside its text
constexpr int kBetween = 4;
constexpr int kIconButton = 34;            // wide
constexpr int kSide = 20, kSideNarrow = 4; // margins

} // namespace

ColumnHeader::ColumnHeader(const QString &name, ChatController &chat, EngineService &engine,
                           QWidget *parent)
    : QFrame(parent)
    , m_chat(chat)
    , m_engine(engine)
{
    setAccessibleName(name);
    m_state = new ElidedLabel;
    m_state->setObjectName(QStringLiteral("comparedState"));
    m_state->setProperty("role", "muted");
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_rate = new QLabel;
    m_rate->setObjectName(QStringLiteral("comparedRate"));
    auto *rows = new QVBoxLayout(this);
    rows->setSpacing(4);
    rows->addLayout(buildButtons(name));
    auto *bottom = new QHBoxLayout;
    bottom->addWidget(m_state, 1);
    bottom->addWidget(m_rate);
    rows->addLayout(bottom);

    connect(m_model, &QPushButton::clicked, this, &ColumnHeader::modelRequested);
    connect(m_stop, &QPushButton::clicked, this, &ColumnHeader::stopRequested);
    connect(m_keep, &QPushButton::clicked, this, &ColumnHeader::keepRequested);
    connect(&m_engine, &EngineService::stateChanged, this, &ColumnHeader::refresh);
    connect(&m_engine, &EngineService::loaded, this, &ColumnHeader::refresh);
    connect(&m_engine, &EngineService::moved, this, &ColumnHeader::refresh);
    connect(&m_engine, &EngineService::reasonChanged, this, &ColumnHeader::refresh);
    connect(&m_engine, &EngineService::loadProgress, this, [this](const QString &, double done) {
        m_percent = std::clamp(static_cast<int>(done * 100), 0, 100);
        refresh();
    });
    connect(&m_chat, &ChatController::replyingChanged, this, &ColumnHeader::refresh);
    connect(&m_chat, &ChatController::conversationOpened, this, [this] {
        m_rateText.clear();
        refresh();
    });
    connect(&m_chat, &ChatController::statsChanged, this, [this](const ReplyStats &stats) {
        const int tokens = stats.generatedTokens;
        m_rateText = (tokens == 1 ? tr("%1 · 1 token") : tr("%1 · %n tokens", nullptr, tokens))
                         .arg(rateText(stats.generateRate()));
        refresh();
    });
    refresh();
    fitButtons();
}

QHBoxLayout *ColumnHeader::buildButtons(const QString &name)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(kBetween);
    const auto button = [&](const char *object, const QString &accessible) {
        auto *made = new QPushButton;
        made->setObjectName(QLatin1String(object));
        made->setAccessibleName(accessible);
        row->addWidget(made);
        return made;
    };
    m_model = button("comparedModel", name);
    m_model->installEventFilter(this);
    m_model->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_stop = button("comparedStop", tr("Stop: %1").arg(name));
    m_keep = button("comparedKeep", tr("Keep this one: %1").arg(name));
    m_keep->setToolTip(tr("Ends the comparison and goes on with this answer and its model. The "
                          "other one stays as a version of it."));
    row->setStretchFactor(m_model, 1);
    m_close = new QToolButton;
    m_close->setObjectName(QStringLiteral("comparedClose"));
    m_close->setIcon(icon(IconName::Close, IconTint::Muted));
    m_close->setToolTip(tr("End the comparison"));
    m_close->setAccessibleName(m_close->toolTip());
    m_close->hide();
    row->addWidget(m_close);
    connect(m_close, &QToolButton::clicked, this, &ColumnHeader::closeRequested);
    return row;
}

void ColumnHeader::showAs(QPushButton &button, const QString &text, IconName name, bool narrow)
{
    button.setText(narrow ? QString() : text);
    button.setIcon(narrow ? icon(name) : QIcon());
    button.setProperty("role", narrow ? "icon" : "");
    button.style()->unpolish(&button);
    button.style()->polish(&button);
}

/// Words where all have room for them.
void ColumnHeader::fitButtons()
{
    const QString stop = tr("Stop"), keep = tr("Keep this one");
    const QFontMetrics metrics = fontMetrics();
    const int close = m_close->isHidden() ? 0 : kIconButton;
    const bool narrow = width() < kLeastName * metrics.averageCharWidth() + 2 * kSide +
                                      metrics.horizontalAdvance(stop + keep) + 3 * kWordPadding +
                                      close;
    const int side = narrow ? kSideNarrow : kSide;
    layout()->setContentsMargins(side, m_low ? 4 : 10, side, m_low ? 2 : 6);
    m_model->setMinimumWidth((narrow ? kLeastNameNarrow : kLeastName) * metrics.averageCharWidth());
    if (std::exchange(m_narrow, narrow) == narrow)
        return;
    showAs(*m_stop, stop, IconName::Stop, narrow);
    showAs(*m_keep, keep, IconName::Check, narrow);
    m_stop->setToolTip(narrow ? stop : QString());
}

QSize ColumnHeader::minimumSizeHint() const
{
    const int buttons = 2 + (m_close->isHidden() ? 0 : 1);
    return {kLeastNameNarrow * fontMetrics().averageCharWidth() + kWordPadding +
                buttons * (kIconButton + kBetween) + 2 * kSideNarrow,
            QFrame::minimumSizeHint().height()};
}

void ColumnHeader::setLow(bool low)
{
    m_low = low;
    m_state->setHidden(low);
    m_rate->setHidden(low);
    fitButtons();
    showName();
}

void ColumnHeader::setCloseable(bool closeable)
{
    m_close->setVisible(closeable);
    fitButtons();
}

void ColumnHeader::setWaiting(const QString &text)
{
    m_waiting = text;
    refresh();
}

void ColumnHeader::setKeepable(bool keepable)
{
    m_keep->setEnabled(keepable);
}

bool ColumnHeader::resting() const
{
    return m_engine.state() != EngineState::Loading && !m_chat.replying() && m_waiting.isEmpty();
}

QString ColumnHeader::stateText() const
{
    if (m_engine.state() == EngineState::Loading)
        return tr("Loading… %1 %").arg(m_percent);
    if (m_chat.replying()) {
        const bool any = !m_chat.messages().isEmpty() && !m_chat.messages().last().text.isEmpty();
        return any ? tr("Writing…") : tr("Reading…");
    }
    if (!m_waiting.isEmpty())
        return m_waiting;
    if (!m_engine.hasModel())
        return tr("No model is loaded");
    const QString device = m_engine.model().device;
    return device.isEmpty() ? tr("Ready") : tr("Ready · %1").arg(device);
}

/// As much as the button has room for.
void ColumnHeader::showName()
{
    const QString name = m_engine.hasModel() ? m_engine.model().name : tr("Choose a model…");
    QString shown =
        fontMetrics().elidedText(m_low && !resting() ? stateText() : name, Qt::ElideRight,
                                 std::max(0, m_model->width() - kWordPadding));
    m_model->setText(shown.replace(QLatin1Char('&'), QLatin1String("&&")));
    const QString about = m_engine.hasModel() ? tr("Chooses the model of this column: %1").arg(name)
                                              : tr("Chooses the model of this column");
    m_model->setToolTip(m_low ? QStringLiteral("%1\n%2").arg(about, stateText()) : about);
}

bool ColumnHeader::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_model && event->type() == QEvent::Resize)
        showName();
    return QFrame::eventFilter(watched, event);
}

void ColumnHeader::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    fitButtons();
}

void ColumnHeader::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitButtons();
}

void ColumnHeader::refresh()
{
    showName();
    m_state->setText(stateText());
    m_rate->setText(m_rateText);
    m_stop->setEnabled(m_chat.replying() || m_engine.state() == EngineState::Loading);
}

} // namespace fireside
