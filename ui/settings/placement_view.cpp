#include "ui/settings/placement_view.h"

#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"

#include <QFuture>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kAskDelay = 200; // ms after the last change
constexpr int kFitSignSize = 18;

QLabel *placementLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText); // names come from drivers
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    standAtStart(*label);
    return label;
}

QString speedText(const SpeedStatus &speed, const QString &both, const QString &answer)
{
    if (speed.generate <= 0)
        return {};
    return speed.prompt > 0 ? both.arg(rateText(speed.generate), rateText(speed.prompt))
                            : answer.arg(rateText(speed.generate));
}

/// "Expected: answer 12 tok/s, prompt 90 tok/s. Measured: …"
QString speedsText(const PlacementOptionStatus &option)
{
    QStringList texts{
        speedText(option.predicted, PlacementView::tr("Expected: answer %1, prompt %2."),
                  PlacementView::tr("Expected: answer %1.")),
        speedText(option.measured, PlacementView::tr("Measured: answer %1, prompt %2."),
                  PlacementView::tr("Measured: answer %1."))};
    texts.removeAll(QString());
    return texts.isEmpty() ? PlacementView::tr("Its speed is not known.")
                           : texts.join(QLatin1Char('\n'));
}

/// How much of a chat it would see, and why not as much as was asked for.
QString contextText(const PlacementStatus &status, int asked)
{
    if (status.context <= 0)
        return {};
    const QString tokens = countText(status.context);
    if (asked > status.context && status.context == status.contextTrained)
        return PlacementView::tr("Context: %1 tokens, all that the model was trained for; %2 were "
                                 "asked for.")
            .arg(tokens, countText(asked));
    if (asked > status.context)
        return PlacementView::tr("Context: %1 tokens, so that it fits; %2 were asked for.")
            .arg(tokens, countText(asked));
    return PlacementView::tr("Context: %1 tokens.").arg(tokens);
}

void setSign(QLabel *label, IconName name, IconTint tint, const QString &meaning)
{
    label->setPixmap(
        icon(name, tint).pixmap(QSize(kFitSignSize, kFitSignSize), label->devicePixelRatioF()));
    label->setAccessibleName(meaning);
    label->setToolTip(meaning);
}

} // namespace

PlacementView::PlacementView(EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_engine(engine)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *row = new QHBoxLayout;
    m_sign = new QLabel(this);
    m_reason = placementLabel({}, this);
    m_reason->setObjectName(QStringLiteral("placementReason"));
    row->addWidget(m_sign, 0, Qt::AlignTop);
    m_context = placementLabel({}, this);
    m_context->setObjectName(QStringLiteral("placementContext"));
    m_context->setProperty("role", "muted");
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_reason);
    words->addWidget(m_context);
    row->addLayout(words, 1);
    layout->addLayout(row);
    m_options = new QVBoxLayout;
    m_options->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(m_options);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kAskDelay);
    connect(&m_rest, &QTimer::timeout, this, &PlacementView::compute);
    connect(&engine, &EngineService::devicesChanged, &m_rest, qOverload<>(&QTimer::start));
    connect(&engine, &EngineService::loaded, &m_rest, qOverload<>(&QTimer::start));
    connect(&engine, &EngineService::measured, &m_rest, qOverload<>(&QTimer::start));
    connect(&engine, &EngineService::processorRated, &m_rest, qOverload<>(&QTimer::start));
    display({});
}

void PlacementView::ask(const QString &path, const LoadSettings &settings)
{
    m_path = path;
    m_settings = settings;
    m_rest.start();
}

void PlacementView::compute()
{
    const quint64 asked = ++m_asked;
    if (m_path.isEmpty() || m_engine.devices().isEmpty()) {
        display({});
        return;
    }
    m_engine.previewPlacement(m_path, m_settings)
        .then(this, [this, asked](const PlacementStatus &status) {
            if (asked != m_asked)
                return;
            display(status);
            const auto unknown = [](const PlacementOptionStatus &option) {
                return option.possible && option.predicted.generate <= 0;
            };
            if (std::any_of(status.options.begin(), status.options.end(), unknown))
                m_engine.rateProcessor();
            emit answered();
        });
}

void PlacementView::display(const PlacementStatus &status)
{
    const bool none = status.reason.isEmpty();
    if (status == m_shown && !none)
        return;
    m_shown = status;
    m_reason->setText(!none              ? inOrder(asSentence(engineText(status.reason)))
                      : m_path.isEmpty() ? tr("Choose a model to see where it would run.")
                                         : tr("Working out where it would run…"));
    m_context->setText(contextText(status, m_settings.context));
    m_context->setVisible(!m_context->text().isEmpty());
    if (none)
        setSign(m_sign, IconName::Info, IconTint::Muted, {});
    else if (status.possible)
        setSign(m_sign, IconName::Success, IconTint::Success, tr("It fits"));
    else
        setSign(m_sign, IconName::Error, IconTint::Error, tr("It cannot run so"));
    while (QLayoutItem *item = m_options->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const PlacementOptionStatus &option : status.options)
        m_options->addWidget(optionRow(option));
}

QWidget *PlacementView::optionRow(const PlacementOptionStatus &option)
{
    auto *row = new QWidget(this);
    row->setObjectName(option.chosen ? QStringLiteral("placementChosen")
                                     : QStringLiteral("placementOption"));
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 2, 0, 2);
    auto *sign = new QLabel(row);
    if (option.chosen)
        setSign(sign, IconName::Check, IconTint::Accent, tr("taken"));
    else if (option.possible)
        setSign(sign, IconName::Minus, IconTint::Muted, tr("possible"));
    else
        setSign(sign, IconName::Close, IconTint::Muted, tr("not possible"));
    layout->addWidget(sign, 0, Qt::AlignTop);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    const QString text = engineText(option.sentence);
    const QList<DeviceStatus> &devices = m_engine.devices();
    // A device is called as it calls itself.
    const bool named = std::any_of(devices.begin(), devices.end(), [&](const DeviceStatus &device) {
        return text.startsWith(device.name);
    });
    auto *sentence = placementLabel(inOrder(named ? text : asSentence(text)), row);
    if (option.chosen)
        sentence->setProperty("role", "heading");
    words->addWidget(sentence);
    if (option.possible) {
        auto *speeds = placementLabel(speedsText(option), row);
        speeds->setProperty("role", "muted");
        words->addWidget(speeds);
    }
    layout->addLayout(words, 1);
    return row;
}

} // namespace fireside
