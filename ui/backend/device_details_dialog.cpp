#include "ui/backend/device_details_dialog.h"

#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/device_page.h"
#include "ui/backend/device_report_text.h"
#include "ui/style/icons.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kCopiedNotice = 2000; // ms that the button says "Copied"

} // namespace

DeviceDetailsDialog::DeviceDetailsDialog(EngineService &engine, QWidget *parent)
    : QDialog(parent)
    , m_engine(engine)
{
    setWindowTitle(tr("Devices"));
    setSizeGripEnabled(true);

    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("deviceList"));
    m_list->setAccessibleName(tr("Devices"));
    m_list->setFixedWidth(fontMetrics().averageCharWidth() * 28);
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 6px 4px; border: none; }"));
    m_pages = new QStackedWidget(this);
    connect(m_list, &QListWidget::currentRowChanged, m_pages, &QStackedWidget::setCurrentIndex);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_copy = buttons->addButton(tr("Copy report"), QDialogButtonBox::ActionRole);
    m_copy->setObjectName(QStringLiteral("copyReport"));
    m_copy->setIcon(icon(IconName::Copy));
    m_copy->setToolTip(tr("Copies everything on these pages as plain text, for a bug report"));
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(reportText());
        m_copy->setText(tr("Copied"));
        QTimer::singleShot(kCopiedNotice, m_copy, [this] { m_copy->setText(tr("Copy report")); });
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto *columns = new QHBoxLayout;
    columns->addWidget(m_list);
    columns->addWidget(m_pages, 1);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(buttons);

    connect(&engine, &EngineService::devicesChanged, this, &DeviceDetailsDialog::setDevices);
    setDevices(engine.devices());
    // Also on a small screen at 200 %.
    resize(QSize(760, 520).boundedTo(screen()->availableSize() * 0.9));
    m_list->setFocus();
}

void DeviceDetailsDialog::showDevice(const QString &id)
{
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(Qt::UserRole).toString() == id)
            m_list->setCurrentRow(row);
    }
}

QString DeviceDetailsDialog::reportText() const
{
    return deviceReportText(m_devices, m_engine.hasModel() ? &m_engine.model() : nullptr,
                            m_engine.loadFailure());
}

void DeviceDetailsDialog::setDevices(const QList<DeviceStatus> &devices)
{
    const QString shown =
        m_list->currentItem() ? m_list->currentItem()->data(Qt::UserRole).toString() : QString();
    m_devices = devices;
    m_list->clear();
    while (m_pages->count() > 0) {
        QWidget *page = m_pages->widget(0);
        m_pages->removeWidget(page);
        page->deleteLater();
    }
    for (const DeviceStatus &device : devices) {
        auto *item =
            new QListWidgetItem(icon(device.available ? IconName::Success : IconName::Warning,
                                     device.available ? IconTint::Success : IconTint::Warning),
                                device.name, m_list);
        item->setData(Qt::UserRole, device.id);
        item->setData(Qt::AccessibleTextRole,
                      QStringLiteral("%1: %2").arg(
                          device.name, device.available ? tr("available") : tr("not available")));
        item->setToolTip(asSentence(engineText(device.reason)));
        m_pages->addWidget(new DevicePage(device, m_pages));
    }
    if (devices.isEmpty()) {
        auto *waiting = new QLabel(tr("Looking at this computer's processors…"), m_pages);
        waiting->setAlignment(Qt::AlignCenter);
        m_pages->addWidget(waiting);
    }
    m_list->setCurrentRow(0);
    showDevice(shown);
}

} // namespace fireside
