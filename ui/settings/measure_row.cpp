#include "ui/settings/measure_row.h"

#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

MeasureRow::MeasureRow(EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_engine(engine)
{
    auto *row = new QHBoxLayout;
    const auto add = [&](const QString &text, const char *name) {
        auto *button = new QPushButton(text, this);
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        row->addWidget(button);
        return button;
    };
    m_start = add(tr("Measure &places"), "measure");
    m_start->setIcon(icon(IconName::Speed));
    m_stop = add(tr("Stop measurin&g"), "measureStop");
    m_stop->setAccessibleName(tr("Stop measuring"));
    m_bar = new QProgressBar(this);
    m_bar->setObjectName(QStringLiteral("measureBar"));
    m_bar->setAccessibleName(tr("Measuring progress"));
    m_bar->setTextVisible(false);
    row->addWidget(m_bar, 1);
    row->addStretch(0);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("measureText"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    standAtStart(*m_text);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(m_text);

    connect(m_start, &QPushButton::clicked, this, [this] {
        m_measuring = true;
        m_bar->setRange(0, 0);
        m_text->setText(tr("Measuring…"));
        m_engine.measureModel(m_path, m_settings);
        showState();
    });
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_text->setText(tr("Stopping…"));
        m_engine.stopMeasuring();
    });
    connect(&engine, &EngineService::measureProgress, this,
            [this](const QString &place, int done, int all) {
                m_bar->setRange(0, std::max(1, all));
                m_bar->setValue(done);
                m_text->setText(
                    tr("Measuring on %1 (%2 of %3)").arg(engineText(place)).arg(done + 1).arg(all));
            });
    connect(&engine, &EngineService::measured, this, &MeasureRow::showResult);
    connect(&engine, &EngineService::stateChanged, this, &MeasureRow::showState);
    showState();
}

void MeasureRow::setModel(const QString &path, const LoadSettings &settings)
{
    if ((path != m_path || settings != m_settings) && !m_measuring)
        m_text->clear(); // it was about something else
    m_path = path;
    m_settings = settings;
    showState();
}

void MeasureRow::showState()
{
    const EngineState state = m_engine.state();
    const bool idle = state == EngineState::Ready || state == EngineState::NoModel;
    const bool replying = state == EngineState::Replying || state == EngineState::Stopping;
    QPushButton *const shown = m_measuring ? m_stop : m_start;
    QPushButton *const other = m_measuring ? m_start : m_stop;
    const bool focused = window()->focusWidget() == other;
    m_start->setEnabled(idle && !m_path.isEmpty());
    shown->show();
    if (focused) // keys stay here
        shown->setFocus();
    other->hide();
    // Measuring again has to wait until the model is back.
    QWidget *const now = window()->focusWidget();
    if (focused && !shown->isEnabled())
        m_focusMeanwhile = now;
    else if (m_start->isEnabled() && m_focusMeanwhile == now && now != nullptr)
        m_start->setFocus();
    if (m_start->isEnabled() || m_measuring)
        m_focusMeanwhile = nullptr;
    m_start->setToolTip(
        replying ? tr("Not while a reply is being written")
                 : tr("Runs the model for some ten seconds in every way that there is room for. "
                      "Automatic then takes the fastest."));
    m_bar->setVisible(m_measuring);
    m_text->setVisible(!m_text->text().isEmpty());
}

void MeasureRow::showResult(const MeasureStatus &status)
{
    if (!std::exchange(m_measuring, false) && status.path != m_path)
        return;
    QStringList lines;
    if (status.stopped)
        lines.append(tr("Stopped; what was measured counts."));
    else if (!status.problem.isEmpty())
        lines.append(tr("Nothing was measured: %1").arg(engineText(status.problem)));
    else
        lines.append(tr("Measured. From now on: %1").arg(engineText(status.reason)));
    for (const QString &problem : status.problems)
        lines.append(tr("Not measured: %1").arg(engineText(problem)));
    m_text->setText(lines.join(QLatin1Char('\n')));
    showState();
}

} // namespace fireside
