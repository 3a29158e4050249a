#pragma once
#include "app/settings/server_settings.h"
#include "ui/settings/setting_editors.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace fireside {

class AppSettings;
class ModelServer;

/// The page of the window's server: whether other programs may ask, from where and with which key,
/// and who does.
class ServerPage : public QWidget
{
    Q_OBJECT
public:
    ServerPage(AppSettings &settings, ModelServer &server, QWidget *parent = nullptr);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    QLabel *addText(const char *role, const QString &name);
    QWidget *addressRow();
    QWidget *keyRow();
    void addEditors();
    void addClients();
    void storeKey(const QString &key);
    void edited();
    void showStatus();

    AppSettings &m_settings;
    ModelServer &m_server;
    SettingEditors<ServerSettings> m_editors;
    QLabel *m_state, *m_problem;
    QLineEdit *m_address, *m_key;
    QPushButton *m_copyAddress, *m_showKey, *m_copyKey;
    QTableWidget *m_clients;
    QTimer m_timer; // while it is seen
};

} // namespace fireside
