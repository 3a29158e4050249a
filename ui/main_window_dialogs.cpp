// The window's dialogs: one of each kind, which comes to the front where it is open already.
#include "app/chat/chat_controller.h"
#include "app/models/model_library.h"
#include "app/runtime/engine_service.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/chat/chat_settings_dialog.h"
#include "ui/chat/unsaved_dialog.h"
#include "ui/help/help_dialog.h"
#include "ui/main_window.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"
#include "ui/style/icons.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace fireside {
namespace {

/// A dialog that was closed may still be there, but only until the event loop deletes it.
bool isOpen(const QWidget *dialog)
{
    return dialog && dialog->isVisible();
}

} // namespace

void MainWindow::showModels()
{
    if (!isOpen(m_picker)) {
        m_picker = new ModelPicker(m_library, m_engine, m_settings, m_network, this);
        m_picker->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_picker, &ModelPicker::loadRequested, this, &MainWindow::load);
        connect(m_picker, &ModelPicker::privacyRequested, this,
                [this] { showSettingsPage(SettingsDialog::Page::Privacy); });
        connect(m_picker, &ModelPicker::serversRequested, this,
                [this] { showSettingsPage(SettingsDialog::Page::Servers); });
        if (m_servers)
            m_picker->setServers(*m_servers);
    }
    m_picker->open();
    m_picker->raise();
}

void MainWindow::showSettings()
{
    if (!isOpen(m_settingsDialog)) {
        m_settingsDialog = new SettingsDialog(m_settings, m_engine, m_network, this);
        if (m_chat.toolBox())
            m_settingsDialog->addTools(*m_chat.toolBox());
        m_settingsDialog->setAttribute(Qt::WA_DeleteOnClose);
        if (m_servers)
            m_settingsDialog->addServers(*m_servers, m_engine);
    }
    m_settingsDialog->show();
    m_settingsDialog->raise();
    m_settingsDialog->activateWindow();
}

void MainWindow::showSettingsPage(SettingsDialog::Page page)
{
    showSettings();
    m_settingsDialog->showPage(page);
}

void MainWindow::showToolServers()
{
    showSettings();
    m_settingsDialog->showTools();
}

void MainWindow::showChatSettings()
{
    if (!isOpen(m_chatSettings)) {
        m_chatSettings = new ChatSettingsDialog(m_settings, m_engine, m_chat, this);
        m_chatSettings->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_chatSettings->show();
    m_chatSettings->raise();
    m_chatSettings->activateWindow();
}

bool MainWindow::mayEnd(const std::function<void()> &end)
{
    if (m_endsAnyway || !UnsavedDialog::isNeeded(m_chat, m_settings))
        return true;
    if (!isOpen(m_unsaved)) {
        m_unsaved = new UnsavedDialog(m_chat, m_settings, this);
        m_unsaved->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_unsaved, &UnsavedDialog::quitChosen, this, [this, end] {
            m_endsAnyway = true;
            end();
        });
    }
    m_unsaved->open();
    m_unsaved->raise();
    return false;
}

void MainWindow::showFirstHour()
{
    HelpDialog::show(tr("Your first hour with Fireside"), QStringLiteral("first-hour"), this);
}

void MainWindow::showServersHelp()
{
    HelpDialog::show(tr("Models of servers"), QStringLiteral("engines-elsewhere"), this);
}

void MainWindow::showDeviceDetails()
{
    auto *dialog = new DeviceDetailsDialog(m_engine, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::getModels()
{
    showModels();
    m_picker->showPage(ModelPicker::Page::Get);
}

void MainWindow::showDownloads()
{
    showModels();
    m_picker->showPage(ModelPicker::Page::Downloads);
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(tr("About Fireside"));
    box->setIconPixmap(
        icon(IconName::Flame, IconTint::Accent).pixmap(QSize(64, 64), devicePixelRatioF()));
    box->setTextFormat(Qt::PlainText);
    box->setText(tr("Fireside %1").arg(QCoreApplication::applicationVersion()));
    box->setInformativeText(
        tr("Chat with language models that run on this computer. Nothing you write leaves it, "
           "unless you choose a model of a server.\n\n"
           "Apache License 2.0"));
    box->open();
}

} // namespace fireside
