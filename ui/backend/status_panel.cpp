#include "ui/backend/status_panel.h"

#include "app/chat/chat_controller.h"
#include "app/chat/chat_texts.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/model_server.h"
#include "ui/backend/elided_text.h"
#include "ui/backend/meter_bar.h"
#include "ui/backend/network_status.h"
#include "ui/backend/number_text.h"
#include "ui/backend/status_texts.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/wrap_layout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

struct StatusPanel::Shown : StatusInputs
{
    QString stage; // of the running load
    double fraction = 0;
};

namespace {

constexpr int kStatusIconSize = 16;

void setToneIcon(QLabel *label, StatusTexts::Tone tone)
{
    IconName name = IconName::Info;
    IconTint tint = IconTint::Muted;
    QString words;
    switch (tone) {
    case StatusTexts::Tone::Quiet:
        words = StatusPanel::tr("Idle");
        break;
    case StatusTexts::Tone::Good:
        name = IconName::Success;
        tint = IconTint::Success;
        words = StatusPanel::tr("Ready");
        break;
    case StatusTexts::Tone::Busy:
        name = IconName::Speed;
        tint = IconTint::Accent;
        words = StatusPanel::tr("Working");
        break;
    case StatusTexts::Tone::Warning:
        name = IconName::Warning;
        tint = IconTint::Warning;
        words = StatusPanel::tr("Warning");
        break;
    case StatusTexts::Tone::Error:
        name = IconName::Error;
        tint = IconTint::Error;
        words = StatusPanel::tr("Problem");
        break;
    }
    label->setPixmap(
        icon(name, tint)
            .pixmap(QSize(kStatusIconSize, kStatusIconSize), label->devicePixelRatioF()));
    label->setAccessibleName(words);
    label->setToolTip(words);
}

/// In a low window, which may be a magnified one, a long reason leaves room for the chat.
class ReasonLines : public QObject
{
public:
    ReasonLines(StatusPanel &panel, ElidedButton &reason)
        : QObject(&panel)
        , m_panel(panel)
        , m_reason(reason)
    {
        panel.installEventFilter(this);
    }

    bool eventFilter(QObject *, QEvent *event) override
    {
        // It stands at the bottom, so that each new height of the window moves it.
        if (event->type() != QEvent::Move && event->type() != QEvent::Resize)
            return false;
        const QWidget &window = *m_panel.window();
        const bool low = &window != &m_panel && window.height() < kLowWindow;
        if (std::exchange(m_low, low) != low)
            m_reason.setMaximumLines(low ? 2 : ElidedButton::kAllLines);
        return false;
    }

private:
    static constexpr int kLowWindow = 560;
    StatusPanel &m_panel;
    ElidedButton &m_reason;
    bool m_low = false;
};

} // namespace

StatusPanel::StatusPanel(EngineService &engine, ChatController &chat, QWidget *parent)
    : QWidget(parent)
    , m_engine(engine)
    , m_shown(std::make_unique<Shown>())
{
    setObjectName(QStringLiteral("statusPanel"));
    setAccessibleName(tr("Status"));

    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(10, 4, 10, 6);
    rows->setSpacing(3);
    rows->addWidget(buildReasonRow());
    rows->addWidget(buildRemarkRow());
    rows->addWidget(buildMeterRow());
    rows->addWidget(buildLoadRow());

    m_shown->state = engine.state();
    m_shown->hasModel = engine.hasModel();
    m_shown->model = engine.model();
    m_shown->loadingPath = engine.loadingPath();
    m_shown->failure = engine.loadFailure();
    connectEngine();

    connect(&chat, &ChatController::statsChanged, this, [this](const ReplyStats &stats) {
        m_shown->hasStats = true;
        m_shown->stats = stats;
        if (stats.generatedTokens > 0)
            m_shown->promptDone = m_shown->promptTotal = 0;
        refresh();
    });
    connect(&chat, &ChatController::firstSeenChanged, this, [this](int index) {
        m_shown->trimmed = index > 0;
        refresh();
    });
    connect(&chat, &ChatController::conversationOpened, this, [this, &chat] {
        // The numbers belong to the chat that was open before.
        m_shown->hasStats = false;
        m_shown->stats = {};
        m_shown->replyFailure.clear();
        m_shown->trimmed = chat.firstSeenMessage() > 0;
        refresh();
    });
    // What the chat had with its last reply holds until the next one.
    const auto count = [this, &chat] {
        m_shown->chatTokens = tokensOfLastReply(chat.messages(), m_shown->model.fingerprint);
        refresh();
    };
    connect(&chat, &ChatController::conversationOpened, this, count);
    connect(&chat, &ChatController::replyingChanged, this, count); // one may not have been written
    connect(&engine, &EngineService::loaded, this, count);
    count();
}

