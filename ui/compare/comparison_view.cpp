#include "ui/compare/comparison_view.h"

#include "app/chat/comparison.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/composer.h"
#include "ui/compare/column_header.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kWide = 600;
constexpr int kLeastColumn = 150;
constexpr int kLowLines = 22; // up to so many the answers need the room of what is above them

} // namespace

ComparisonView::ComparisonView(ChatPanel &panel, ChatController &chat, EngineService &engine,
                               QWidget *parent)
    : QWidget(parent)
    , m_panel(panel)
    , m_chat(chat)
    , m_engine(engine)
{
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(buildTop());
    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->setChildrenCollapsible(false);
    m_columns->setHandleWidth(1);
    m_left = new QWidget;
    m_leftRows = new QVBoxLayout(m_left);
    m_leftRows->setContentsMargins(0, 0, 0, 0);
    m_leftRows->setSpacing(0);
    m_leftRows->addWidget(&m_panel, 1);
    m_columns->addWidget(m_left);
    rows->addWidget(m_columns, 1);
    m_bottom = new QWidget;
    auto *bottom = new QVBoxLayout(m_bottom);
    bottom->setContentsMargins(20, 4, 20, 14);
    m_bottom->hide();
    rows->addWidget(m_bottom);
}

QWidget *ComparisonView::buildTop()
{
    m_top = new QWidget;
    m_top->hide();
    auto *row = new QHBoxLayout(m_top);
    row->setContentsMargins(20, 8, 20, 0);
    m_reason = new QLabel;
    m_reason->setObjectName(QStringLiteral("comparisonReason"));
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setWordWrap(true);
    m_reason->setProperty("role", "muted");
    auto *close = new QPushButton(tr("End the comparison"));
    close->setObjectName(QStringLiteral("comparisonClose"));
    row->addWidget(m_reason, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QPushButton::clicked, this, &ComparisonView::closeRequested);
    return m_top;
}

void ComparisonView::begin(Comparison &comparison)
{
    end();
    m_comparison = &comparison;
    m_firstHeader = new ColumnHeader(tr("First model"), m_chat, m_engine);
    m_secondHeader =
        new ColumnHeader(tr("Second model"), comparison.second(), comparison.secondEngine());
    fitHeight(); // before they take more room than there is
    m_leftRows->insertWidget(0, m_firstHeader);
    m_second = new ChatPanel(comparison.second(), comparison.secondEngine());
    m_second->beFollower();
    m_right = new QWidget;
    auto *rows = new QVBoxLayout(m_right);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_secondHeader);
    rows->addWidget(m_second, 1);
    for (ChatPanel *panel : {&m_panel, m_second})
        panel->setMinimumWidth(kLeastColumn);
    m_columns->addWidget(m_right);
    m_columns->setSizes({width() / 2, width() / 2});
    m_panel.lendComposer(*m_bottom->layout());
    m_bottom->show();
    connectHeaders();
    connect(&comparison, &Comparison::changed, this, &ComparisonView::refresh);
    connect(&m_chat, &ChatController::replyingChanged, this, &ComparisonView::refresh);
    refresh();
    m_panel.composer()->focusText();
}

void ComparisonView::connectHeaders()
{
    connect(m_firstHeader, &ColumnHeader::modelRequested, this,
            &ComparisonView::firstModelRequested);
    connect(m_secondHeader, &ColumnHeader::modelRequested, this,
            &ComparisonView::secondModelRequested);
    connect(m_firstHeader, &ColumnHeader::keepRequested, this, &ComparisonView::firstKept);
    connect(m_secondHeader, &ColumnHeader::keepRequested, this, &ComparisonView::secondKept);
    connect(m_secondHeader, &ColumnHeader::closeRequested, this, &ComparisonView::closeRequested);
    connect(m_firstHeader, &ColumnHeader::stopRequested, this, [this] {
        if (m_chat.replying())
            m_chat.stop();
        else
            m_engine.stop();
    });
    connect(m_secondHeader, &ColumnHeader::stopRequested, this, [this] {
        if (m_comparison->second().replying())
            m_comparison->second().stop();
        else
            m_comparison->secondEngine().stop();
    });
}

void ComparisonView::end()
{
    if (!std::exchange(m_comparison, nullptr))
        return;
    disconnect(&m_chat, nullptr, this, nullptr);
    m_panel.takeComposerBack();
    m_panel.setHeld({});
    m_panel.setMinimumWidth(360);
    delete std::exchange(m_firstHeader, nullptr);
    delete std::exchange(m_right, nullptr); // with the second header and panel
    m_secondHeader = nullptr;
    m_second = nullptr;
    m_bottom->hide();
    m_top->hide();
    m_panel.composer()->focusText();
}

int ComparisonView::lowHeight() const
{
    return kLowLines * fontMetrics().lineSpacing();
}

void ComparisonView::fitHeight()
{
    if (!m_comparison)
        return;
    const bool low = height() < lowHeight();
    m_top->setVisible(!low);
    m_firstHeader->setLow(low);
    m_secondHeader->setLow(low);
    m_secondHeader->setCloseable(low);
}

void ComparisonView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitHeight();
    refresh(); // a reason in words is for wide ones
}

/// So that it may become low, and need less.
QSize ComparisonView::minimumSizeHint() const
{
    const QSize size = QWidget::minimumSizeHint();
    return m_comparison ? QSize(size.width(), std::min(size.height(), lowHeight() - 1)) : size;
}

void ComparisonView::refresh()
{
    if (!m_comparison)
        return;
    const QString reason = m_comparison->turnsReason();
    const bool room = width() >= kWide; // else the answers need it more
    m_reason->setText(!reason.isEmpty() || !room
                          ? reason
                          : tr("Both models answer each message. The answers are versions of one "
                               "chat, and both stay."));
    for (ColumnHeader *header : {m_firstHeader, m_secondHeader})
        header->setToolTip(reason); // where there is no room for it
    const bool waits = m_comparison->waiting();
    m_secondHeader->setWaiting(waits ? tr("Waits for its turn") : QString());
    const bool busy = m_comparison->busy() || m_chat.replying();
    m_firstHeader->setKeepable(!busy && !m_chat.messages().isEmpty());
    m_secondHeader->setKeepable(!busy && !m_comparison->second().messages().isEmpty());
    m_panel.setHeld(m_comparison->busy() ? tr("The second model has not answered yet") : QString());
}

} // namespace fireside
