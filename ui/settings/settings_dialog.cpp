#include "ui/settings/settings_dialog.h"

#include "app/runtime/engine_service.h"
#include "ui/servers/servers_page.h"
#include "ui/settings/appearance_page.h"
#include "ui/settings/backend_panel.h"
#include "ui/settings/generation_page.h"
#include "ui/settings/privacy_page.h"
#include "ui/settings/server_page.h"
#include "ui/settings/shortcuts_page.h"
#include "ui/settings/storage_page.h"
#include "ui/tools/tools_page.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace fireside {

SettingsDialog::SettingsDialog(AppSettings &settings, EngineService &engine, Network &network,
                               QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Settings"));
    setSizeGripEnabled(true);

    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("settingsPages"));
    m_list->setAccessibleName(tr("Pages"));
    m_list->setFixedWidth(fontMetrics().averageCharWidth() * 20);
    m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 7px 6px; border: none; }"));
    m_pages = new QStackedWidget(this);
    connect(m_list, &QListWidget::currentRowChanged, m_pages, &QStackedWidget::setCurrentIndex);

    // In the order of Page.
    auto *backend = new BackendPanel(settings, engine, this);
    addPage(tr("Backend"), backend, backend->reloadBar());
    addPage(tr("Generation"), new GenerationPage(settings, engine, this));
    addPage(tr("Appearance"), new AppearancePage(settings, this));
    addPage(tr("Storage"), new StoragePage(settings, engine, this));
    addPage(tr("Privacy"), new PrivacyPage(network, this));
    addPage(tr("Local server"), new ServerPage(settings, engine.modelServer(), this));
    addPage(tr("Shortcuts"), new ShortcutsPage(parent ? parent->window() : nullptr, this));

    auto *columns = new QHBoxLayout;
    columns->addWidget(m_list);
    columns->addWidget(m_pages, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    // Enter finishes a field; it must not close the dialog.
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(buttons);

    // Also on a small screen at 200 %.
    resize(QSize(820, 600).boundedTo(screen()->availableSize() * 0.9));
    showPage(Page::Backend);
    m_list->setFocus();
}

/// footer: stays in view below the page, which scrolls.
void SettingsDialog::addPage(const QString &title, QWidget *content, QWidget *footer)
{
    auto *scroll = new QScrollArea(m_pages);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    auto *framed = new QWidget(scroll);
    auto *layout = new QVBoxLayout(framed);
    layout->setContentsMargins(16, 8, 16, 8);
    layout->addWidget(content);
    scroll->setWidget(framed);
    scroll->setAccessibleName(title);
    if (footer) {
        auto *page = new QWidget(m_pages);
        auto *rows = new QVBoxLayout(page);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->addWidget(scroll, 1);
        rows->addWidget(footer);
        m_pages->addWidget(page);
    } else {
        m_pages->addWidget(scroll);
    }
    new QListWidgetItem(title, m_list);
}

void SettingsDialog::addServers(RemoteModels &servers, EngineService &engine)
{
    addPage(tr("Servers"), new ServersPage(servers, engine, this));
}

void SettingsDialog::addTools(ToolBox &tools)
{
    m_toolsPage = m_list->count();
    addPage(tr("Tools"), new ToolsPage(tools, this));
}

void SettingsDialog::showTools()
{
    m_list->setCurrentRow(m_toolsPage);
}

void SettingsDialog::showPage(Page page)
{
    m_list->setCurrentRow(static_cast<int>(page));
}

} // namespace fireside