StatusPanel::~StatusPanel() = default;

QWidget *StatusPanel::buildReasonRow()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);

    m_stateIcon = new QLabel(row);
    m_model = new ElidedButton(row);
    m_model->setObjectName(QStringLiteral("statusModel"));
    QFont bold = m_model->font();
    bold.setBold(true);
    m_model->setFont(bold);
    m_model->setAccessibleDescription(tr("Opens the model picker"));
    m_reason = new ElidedButton(row);
    m_reason->setObjectName(QStringLiteral("statusReason"));
    m_reason->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_reason->setMaximumLines(ElidedButton::kAllLines); // what the panel is for: it is not cut
    new ReasonLines(*this, *m_reason);
    m_reason->setAccessibleDescription(tr("Opens the details of every device"));

    layout->addWidget(m_stateIcon);
    layout->addWidget(m_model);
    layout->addWidget(m_reason, 1);
    m_reasonRow = layout;
    connect(m_model, &QPushButton::clicked, this, &StatusPanel::modelsRequested);
    connect(m_reason, &QPushButton::clicked, this, &StatusPanel::detailsRequested);
    return row;
}

void StatusPanel::showNetwork(Network &network)
{
    auto *status = new NetworkStatus(network, this);
    connect(status, &NetworkStatus::privacyRequested, this, &StatusPanel::privacyRequested);
    connect(status, &NetworkStatus::downloadsRequested, this, &StatusPanel::downloadsRequested);
    m_reasonRow->addWidget(status, 0, Qt::AlignTop);
}

QWidget *StatusPanel::buildRemarkRow()
{
    m_remarkRow = new QWidget(this);
    auto *layout = new QHBoxLayout(m_remarkRow);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_remarkIcon = new QLabel(m_remarkRow);
    m_remarks = new ElidedLabel(m_remarkRow);
    m_remarks->setObjectName(QStringLiteral("statusRemarks"));
    m_remarks->setTextFormat(Qt::PlainText); // holds words of files
    layout->addWidget(m_remarkIcon);
    layout->addWidget(m_remarks, 1);
    return m_remarkRow;
}

QWidget *StatusPanel::buildMeterRow()
{
    m_meterRow = new QWidget(this);
    auto *layout = new WrapLayout(m_meterRow);
    layout->setContentsMargins(22, 0, 6, 0);
    layout->setSpacing(24);
    m_memory = new MeterBar(tr("Memory"), m_meterRow);
    m_memory->setObjectName(QStringLiteral("statusMemory"));
    m_context = new MeterBar(tr("Context"), m_meterRow);
    m_context->setObjectName(QStringLiteral("statusContext"));
    m_promptRate = new QLabel(m_meterRow);
    m_promptRate->setObjectName(QStringLiteral("statusPromptRate"));
    m_promptRate->setToolTip(tr("How fast the model reads"));
    m_answerRate = new QLabel(m_meterRow);
    m_answerRate->setObjectName(QStringLiteral("statusAnswerRate"));
    m_answerRate->setToolTip(tr("How fast the model writes"));
    m_placement = new ElidedLabel(m_meterRow);
    m_placement->setForegroundRole(QPalette::PlaceholderText);
    m_placement->setAccessibleName(tr("Placement"));
    layout->addWidget(m_memory);
    layout->addWidget(m_context);
    layout->addWidget(m_placement);
    m_server = new QPushButton(m_meterRow);
    m_server->setObjectName(QStringLiteral("statusServer"));
    m_server->setFlat(true);
    m_server->setAccessibleDescription(tr("Opens the settings of the server"));
    m_serverTimer = new QTimer(this);
    m_serverTimer->setInterval(1000);
    connect(m_serverTimer, &QTimer::timeout, this, &StatusPanel::showServer);
    connect(m_server, &QPushButton::clicked, this, &StatusPanel::serverRequested);
    connect(&m_engine.modelServer(), &ModelServer::changed, this, &StatusPanel::showServer);
    showServer();
    layout->addGap();
    layout->addWidget(m_server);
    layout->addWidget(m_promptRate);
    layout->addWidget(m_answerRate);
    // Also without a model: the panel should not jump while models come and go.
    m_meterRow->setMinimumHeight(m_memory->sizeHint().height());
    return m_meterRow;
}

