#include "ui/compare/column_header.h"

#include "app/chat/chat_controller.h"
#include "app/runtime/engine_service.h"
#include "ui/backend/elided_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/wrap_layout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kLeastName = 16; // letters
constexpr int kPadding = 30;   // of a button beside its text

} // namespace

ColumnHeader::ColumnHeader(const QString &name, ChatController &chat, EngineService &engine,
                           QWidget *parent)
    : QFrame(parent)
    , m_chat(chat)
    , m_engine(engine)
{
    setAccessibleName(name);
    m_model = new QPushButton;
    m_model->setObjectName(QStringLiteral("comparedModel"));
    m_model->setAccessibleName(name);
    m_model->installEventFilter(this);
    m_model->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_model->setMinimumWidth(kLeastName * fontMetrics().averageCharWidth());
    m_state = new ElidedLabel;
    m_state->setObjectName(QStringLiteral("comparedState"));
    m_state->setProperty("role", "muted");
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_rate = new QLabel;
    m_rate->setObjectName(QStringLiteral("comparedRate"));
    m_stop = new QPushButton(tr("Stop"));
    m_stop->setObjectName(QStringLiteral("comparedStop"));
    m_stop->setAccessibleName(tr("Stop: %1").arg(name));
    m_keep = new QPushButton(tr("Keep this one"));
    m_keep->setObjectName(QStringLiteral("comparedKeep"));
    m_keep->setAccessibleName(tr("Keep this one: %1").arg(name));
    m_keep->setToolTip(tr("Ends the comparison and goes on with this answer and its model. The "
                          "other one stays as a version of it."));

    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(20, 10, 20, 6);
    rows->setSpacing(4);
    auto *buttons = new QWidget;
    auto *top = new WrapLayout(buttons);
    top->setContentsMargins(0, 0, 0, 0);
    top->addWidget(m_model);
    top->setGrowing(m_model);
    top->addWidget(m_stop);
    top->addWidget(m_keep);
    auto *bottom = new QHBoxLayout;
    bottom->addWidget(m_state, 1);
    bottom->addWidget(m_rate);
    rows->addWidget(buttons);
    buttons->installEventFilter(this);
    rows->addLayout(bottom);

    connect(m_model, &QPushButton::clicked, this, &ColumnHeader::modelRequested);
    connect(m_stop, &QPushButton::clicked, this, &ColumnHeader::stopRequested);
    connect(m_keep, &QPushButton::clicked, this, &ColumnHeader::keepRequested);
    connect(&m_engine, &EngineService::stateChanged, this, &ColumnHeader::refresh);
    connect(&m_engine, &EngineService::loaded, this, &ColumnHeader::refresh);
    connect(&m_engine, &EngineService::moved, this, &ColumnHeader::refresh);
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
        fontMetrics().elidedText(name, Qt::ElideRight, std::max(0, m_model->width() - kPadding));
    m_model->setText(shown.replace(QLatin1Char('&'), QLatin1String("&&")));
    m_model->setToolTip(m_engine.hasModel() ? tr("Chooses the model of this column: %1").arg(name)
                                            : tr("Chooses the model of this column"));
}

bool ColumnHeader::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_model && event->type() == QEvent::Resize) {
        showName();
    } else if (event->type() == QEvent::Resize) {
        // Layouts within layouts lose count of heights that depend on widths.
        auto *buttons = static_cast<QWidget *>(watched);
        buttons->setFixedHeight(buttons->heightForWidth(buttons->width()));
    }
    return QFrame::eventFilter(watched, event);
}

void ColumnHeader::refresh()
{
    showName();
    m_state->setText(stateText());
    m_rate->setText(m_rateText);
    m_stop->setEnabled(m_chat.replying() || m_engine.state() == EngineState::Loading);
}

} // namespace fireside
