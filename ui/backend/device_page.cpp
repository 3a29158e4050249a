#include "ui/backend/device_page.h"

#include "app/runtime/engine_text.h"

#include "ui/backend/device_report_text.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kCheckIconSize = 18;

QLabel *selectableLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText); // driver texts are not ours
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    standAtStart(*label);
    return label;
}

QLabel *iconLabel(IconName name, IconTint tint, const QString &meaning, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setPixmap(
        icon(name, tint).pixmap(QSize(kCheckIconSize, kCheckIconSize), label->devicePixelRatioF()));
    label->setAccessibleName(meaning);
    label->setToolTip(meaning);
    label->setAlignment(Qt::AlignTop);
    return label;
}

QLabel *outcomeIcon(CheckStatus::Outcome outcome, QWidget *parent)
{
    switch (outcome) {
    case CheckStatus::Passed:
        return iconLabel(IconName::Success, IconTint::Success, outcomeText(outcome), parent);
    case CheckStatus::Failed:
        return iconLabel(IconName::Error, IconTint::Error, outcomeText(outcome), parent);
    case CheckStatus::NotReached:
        break;
    }
    return iconLabel(IconName::Minus, IconTint::Muted, outcomeText(outcome), parent);
}

} // namespace

DevicePage::DevicePage(const DeviceStatus &device, QWidget *parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(device.name);
    auto *content = new QWidget(this);
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(16, 8, 16, 16);
    m_layout->setSpacing(8);
    addTitle(device);
    addChecks(device.checks);
    addProperties(device);
    m_layout->addStretch(1);
    setWidget(content);
}

void DevicePage::addTitle(const DeviceStatus &device)
{
    auto *title = selectableLabel(device.name, widget());
    title->setFont(Theme::font(1.25, true));
    m_layout->addWidget(title);

    auto *row = new QHBoxLayout;
    const bool good = device.available;
    row->addWidget(iconLabel(good ? IconName::Success : IconName::Warning,
                             good ? IconTint::Success : IconTint::Warning,
                             good ? tr("available") : tr("not available"), widget()));
    row->addWidget(selectableLabel(asSentence(engineText(device.reason)), widget()), 1);
    m_layout->addLayout(row);
}

void DevicePage::addHeading(const QString &text)
{
    auto *heading = new QLabel(text, widget());
    heading->setFont(Theme::font(1.0, true));
    heading->setContentsMargins(0, 12, 0, 0);
    m_layout->addWidget(heading);
}

void DevicePage::addChecks(const QList<CheckStatus> &checks)
{
    if (checks.isEmpty())
        return;
    addHeading(tr("Checks, in order"));
    for (const CheckStatus &check : checks)
        addCheck(check);
}

void DevicePage::addCheck(const CheckStatus &check)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(outcomeIcon(check.outcome, widget()), 0, Qt::AlignTop);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    const bool reached = check.outcome != CheckStatus::NotReached;
    const QString called = engineText(check.name);
    auto *name = selectableLabel(reached ? called : tr("%1 – not reached").arg(called), widget());
    name->setAccessibleName(QStringLiteral("%1: %2").arg(called, outcomeText(check.outcome)));
    if (check.outcome == CheckStatus::Failed)
        name->setFont(Theme::font(1.0, true));
    if (!reached)
        name->setForegroundRole(QPalette::PlaceholderText);
    words->addWidget(name);
    if (!check.detail.isEmpty()) {
        auto *detail = selectableLabel(engineText(check.detail), widget());
        detail->setForegroundRole(QPalette::PlaceholderText);
        words->addWidget(detail);
    }
    if (!check.rawError.isEmpty()) {
        auto *raw = selectableLabel(check.rawError, widget());
        raw->setFont(Theme::monospace());
        raw->setAccessibleName(tr("Error text: %1").arg(check.rawError));
        raw->setContentsMargins(8, 4, 8, 4);
        raw->setAutoFillBackground(true);
        raw->setBackgroundRole(QPalette::AlternateBase);
        words->addWidget(raw);
    }
    if (check.outcome == CheckStatus::Failed && !check.advice.isEmpty())
        words->addWidget(
            selectableLabel(tr("What to do: %1").arg(engineText(check.advice)), widget()));
    row->addLayout(words, 1);
    m_layout->addLayout(row);
}

void DevicePage::addProperties(const DeviceStatus &device)
{
    addHeading(tr("Properties"));
    auto *form = new QFormLayout;
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(20);
    form->setVerticalSpacing(4);
    const auto addRow = [&](const QString &name, const QString &value) {
        auto *label = new QLabel(name, widget());
        label->setForegroundRole(QPalette::PlaceholderText);
        auto *text = selectableLabel(value, widget());
        text->setAccessibleName(QStringLiteral("%1: %2").arg(name, value));
        form->addRow(label, text);
    };
    addRow(tr("Memory"), memoryText(device));
    for (const auto &[name, value] : device.properties)
        addRow(engineText(name), engineText(value));
    m_layout->addLayout(form);
}

} // namespace fireside