QWidget *StatusPanel::buildLoadRow()
{
    m_loadRow = new QWidget(this);
    auto *layout = new QHBoxLayout(m_loadRow);
    layout->setContentsMargins(22, 0, 0, 0);
    m_loadStage = new ElidedLabel(m_loadRow);
    m_loadBar = new QProgressBar(m_loadRow);
    m_loadBar->setObjectName(QStringLiteral("statusLoad"));
    m_loadBar->setAccessibleName(tr("Loading progress"));
    m_loadBar->setRange(0, 100);
    m_cancel = new QPushButton(tr("Cancel loading"), m_loadRow);
    m_cancel->setObjectName(QStringLiteral("statusCancel"));
    m_cancel->setAutoDefault(false);
    layout->addWidget(m_loadStage);
    layout->addWidget(m_loadBar, 1);
    layout->addWidget(m_cancel);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_cancel->setEnabled(false); // pressed once is enough; the next load enables it again
        m_engine.stop();
    });
    return m_loadRow;
}

void StatusPanel::connectEngine()
{
    connect(&m_engine, &EngineService::stateChanged, this, [this](EngineState state) {
        m_shown->state = state;
        m_shown->failure = m_engine.loadFailure();
        if (state == EngineState::Replying)
            m_shown->replyFailure.clear();
        refresh();
    });
    connect(&m_engine, &EngineService::loadStarted, this, [this](const QString &path) {
        m_shown->hasModel = false; // the old model goes first
        m_shown->loadingPath = path;
        m_shown->stage.clear();
        m_shown->fraction = 0;
        m_cancel->setEnabled(true);
        refresh();
    });
    connect(&m_engine, &EngineService::loadProgress, this,
            [this](const QString &stage, double fraction) {
                m_shown->stage = stage;
                m_shown->fraction = fraction;
                refresh();
            });
    connect(&m_engine, &EngineService::loaded, this, [this](const ModelStatus &model) {
        m_shown->hasModel = true;
        m_shown->model = model;
        m_shown->hasStats = false; // another model, another context
        m_shown->stats = {};
        m_shown->replyFailure.clear();
        refresh();
    });
    for (const auto signal : {&EngineService::moved, &EngineService::reasonChanged}) {
        connect(&m_engine, signal, this, [this](const ModelStatus &model) {
            m_shown->model = model;
            refresh();
        });
    }
    connect(&m_engine, &EngineService::loadFailed, this, [this] {
        m_shown->hasModel = false;
        m_shown->failure = m_engine.loadFailure();
        refresh();
    });
    connect(&m_engine, &EngineService::promptProgress, this, [this](qint64, int done, int total) {
        m_shown->promptDone = done;
        m_shown->promptTotal = total;
        refresh();
    });
    connect(&m_engine, &EngineService::replyFinished, this, [this] {
        m_shown->promptDone = m_shown->promptTotal = 0;
        refresh();
    });
    // The user is asked what shall become of the oldest messages: nothing has failed.
    connect(&m_engine, &EngineService::contextFull, this, [this](qint64 id) { m_asked = id; });
    connect(&m_engine, &EngineService::replyFailed, this, [this](qint64 id, const QString &why) {
        m_shown->replyFailure = id == m_asked ? QString() : why;
        m_shown->promptDone = m_shown->promptTotal = 0;
        refresh();
    });
}

void StatusPanel::refresh()
{
    const Theme &theme = Theme::current();
    const StatusTexts texts = statusTexts(*m_shown);
    setToneIcon(m_stateIcon, texts.tone);
    m_model->setFullText(texts.model, tr("Model"));
    m_reason->setFullText(texts.reason, tr("Where it runs and why"));
    m_reason->setTextColor(texts.tone == StatusTexts::Tone::Error ? theme.error : theme.muted);
    m_placement->setText(texts.placement);
    m_placement->setVisible(!texts.placement.isEmpty());
    setToneIcon(m_remarkIcon, StatusTexts::Tone::Warning);
    m_remarks->setText(texts.remarks);
    m_remarkRow->setVisible(!texts.remarks.isEmpty());

    const bool loading = m_shown->state == EngineState::Loading;
    m_loadRow->setVisible(loading);
    m_meterRow->setVisible(!loading);
    m_loadStage->setText(m_shown->stage);
    m_loadBar->setValue(static_cast<int>(m_shown->fraction * 100));

    const bool meters = !texts.context.isEmpty();
    m_memory->setVisible(!texts.memory.isEmpty());
    for (QWidget *meter : {static_cast<QWidget *>(m_context), static_cast<QWidget *>(m_promptRate),
                           static_cast<QWidget *>(m_answerRate)})
        meter->setVisible(meters);
    if (meters) {
        m_memory->setTexts(texts.memory, texts.memoryHelp);
        m_context->setTexts(texts.context, texts.contextHelp);
        m_promptRate->setText(tr("Prompt %1").arg(texts.promptRate));
        m_answerRate->setText(tr("Answer %1").arg(texts.answerRate));
        showMeters();
    }
}

void StatusPanel::showServer()
{
    const ServerStatus status = m_engine.modelServer().status();
    m_server->setVisible(status.running || !status.problem.isEmpty());
    if (status.running)
        m_serverTimer->start();
    else
        m_serverTimer->stop();
    if (!status.running)
        m_server->setText(tr("Server: problem"));
    else if (status.model.isEmpty())
        m_server->setText(tr("Server: no model"));
    else if (status.requestsRunning == 0)
        m_server->setText(tr("Server: ready"));
    else
        m_server->setText((status.activeClients() == 1
                               ? tr("Server: 1 program, %1")
                               : tr("Server: %n programs, %1", nullptr, status.activeClients()))
                              .arg(rateText(status.tokensPerSecond)));
    m_server->setToolTip(status.running ? status.address : status.problem);
    m_server->setAccessibleName(m_server->text());
}

void StatusPanel::showMeters()
{
    const qint64 planned = m_shown->model.plannedBytes;
    const qint64 actual = residentNow(*m_shown);
    m_memory->setAmounts(std::max<qint64>(actual, 0), std::max(planned, actual), planned);
    // A tenth above the prediction is the program's own variation; more is worth a look.
    m_memory->setLevel(actual > planned + planned / 10 ? MeterBar::Level::Warning
                                                       : MeterBar::Level::Normal);

    const qint64 total = m_shown->hasStats && m_shown->stats.contextTotal > 0
                             ? m_shown->stats.contextTotal
                             : m_shown->model.context;
    const qint64 used = usedContext(*m_shown);
    m_context->setAmounts(used, total);
    MeterBar::Level level = MeterBar::Level::Normal;
    if (total > 0 && used * 10 >= total * 9)
        level = used >= total ? MeterBar::Level::Critical : MeterBar::Level::Warning;
    if (m_shown->trimmed)
        level = std::max(level, MeterBar::Level::Warning);
    m_context->setLevel(level);
}

void StatusPanel::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.sunken);
    painter.fillRect(QRect(0, 0, width(), 1), theme.border);
}

void StatusPanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    // Theme colours are read when texts are set.
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        refresh();
}

} // namespace fireside
